import { expect, test } from 'vitest'
import { isTest, sourceFiles, type SourceFile } from './source-files.ts'
import { posix } from 'node:path'

/** More source files than this in one folder are a heap; tests are not counted. */
const MOST_FILES = 20

/** More than about a dozen flat files hide the folders of a `src`. */
const MOST_FLAT = 13

/** Folders with too many source files, sorted. */
function findCrowdedFolders(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !isTest(path))
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([folder, inside]) => inside.length > mostOf(folder))
    .map(([folder]) => folder)
    .sort()
}

function mostOf(folder: string): number {
  return posix.basename(folder) === 'src' ? MOST_FLAT : MOST_FILES
}

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
