import { fuzzParser, sharedParsers } from '@posthorn/systems/fuzz'
import { evidenceParsers } from '@posthorn/systems/fuzz/evidence'
import { messagesParsers } from '@posthorn/systems/fuzz/messages'
import { paymentsParsers } from '@posthorn/systems/fuzz/payments'
import type { Ledger, Line } from '../crash/ledger.ts'
import type { Options } from './options.ts'

/** Nothing that was read is kept, so this does not depend on how long it takes. */
const MOST_HEAP_MB = 600

/** Damaged input for every parser, each for its share of the time. */
export async function fuzzParsers({ seed, minutes }: Options): Promise<Ledger> {
  await using evidence = await evidenceParsers()
  const parsers = [...sharedParsers, ...evidence.parsers, ...messagesParsers, ...paymentsParsers]
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
