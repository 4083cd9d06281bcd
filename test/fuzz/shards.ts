/** What of a described API is needed to share it out. */
export interface Description {
  readonly paths: Readonly<Record<string, object>>
}

/**
 * A stream does not end; a moved clock, emptied simulators and faults of theirs would take the ground from
 * the rest: a service that is made to hang is a 502 of ours, and rightly so.
 */
const LEFT_OUT = /\/stream$|^\/sim\/clock|^\/sim$|^\/sim\/.*\/faults$/

/** A part of the API for one process. */
export interface Shard {
  /** Of the paths that are its own. */
  readonly pattern: string
  /** How many operations these have. */
  readonly operations: number
}

/**
 * Shares the operations out, about equally many to each; what begins with the same three words stays
 * together, so that chains of requests do.
 */
export function shareOut({ paths }: Description, count: number): readonly Shard[] {
  const groups = Map.groupBy(
    Object.keys(paths).filter((path) => !LEFT_OUT.test(path)),
    (path) => path.split('/').slice(0, 4).join('/'),
  )
  const sizeOf = (each: readonly string[]) =>
    each.reduce((sum, path) => sum + Object.keys(paths[path] ?? {}).length, 0)
  const shards = Array.from({ length: count }, () => ({ paths: [] as string[], operations: 0 }))
  const largestFirst = [...groups.values()].sort((a, b) => sizeOf(b) - sizeOf(a))
  for (const group of largestFirst) {
    const [least] = [...shards].sort((a, b) => a.operations - b.operations)
    least?.paths.push(...group)
    if (least) least.operations += sizeOf(group)
  }
  return shards
    .filter(({ operations }) => operations > 0)
    .map(({ paths: own, operations }) => ({
      pattern: `^(${own.map((path) => path.replace(/[{}.$]/g, '\\$&')).join('|')})$`,
      operations,
    }))
}
