/** The word that was probably meant; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(2, each.length * 0.4))
    .toSorted((one, other) => one.distance - other.distance)
  return best?.each
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of from.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of to.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
