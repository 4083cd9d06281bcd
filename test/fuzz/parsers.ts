import { globSync } from 'node:fs'
import { fuzzParser, sharedParsers, type Parser } from '@posthorn/fuzz'
import type { Ledger, Line } from '../../proof/kit/ledger.ts'
import type { Options } from './callers.ts'

/** Nothing that was read is kept, so this does not depend on how long it takes. */
const MOST_HEAP_MB = 600

const root = new URL('../../', import.meta.url)

/** What systems read of strangers, by the path of `systems/<name>/proof/parsers.ts`. */
export async function systemParsers(): Promise<[path: string, parsers: readonly Parser[]][]> {
  const paths = globSync('systems/*/proof/parsers.ts', { cwd: root })
  return Promise.all(
    paths.toSorted().map(async (path) => {
      const { parsers } = (await import(new URL(path, root).href)) as { parsers: Parser[] }
      return [path, parsers] as [string, Parser[]]
    }),
  )
}

/** Damaged input for every parser, each for its share of the time. */
export async function fuzzParsers({ seed, minutes }: Options): Promise<Ledger> {
  const ofSystems = (await systemParsers()).flatMap(([, parsers]) => parsers)
  const parsers = [...sharedParsers, ...ofSystems]
  const withinMs = (minutes * 60_000) / parsers.length
  const lines: Line[] = []
  const failures: string[] = []
  let all = 0
  let mostHeap = 0
  for (const parser of parsers) {
    try {
      const runs = Number.MAX_SAFE_INTEGER
      const inputs = await fuzzParser(parser, { seed, runs, withinMs })
      lines.push({ name: `inputs: ${parser.name}`, value: inputs })
      all += inputs
      globalThis.gc?.()
      mostHeap = Math.max(mostHeap, Math.round(process.memoryUsage().heapUsed / 2 ** 20))
    } catch (error) {
      failures.push(`${parser.name}: ${String(error)}`)
    }
  }
  return {
    title: `fuzz of ${parsers.length} parsers, ${minutes} minutes, seed ${seed}`,
    lines: [
      ...lines,
      { name: 'inputs in all', value: all, atLeast: 1 },
      { name: 'heap at most, MB', value: mostHeap, atMost: MOST_HEAP_MB },
      { name: 'parsers that failed', value: failures.length, must: 0 },
    ],
    details: failures,
  }
}
