import { expect, test } from 'vitest'
import { findCrowdedFolders } from './folder-size.ts'
import { sourceFiles } from './source-files.ts'

const crowded = findCrowdedFolders(sourceFiles())

test('no folder holds more files than a reader can take in', () => {
  expect(crowded).toEqual([])
})

test('twenty files are a folder, twenty-one a heap; of a src, thirteen', () => {
  const filled = (folder: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ path: `${folder}/f${n}.ts`, text: '' }))
  expect(findCrowdedFolders(filled('a/b', 20))).toEqual([])
  expect(findCrowdedFolders(filled('a/b', 21))).toEqual(['a/b'])
  expect(findCrowdedFolders(filled('a/src', 13))).toEqual([])
  expect(findCrowdedFolders(filled('a/src', 14))).toEqual(['a/src'])
  const tested = { path: 'a/b/f.test.ts', text: '' }
  expect(findCrowdedFolders([...filled('a/b', 20), tested])).toEqual([])
})
