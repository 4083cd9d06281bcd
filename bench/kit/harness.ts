import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Database, type Server } from './postgres.ts'

/** Those whose name contains `only`. */
export function select<T extends { readonly name: string }>(
  contestants: readonly T[],
  only: string,
): T[] {
  return contestants.filter(({ name }) => name.includes(only))
}

/**
 * Measures every contestant once per round, in turn, so that what disturbs the machine for a while
 * disturbs all alike. Each gets a database of its own each time.
 */
export async function inTurns<T extends { readonly name: string }, Result>(
  contestants: readonly T[],
  { server, rounds }: { server: Server; rounds: number },
  measure: (contestant: T, database: Database) => Promise<Result>,
): Promise<Map<T, Result[]>> {
  const results = new Map<T, Result[]>(contestants.map((contestant) => [contestant, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [contestant, sofar] of results) {
      const result = await inDatabase(server, (database) => measure(contestant, database))
      progress(`round ${round} of ${rounds}  ${contestant.name}  ${JSON.stringify(result)}`)
      sofar.push(result)
    }
  }
  return results
}

export async function inDatabase<Result>(
  server: Server,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await createDatabase(server)
  try {
    return await work(database)
  } finally {
    await database.drop()
  }
}

/** Begins `count` pieces of work at a fixed rate, whether or not earlier ones have ended; all results. */
export async function atRate<Result>(
  perSecond: number,
  count: number,
  begin: (n: number) => Promise<Result>,
): Promise<Result[]> {
  const start = performance.now()
  const begun: Promise<Result>[] = []
  while (begun.length < count) {
    const due = Math.min(((performance.now() - start) / 1_000) * perSecond, count)
    while (begun.length < due) begun.push(begin(begun.length))
    await sleep(1)
  }
  return Promise.all(begun)
}

/** The middle of the sorted values; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** By nearest rank: the smallest value that `share` per cent of all do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((share / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** To stderr, so that stdout holds the results only. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Uses what was opened and closes it again, also after a failure. */
export async function withOpen<T extends { close(): Promise<void> }, Result>(
  opened: T,
  use: (opened: T) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}

/** The installed version of a package. */
export function packageVersion(name: string): string {
  const file = findPackageJSON(name, import.meta.url)
  if (!file) throw new Error(`${name} is not installed`)
  const version = /"version": *"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1]
  if (!version) throw new Error(`${file} names no version`)
  return version
}
