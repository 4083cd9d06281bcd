import { retryLater, type Outbox } from '@posthorn/engine'
import { Pool } from 'pg'
import { startRelay } from './contestants/posthorn.ts'
import { inTurns, median, progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { benchOutbox, createOutbox, insertMany, type OutboxRow } from '../kit/outbox.ts'
import { chunks } from '../kit/payload.ts'
import { rest, type Database, type Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'
import { tally } from '../kit/tally.ts'

const CHUNK = 5_000

/** How long messages wait after the destination failed; the outage must have reached all by then. */
const RETRY_MS = 60_000

const FORMS = [
  { name: 'fresh', isHeld: false },
  { name: 'held by an outage', isHeld: true },
] as const

/**
 * How fast ordered messages go out once a destination is back that held the key of every one of them,
 * beside the same number of keys that never waited.
 */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { messages, rounds, limitMs } = options
  const results = await inTurns([...FORMS], { server, rounds }, (form, database) =>
    measure(form.isHeld, database, options),
  )
  const lines = [...results].map(([{ name }, runs]) => ({
    name,
    perSecond: median(runs),
    runs,
  }))
  report.table(`${messages} keys with one message each, at most ${limitMs / 1_000} s`, lines)
  const [fresh, held] = lines
  report.table('ratios', ratio('held by an outage / fresh', held?.perSecond, fresh?.perSecond))
}

async function measure(
  isHeld: boolean,
  database: Database,
  { messages, connections, limitMs }: Options,
): Promise<number> {
  const pool = new Pool({ connectionString: database.url, max: connections + 2 })
  try {
    const outbox = benchOutbox({ claims: 'by key', record: 'none', inHand: connections })
    await createOutbox(pool, outbox)
    const keyOf = (index: number) => `key-${index}`
    for (const chunk of chunks(messages, CHUNK)) await insertMany(pool, chunk, { keyOf })
    if (isHeld) await holdAll(pool, outbox, messages)
    await rest(database)
    const counter = tally(messages, limitMs)
    const relay = await startRelay(pool, outbox, (message) => counter.count(message))
    // Stopping settles what is under way.
    const drained = await counter.result(() => relay.stop())
    return Math.round(drained.delivered / (drained.ms / 1_000))
  } finally {
    await pool.end()
  }
}

/** Lets every message fail once, and waits until all are due again. */
async function holdAll(pool: Pool, outbox: Outbox<OutboxRow>, messages: number): Promise<void> {
  const counter = tally(messages, RETRY_MS)
  const relay = await startRelay(pool, outbox, (message) => {
    counter.count(message)
    return retryLater('the destination is away', { after: `${RETRY_MS}ms` })
  })
  const failed = await counter.result(() => relay.stop())
  const { rows } = await pool.query<{ held: number; ms: number }>(
    `select count(*)::int as held, (extract(epoch from max(due_at) - now()) * 1000)::float8 as ms
       from posthorn.held_key`,
  )
  const { held = 0, ms = 0 } = rows[0] ?? {}
  progress(
    `${held} keys held after ${Math.round(failed.ms / 1_000)} s; due in ${Math.ceil(ms / 1_000)} s`,
  )
  if (held !== messages) throw new Error(`only ${held} of ${messages} keys are held`)
  await new Promise((resolve) => void setTimeout(resolve, ms + 100))
}
