import { setTimeout as sleep } from 'node:timers/promises'
import {
  createRelay,
  engineMigrations,
  enqueueAll,
  migrate,
  silentLog,
  transaction,
  type Outbox,
  type Relay,
} from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import type { OpenSystem } from '@posthorn/system'
import { openSystem } from '@posthorn/system/testing/serve'
import { messages as system } from '../index.ts'
import { Pool } from 'pg'
import { posthorn } from '../../../bench/queues/contestants/posthorn.ts'
import { startChild } from '../../../bench/kit/child.ts'
import { inDatabase, progress } from '../../../bench/kit/harness.ts'
import { measureDrain } from '../../../bench/queues/measure-drain.ts'
import { createBenchApp, type Serving } from '../../../bench/kit/serving.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { chunks } from '../../../bench/kit/payload.ts'
import { rest, type Database, type Server } from '../../../bench/kit/postgres.ts'
import { ratio, round, type Line, type Report } from '../../../bench/kit/report.ts'

const MOST_MESSAGES = 20_000
const NUMBERS = Array.from({ length: 10 }, (_, n) => String(1_000 + n))
const IN_HAND = 16
const CHUNK = 5_000

interface Load {
  readonly name: string
  /** What WhatsApp takes of one number in a second; 0 for as much as comes. */
  readonly limit: number
  /** What the worker gives itself. */
  readonly pace: number
  readonly batch: number
}

const LOADS: readonly Load[] = [
  { name: "at WhatsApp's limit", limit: 80, pace: 75, batch: 10 },
  { name: 'without a limit', limit: 0, pace: 0, batch: 10 },
  { name: 'without a limit, batches of 100', limit: 0, pace: 0, batch: 100 },
]

/** It takes minutes, in which a real database would vacuum. */
export const serverSettings = { autovacuum: 'on', autovacuum_naptime: '5s' }

/**
 * Messages through the whole system: claim, attempt, HTTP to a WhatsApp in another process, settle
 * with audit, and the status webhooks back. With WhatsApp's limit of 80 a second for each of ten
 * numbers, and without one, beside the engine's bare drain.
 */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const count = Math.min(options.messages, MOST_MESSAGES)
  const lines: (Line & { perSecond: number })[] = []
  for (const load of LOADS) {
    const line = await inDatabase(server, (database) => measure(database, load, count))
    progress(JSON.stringify(line))
    lines.push(line)
  }
  const bare = await inDatabase(server, (database) =>
    measureDrain(posthorn({ claims: 'by row', record: 'all', inHand: 2 }), database, {
      waiting: count,
      messages: count,
      limitMs: options.limitMs,
    }),
  )
  report.table(`${count} messages, ${NUMBERS.length} numbers`, lines)
  report.table('the engine alone', [{ name: 'by row recorded', perSecond: bare.perSecond }])
  report.table(
    'ratios',
    lines.flatMap(({ name, perSecond }) =>
      ratio(`${String(name)} / bare drain`, perSecond, bare.perSecond),
    ),
  )
}

async function measure(database: Database, load: Load, count: number) {
  await using opened = new AsyncDisposableStack()
  // As the server has it: requests and relay do not take connections from each other.
  const pool = new Pool({ connectionString: database.url, max: 10 })
  opened.defer(() => pool.end())
  const relayPool = new Pool({ connectionString: database.url, max: IN_HAND + 2 })
  opened.defer(() => relayPool.end())
  await migrate(pool, [await engineMigrations(), await system.migrations()])
  const app = await createBenchApp({ production: false, rateLimit: false })
  opened.defer(() => app.close())
  let outside: Serving = { url: '', token: '' }
  const open = openMessages(pool, load, () => outside.url)
  await open.routes?.(app)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const script = new URL('outside-process.ts', import.meta.url)
  const webhooks = `${address}/api/v1/webhooks/whatsapp/inbound`
  const child = await startChild<Serving>(script, [webhooks, String(load.limit)])
  outside = opened.use(child).said

  opened.defer(startPeriodically(open.workers ?? [], { log: silentLog }))

  await fill(pool, open.outboxes[0] as Outbox, count)
  await rest(database)
  const transports = open.transports ?? {}
  const relay = createRelay({ pool: relayPool, outboxes: open.outboxes, transports })
  opened.defer(async () => {
    await relay.stop()
    await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()))
  })
  return { name: load.name, ...(await drain({ relay, pool, count, outside })) }
}

function openMessages(pool: Pool, load: Load, url: () => string): OpenSystem {
  const env = {
    WHATSAPP_PHONE_NUMBER_IDS: NUMBERS.join(),
    WHATSAPP_MESSAGES_PER_SECOND: String(load.pace),
    OUTBOUND_WORKER_AT_ONCE: String(IN_HAND * load.batch),
    OUTBOUND_WORKER_BATCH_SIZE: String(load.batch),
  }
  const complain = (details: object, text: string) => progress(`${text} ${JSON.stringify(details)}`)
  return openSystem(system, {
    ...{ pool, env },
    log: { debug: () => undefined, info: () => undefined, warn: complain, error: complain },
    // The simulator is where the system looks for it: below `/sim/whatsapp` of this.
    baseUrl: () => url().replace('/sim/whatsapp', ''),
  })
}

async function fill(pool: Pool, outbox: Outbox, count: number): Promise<void> {
  for (const chunk of chunks(count, CHUNK)) {
    const rows = chunk.map((n) => ({
      ...{ org_id: 'bench', channel: 'whatsapp', template_code: 'otp_code' },
      payload_json: { language: 'en_US', parameters: ['4711'] },
      // None that the simulator has a meaning for.
      to_recipient: `+1650${200 + Math.floor(n / 9_000)}${1_000 + (n % 9_000)}`,
      idempotency_key: String(n),
      request_fingerprint: '',
    }))
    await transaction(pool, (tx) => enqueueAll(tx, outbox, rows))
  }
}

const COUNT = `
  select count(*) filter (where status in ('SENT', 'DELIVERED'))::int as sent,
         count(*) filter (where status = 'DELIVERED')::int as delivered,
         count(distinct provider_message_id)::int as ids,
         (select count(*) from messages.outbound_attempt)::int as attempts
    from messages.outbound_message`

interface Counted {
  readonly sent: number
  readonly delivered: number
  readonly ids: number
  readonly attempts: number
}

async function readCounts(pool: Pool): Promise<Counted> {
  const { rows } = await pool.query<Counted>(COUNT)
  return rows[0] ?? { sent: 0, delivered: 0, ids: 0, attempts: 0 }
}

const LIMIT_MS = 300_000

/** Counting takes the database's time too. */
const LOOK_MS = 500

async function drain(run: { relay: Relay; pool: Pool; count: number; outside: Serving }) {
  const { relay, pool, count, outside } = run
  const start = performance.now()
  await relay.start()
  const sentMs = await until(pool, start, ({ sent }) => sent === count)
  const deliveredMs = await until(pool, start, ({ delivered }) => delivered === count)
  const end = await readCounts(pool)
  const tally = (await (await fetch(`${outside.url}/tally`)).json()) as Record<string, number>
  const accepted = tally['accepted'] ?? 0
  return {
    perSecond: Math.round(count / (sentMs / 1_000)),
    sentSeconds: round(sentMs / 1_000),
    deliveredSeconds: round(deliveredMs / 1_000),
    lost: count - end.delivered,
    doubled: accepted - end.ids,
    attempts: end.attempts,
    heldBack: tally['limited'] ?? 0,
    busiestSecond: tally['busiestSecond'] ?? 0,
  }
}

/** Milliseconds from the start until it is so, or the limit. */
async function until(pool: Pool, start: number, isSo: (now: Counted) => boolean): Promise<number> {
  while (performance.now() - start < LIMIT_MS && !isSo(await readCounts(pool))) await sleep(LOOK_MS)
  return performance.now() - start
}
