import { expect, test } from 'vitest'
import { page, sectionOf } from './markdown.ts'

/** The points of the review card, by their numbers. */
function pointsOf(text: string): number[] {
  return [...sectionOf(text, 'Review card').matchAll(/^(\d+)\. \S.+\?$/gm)].map(([, n]) =>
    Number(n),
  )
}

test('the review card asks twelve questions', () => {
  const twelve = Array.from({ length: 12 }, (_, i) => i + 1)
  expect(pointsOf(page('CONTRIBUTING.md').text)).toEqual(twelve)
})

test('a missing point is found', () => {
  const card =
    '# x\n\n## Review card\n\n1. **One.** Is it?\n2. No question.\n3. Is it?\n\n## y\n\n4. Eh?\n'
  expect(pointsOf(card)).toEqual([1, 3])
})
