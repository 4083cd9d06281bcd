import { setTimeout } from 'node:timers/promises'
import type { LatencyContestant, LatencyQueue } from './contestant.ts'
import { everyone, slowField } from './field.ts'
import { atRate, inTurns, percentile, select, withOpen } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import type { Database, Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'

/** Messages that a contestant may handle at once, and how long one takes. */
const AT_ONCE = 100
const USUAL_MS = 50
const HANGING_MS = 10_000
const SECONDS = 12

interface Load {
  readonly name: string
  readonly perSecond: number
  isHanging(n: number): boolean
}

/**
 * One message hangs at a low load; then one in a hundred, at half of what fits: with 50 ms for most and 10 s
 * for one in a hundred, 100 at once are 666 a second.
 */
const LOADS: readonly Load[] = [
  { name: '20/s', perSecond: 20, isHanging: () => false },
  { name: '20/s, one hangs', perSecond: 20, isHanging: (n) => n === 5 },
  { name: '330/s', perSecond: 330, isHanging: () => false },
  { name: '330/s, 1 % hang', perSecond: 330, isHanging: (n) => n % 100 === 5 },
]

interface Times {
  readonly p50: number
  readonly p99: number
}

/** From COMMIT to the end of the handler, of those that do not hang. Those that do have keys of their own. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const contestants = select(everyone(slowField(AT_ONCE)), options.only)
  const results = await inTurns(contestants, { server, rounds: 1 }, measureSlow)
  const lines = [...results].flatMap(([{ name, version, settings }, [run]]) =>
    LOADS.map((load) => ({ name, load: load.name, ...run?.get(load), version, settings })),
  )
  report.table(
    `commit to end in ms of those that take ${USUAL_MS} ms, beside some that take ${HANGING_MS} ms`,
    lines,
  )
  report.table(
    'ratios',
    [...results].flatMap(([{ name }, [run]]) =>
      [0, 2].flatMap((at) => {
        const [without, beside] = LOADS.slice(at, at + 2)
        if (!run || !without || !beside) return []
        const [plain, slow] = [run.get(without)?.p99, run.get(beside)?.p99]
        return ratio(`${name}: ${beside.name} / ${without.name}, p99`, slow, plain)
      }),
    ),
  )
}

async function measureSlow(
  contestant: LatencyContestant,
  database: Database,
): Promise<Map<Load, Times>> {
  const ends = new Map<number, () => void>()
  const tookMs = new Map<number, number>()
  const queue = await contestant.open(database, async (sample) => {
    await setTimeout(tookMs.get(sample) ?? USUAL_MS)
    ends.get(sample)?.()
  })
  return withOpen(queue, async () => {
    const times = new Map<Load, Times>()
    let next = 0
    const send = async (ms: number) => {
      next += 1
      const sample = next
      tookMs.set(sample, ms)
      const { promise, resolve } = Promise.withResolvers<number>()
      ends.set(sample, () => resolve(performance.now()))
      return sendOne(queue, sample, { ended: promise, lone: ms === HANGING_MS })
    }
    for (const load of LOADS) times.set(load, await measureLoad(load, send))
    return times
  })
}

async function sendOne(
  queue: LatencyQueue,
  sample: number,
  { ended, lone }: { readonly ended: Promise<number>; readonly lone: boolean },
): Promise<number> {
  const { answered } = await queue.send(sample, { lone })
  return (await ended) - answered
}

/** Sends at a fixed rate, whether or not earlier messages are handled. */
async function measureLoad(
  { perSecond, isHanging }: Load,
  send: (ms: number) => Promise<number>,
): Promise<Times> {
  const all = await atRate(perSecond, perSecond * SECONDS, (n) =>
    send(isHanging(n) ? HANGING_MS : USUAL_MS),
  )
  const took = all.filter((_, n) => !isHanging(n))
  return { p50: Math.round(percentile(took, 50)), p99: Math.round(percentile(took, 99)) }
}
