import type { EnqueueContestant } from './contestant.ts'
import { enqueueField, everyone } from './field.ts'
import { inTurns, median, select, withOpen } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { chunks } from '../kit/payload.ts'
import { rest, type Database, type Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'

const STATEMENT_SIZES = [1_000, 5_000]
/** Single ones are some twenty times slower than bulk. */
const SINGLE_SHARE = 20

interface Entry {
  readonly name: string
  readonly contestant: EnqueueContestant
  /** Messages a statement; 1: each in a transaction of its own. */
  readonly size: number
}

/** How fast messages come in: many to a statement, and one to a transaction. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds, messages } = options
  const entries = select(everyone(enqueueField), options.only).flatMap((contestant) =>
    [...STATEMENT_SIZES, 1].map((size): Entry => ({
      name: `${contestant.name} ${size === 1 ? 'single' : `bulk ${size}`}`,
      contestant,
      size,
    })),
  )
  const results = await inTurns(entries, { server, rounds }, (entry, database) =>
    measureEnqueue(entry, database, messages),
  )
  const lines = [...results].flatMap(([{ name, contestant }, runs]) => {
    const rates = runs.filter((rate) => rate !== undefined)
    if (rates.length === 0) return []
    const { version, settings } = contestant
    return [{ name, perSecond: median(rates), runs: rates, version, settings }]
  })
  report.table(`messages enqueued, median of ${rounds}`, lines)
  const rateOf = (name: string) => lines.find((line) => line.name === name)?.perSecond
  report.table(
    'ratios',
    enqueueField.ours.flatMap(({ name }) =>
      [...STATEMENT_SIZES.map((size) => `bulk ${size}`), 'single'].flatMap((form) =>
        ratio(
          `${name} ${form} / plain SQL ${form}`,
          rateOf(`${name} ${form}`),
          rateOf(`plain SQL ${form}`),
        ),
      ),
    ),
  )
}

async function measureEnqueue(
  { contestant, size }: Entry,
  database: Database,
  messages: number,
): Promise<number | undefined> {
  return withOpen(await contestant.open(database), async (queue) => {
    if (size > 1 && !queue.bulk) return undefined
    const count = size === 1 ? Math.ceil(messages / SINGLE_SHARE) : messages
    await rest(database)
    const start = performance.now()
    for (const indexes of chunks(count, size)) {
      await (size === 1 ? queue.single(indexes[0] ?? 0) : queue.bulk?.(indexes))
    }
    return Math.round(count / ((performance.now() - start) / 1_000))
  })
}
