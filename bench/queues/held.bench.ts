import type { Contestant, Drained, Queue } from './contestant.ts'
import { enduranceField, everyone } from './field.ts'
import { inDatabase, inTurns, progress, select, withOpen } from '../kit/harness.ts'
import { measureDrain, medianRate } from './measure-drain.ts'
import type { Options } from '../kit/options.ts'
import {
  deadTuples,
  holdSnapshot,
  rest,
  walBytesSince,
  walPosition,
  type Database,
  type Server,
} from '../kit/postgres.ts'
import { ratio, round, type Report } from '../kit/report.ts'

/** Here vacuum belongs to the question: it comes often and can clean nothing. */
export const serverSettings = { autovacuum: 'on', autovacuum_naptime: '5s' }

/** What a transaction held open, so that nothing dead can be cleaned away, does to the rate. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { messages, limitMs, rounds } = options
  const contestants = select(everyone(enduranceField(options)), options.only)
  const fresh = await inTurns(contestants, { server, rounds }, (contestant, database) =>
    measureDrain(contestant, database, { waiting: messages, messages, limitMs }),
  )
  const lines = []
  for (const [contestant, runs] of fresh) {
    const result = await inDatabase(server, (database) => drainHeld(contestant, database, options))
    progress(`${contestant.name}  ${JSON.stringify(result)}`)
    lines.push({ name: contestant.name, fresh: medianRate(runs), ...result })
  }
  report.table(
    `drained again and again for ${options.heldMs / 1_000} s with a transaction open`,
    lines,
  )
  report.table(
    'ratios',
    lines.flatMap(({ name, fresh: before, perSecond }) =>
      ratio(`${name.replace('posthorn ', '')} held / fresh`, perSecond, before),
    ),
  )
}

interface HeldResult {
  /** Over the last third of the time: what it has come down to. */
  readonly perSecond: number
  /** Each filling and draining in turn. */
  readonly cycles: readonly number[]
  readonly walBytesPerMessage: number
  readonly deadTuplesPerMessage: number
}

export async function drainHeld(
  contestant: Contestant,
  database: Database,
  options: Options,
): Promise<HeldResult> {
  const { cycles, walBytes } = await withOpen(await contestant.open(database), async (queue) => {
    await queue.enqueue(options.messages)
    await rest(database)
    const holder = await holdSnapshot(database)
    try {
      const position = await walPosition(database)
      const drained = await drainRepeatedly(queue, options)
      return { cycles: drained, walBytes: await walBytesSince(database, position) }
    } finally {
      await holder.end()
    }
  })
  const delivered = sum(cycles.map((cycle) => cycle.delivered))
  return {
    perSecond: rateOf(cycles.slice(-Math.ceil(cycles.length / 3))),
    cycles: cycles.map((cycle) => rateOf([cycle])),
    walBytesPerMessage: Math.round(walBytes / delivered),
    deadTuplesPerMessage: round((await deadTuples(database)) / delivered),
  }
}

async function drainRepeatedly(
  queue: Queue,
  { messages, limitMs, heldMs }: Options,
): Promise<Drained[]> {
  const end = performance.now() + heldMs
  const cycles: Drained[] = []
  while (performance.now() < end) {
    const drained = await queue.drain(messages, limitMs)
    cycles.push(drained)
    await queue.enqueue(drained.delivered)
  }
  return cycles
}

function rateOf(cycles: readonly Drained[]): number {
  const seconds = sum(cycles.map(({ ms }) => ms)) / 1_000
  return Math.round(sum(cycles.map(({ delivered }) => delivered)) / seconds)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
