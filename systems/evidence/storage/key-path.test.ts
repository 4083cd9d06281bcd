import { expect, test } from 'vitest'
import { keyOfPath, pathOfKey } from './folder.ts'

test.each([
  ['incoming/acme/a b+c.zip', 'incoming/acme/a b+c.zip'],
  ['Überweisung/東京.zip', 'Überweisung/東京.zip'],
  ['100%.zip', '100%.zip'],
  ['a%20b', 'a%2520b'],
  ['..', '%2E.'],
  ['.', '%2E'],
  ['.hidden', '%2Ehidden'],
  ['/absolute', '%/absolute'],
  ['a//b/', 'a/%/b/%'],
  ['%', '%25'],
  ['back\\slash', 'back%5Cslash'],
  ['nul\0', 'nul%00'],
])('%j is kept at %j', (key, path) => {
  expect(pathOfKey(key)).toBe(path)
  expect(keyOfPath(path)).toBe(key)
})

test.each(['.hidden', 'a%20b', 'a%2Eb', 'back\\slash', '..', 'a/.unfinished'])(
  'no key is kept at %j',
  (path) => {
    expect(keyOfPath(path)).toBeUndefined()
  },
)
