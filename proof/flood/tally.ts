/** How often something came, by what it was. */
export interface Tally {
  count(what: string): void
  entries(): readonly (readonly [what: string, times: number])[]
}

export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    entries: () => [...counts].sort(([, a], [, b]) => b - a),
  }
}
