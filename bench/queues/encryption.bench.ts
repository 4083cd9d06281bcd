import { enqueue, enqueueAll, transaction } from '@posthorn/engine'
import { Pool } from 'pg'
import { startRelay } from './contestants/posthorn.ts'
import { inTurns, median, select } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { BATCH, benchOutbox, createOutbox } from '../kit/outbox.ts'
import { chunks, key, payload } from '../kit/payload.ts'
import { rest, type Database, type Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'
import { tally } from '../kit/tally.ts'

const STATEMENT_SIZE = 1_000
/** Single ones are some twenty times slower than bulk. */
const SINGLE_SHARE = 20
const WARM_UP_MESSAGES = 5_000

/** The same outbox, with payloads as they are and encrypted. */
const FORMS = [
  { name: 'plain', encrypted: false },
  { name: 'encrypted', encrypted: true },
] as const

interface Rates {
  readonly bulk: number
  readonly single: number
  readonly drain: number
}

/** What encryption costs: enqueueing many and one by one, and draining what was enqueued. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds, messages } = options
  const forms = select(FORMS, options.only)
  const warm = { ...options, messages: WARM_UP_MESSAGES }
  await inTurns(forms, { server, rounds: 1 }, (form, database) => measure(form, database, warm))
  const results = await inTurns(forms, { server, rounds }, (form, database) =>
    measure(form, database, options),
  )
  const lines = [...results].map(([{ name }, runs]) => ({
    name,
    bulk: median(runs.map((run) => run.bulk)),
    single: median(runs.map((run) => run.single)),
    drain: median(runs.map((run) => run.drain)),
    drains: runs.map((run) => run.drain),
  }))
  report.table(
    `messages a second, ${messages} enqueued by ${STATEMENT_SIZE} and singly, and drained by ${BATCH}, median of ${rounds}`,
    lines,
  )
  const [plain, encrypted] = FORMS.map(({ name }) => lines.find((line) => line.name === name))
  report.table('ratios', [
    ...ratio('enqueue bulk, encrypted / plain', encrypted?.bulk, plain?.bulk),
    ...ratio('enqueue single, encrypted / plain', encrypted?.single, plain?.single),
    ...ratio('drain, encrypted / plain', encrypted?.drain, plain?.drain),
  ])
}

async function measure(
  { encrypted }: { readonly encrypted: boolean },
  database: Database,
  { messages, connections, limitMs }: Options,
): Promise<Rates> {
  // As `RelayOptions.pool` says: one a lane, and two more.
  const pool = new Pool({ connectionString: database.url, max: connections + 2 })
  try {
    const form = { claims: 'by row', record: 'none', inHand: connections, encrypted } as const
    const outbox = benchOutbox(form)
    await createOutbox(pool, outbox)
    const row = (index: number) => ({ key: key(index), payload: payload(index) })
    const singles = Math.ceil(messages / SINGLE_SHARE)
    await rest(database)
    const single = await rateOf(singles, async () => {
      for (const [index = 0] of chunks(singles, 1)) {
        await transaction(pool, (tx) => enqueue(tx, outbox, row(index)))
      }
    })
    const bulk = await rateOf(messages, async () => {
      for (const indexes of chunks(messages, STATEMENT_SIZE)) {
        await transaction(pool, (tx) => enqueueAll(tx, outbox, indexes.map(row)))
      }
    })
    await rest(database)
    const counter = tally(messages, limitMs)
    const relay = await startRelay(pool, outbox, (message) => counter.count(message))
    const { delivered, ms } = await counter.result(() => relay.stop())
    return { bulk, single, drain: Math.round(delivered / (ms / 1_000)) }
  } finally {
    await pool.end()
  }
}

async function rateOf(count: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round(count / ((performance.now() - start) / 1_000))
}
