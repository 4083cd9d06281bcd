import type { Contestant } from './contestant.ts'
import { postgresCpuUs } from '../kit/cpu.ts'
import { median, withOpen } from '../kit/harness.ts'
import { deadTuples, rest, walBytesSince, walPosition, type Database } from '../kit/postgres.ts'
import { round } from '../kit/report.ts'

/** What one drain was measured at. */
export interface Measured {
  readonly perSecond: number
  readonly walBytesPerMessage: number
  readonly deadTuplesPerMessage: number
  /** Processor time in microseconds: others on the machine change it less than the rate. */
  readonly nodeUsPerMessage: number
  /** Undefined where the server is on another machine. */
  readonly postgresUsPerMessage: number | undefined
}

export interface Load {
  /** Messages waiting at the start. */
  readonly waiting: number
  /** Messages to drain of those. */
  readonly messages: number
  readonly limitMs: number
}

/** Fills a queue, lets the database come to rest, drains it. */
export async function measureDrain(
  contestant: Contestant,
  database: Database,
  { waiting, messages, limitMs }: Load,
): Promise<Measured> {
  const { delivered, ms, walBytes, nodeUs, postgresUs } = await withOpen(
    await contestant.open(database),
    async (queue) => {
      await queue.enqueue(waiting)
      await rest(database)
      const position = await walPosition(database)
      const before = process.cpuUsage()
      const postgresBefore = await postgresCpuUs(database.pool)
      const drained = await queue.drain(messages, limitMs)
      const { user, system } = process.cpuUsage(before)
      const postgresAfter = await postgresCpuUs(database.pool)
      return {
        ...drained,
        walBytes: await walBytesSince(database, position),
        nodeUs: user + system,
        postgresUs: postgresBefore && postgresAfter && postgresAfter - postgresBefore,
      }
    },
  )
  return {
    perSecond: Math.round(delivered / (ms / 1_000)),
    walBytesPerMessage: Math.round(walBytes / delivered),
    deadTuplesPerMessage: round((await deadTuples(database)) / delivered),
    nodeUsPerMessage: round(nodeUs / delivered),
    postgresUsPerMessage: postgresUs && round(postgresUs / delivered),
  }
}

/** The rate that counts. */
export function medianRate(runs: readonly Measured[]): number {
  return median(runs.map(({ perSecond }) => perSecond))
}

/** The fields of a result line, the same in every benchmark that drains. */
export function drainFields(runs: readonly Measured[]) {
  const postgresUs = runs.flatMap((run) => run.postgresUsPerMessage ?? [])
  return {
    perSecond: medianRate(runs),
    runs: runs.map(({ perSecond }) => perSecond),
    walBytesPerMessage: median(runs.map((run) => run.walBytesPerMessage)),
    deadTuplesPerMessage: median(runs.map((run) => run.deadTuplesPerMessage)),
    nodeUsPerMessage: median(runs.map((run) => run.nodeUsPerMessage)),
    ...(postgresUs.length > 0 && { postgresUsPerMessage: median(postgresUs) }),
  }
}
