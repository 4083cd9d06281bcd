/** Whom an attack is for, and by what it is known there. */
export interface AttackTarget {
  readonly url: string
  /** Of several users of one organisation. */
  readonly tokens: readonly string[]
  /** Of several users of a second one. */
  readonly accomplices: readonly string[]
  /** The address of a receiver that takes connections and never answers. */
  readonly silent: string
}

export interface AttackContext extends AttackTarget {
  readonly tally: Tally
  readonly over: AbortSignal
}

/** Something that one organisation does to the server until it is over. */
export interface Attack {
  readonly name: string
  /** What it does, for the ledger. */
  readonly about: string
  /** Open files that it may leave behind beyond what any may, since the server still works on it. */
  readonly leavesFiles?: number
  run(context: AttackContext): Promise<void>
}

/** Addresses of this machine that are networks of their own to the server. */
export function networkAt(place: number): string {
  return `127.0.0.${2 + (place % 8)}`
}

/** So many workers that do the same again and again until it is over. */
export async function repeat(
  workers: number,
  over: AbortSignal,
  work: (place: number, turn: number) => Promise<void>,
): Promise<void> {
  const run = async (place: number) => {
    for (let turn = 0; !over.aborted; turn += 1) await work(place, turn)
  }
  await Promise.all(Array.from({ length: workers }, (_, place) => run(place)))
}

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
