import { setTimeout } from 'node:timers/promises'
import { createRelay, engineMigrations, migrate, transaction, type Relay } from '@posthorn/engine'
import { createSealing } from '@posthorn/system'
import { openSystem } from '@posthorn/system/testing/serve'
import { enqueueEvent, payments } from '../index.ts'
import { newWebhookSecret, signWebhook } from '@posthorn/transports/webhook'
import { Pool } from 'pg'
import { Agent } from 'undici'
import { startChild, type Child } from '../../../bench/kit/child.ts'
import { inDatabase, median, percentile, progress } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import type { Database, Server } from '../../../bench/kit/postgres.ts'
import { ratio, type Report } from '../../../bench/kit/report.ts'
import { deliverBarely } from './webhooks-bare.ts'

const ENDPOINTS = 1_000
const HANGING = 10
/** Deliveries of a drain; ten thousand are some seconds. */
const MOST_DELIVERIES = 10_000
const CONCURRENCY = 100
const EVENTS_PER_SECOND = 100
const SECONDS = 15
const ORG = 'bench'

/** Webhooks to a server on this machine, against plain posting; and what endpoints that hang do to others. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  await using receiver = await startChild<string>(new URL('receiver-process.ts', import.meta.url))
  const deliveries = Math.min(options.messages, MOST_DELIVERIES)
  const plain: Posted[] = []
  const bare: Posted[] = []
  const ours: Posted[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    plain.push(await postPlainly(receiver, deliveries))
    for (const [sofar, deliver] of [[bare, deliverBarely] as const, [ours, byRelay] as const]) {
      const work = (db: Database) => drain(db, { receiver, count: deliveries, deliver })
      sofar.push(await inDatabase(server, work))
    }
    progress(`round ${round}  ${JSON.stringify([plain.at(-1), bare.at(-1), ours.at(-1)])}`)
  }
  const lines = [
    summary('undici alone', plain),
    summary('bare loop, the same rows', bare),
    summary('posthorn', ours),
  ]
  report.table(`${deliveries} webhooks to a local receiver`, lines)
  const speed = (ones: Posted[], others: Posted[]) => medianOf(ones.map(rateOf), others.map(rateOf))
  report.table('ratios', [
    ...ratio('posthorn / undici alone', speed(ours, plain), 1),
    ...ratio('bare loop / undici alone', speed(bare, plain), 1),
    ...ratio('posthorn / bare loop', speed(ours, bare), 1),
  ])

  const healthy: Times[] = []
  const beside: Times[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    // At the same time, so that what disturbs the machine disturbs both alike.
    const [without, within] = await Promise.all([
      inDatabase(server, (db) => load(db, receiver, 0)),
      inDatabase(server, (db) => load(db, receiver, HANGING)),
    ])
    const arrivals = await arrivalsAt(receiver)
    healthy.push(timesOf(without, arrivals))
    beside.push(timesOf(within, arrivals))
    progress(`round ${round}  ${JSON.stringify([healthy.at(-1), beside.at(-1)])}`)
  }
  report.table('commit to arrival at healthy endpoints, ms', [
    { name: 'all healthy', ...medians(healthy) },
    { name: `${HANGING} of ${ENDPOINTS} hang`, ...medians(beside) },
  ])
  report.table(
    'ratios',
    ratio(
      'p99 beside hanging ones / all healthy',
      medianOf(beside.map(p99Of), healthy.map(p99Of)),
      1,
    ),
  )
}

type Receiver = Child<string>

/** When each webhook came since the last time asked, by id. */
async function arrivalsAt(receiver: Receiver): Promise<Map<string, number>> {
  return new Map(await receiver.ask<[string, number][]>('arrivals'))
}

function bodyOf(n: number): string {
  const data = { paymentId: `pay_${n}`, status: 'succeeded', amount: 1_000 + n, currency: 'EUR' }
  const createdAt = new Date(0).toISOString()
  return JSON.stringify({ id: `evt_${n}`, type: 'payment.succeeded', createdAt, data })
}

interface Posted {
  readonly perSecond: number
  /** Of this process for each webhook, user and system: says more than the rate on a busy machine. */
  readonly cpuUs: number
}

async function measure(count: number, post: () => Promise<void>): Promise<Posted> {
  const started = performance.now()
  const before = process.cpuUsage()
  await post()
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - started) / 1_000
  return { perSecond: Math.round(count / seconds), cpuUs: Math.round((user + system) / count) }
}

function summary(name: string, rounds: readonly Posted[]) {
  const [rates, cpu] = [rounds.map(rateOf), rounds.map(cpuOf)]
  return { name, perSecond: median(rates), rounds: rates, cpuUs: median(cpu), cpuRounds: cpu }
}

const rateOf = ({ perSecond }: Posted): number => perSecond
const cpuOf = ({ cpuUs }: Posted): number => cpuUs

/** What the machine can do: the same bodies, signed, as many at a time, and nothing written down. */
async function postPlainly({ said: url }: Receiver, count: number): Promise<Posted> {
  const agent = new Agent({ connections: CONCURRENCY })
  const secrets = [newWebhookSecret()]
  let next = 0
  const post = async () => {
    while (next < count) {
      const n = (next += 1)
      const body = bodyOf(n)
      const headers = {
        'content-type': 'application/json',
        ...signWebhook({ id: `plain_${n}`, body, secrets }),
      }
      const answer = await agent.request({ origin: url, path: '/', method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  const posted = await measure(count, async () => {
    await Promise.all(Array.from({ length: CONCURRENCY }, post))
  })
  await agent.close()
  return posted
}

interface Running {
  readonly pool: Pool
  readonly relay: Relay
  close(): Promise<void>
}

/** The system as its server runs it, with endpoints on the receiver; the relay is not started. */
async function open(database: Database, receiver: Receiver, hanging: number): Promise<Running> {
  const pool = new Pool({ connectionString: database.url, max: 20 })
  // A query that fails says so itself.
  pool.on('error', () => undefined)
  await migrate(pool, [await engineMigrations(), await payments.migrations()])
  const sealing = createSealing(['k'.repeat(32)])
  const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
  const { outboxes, transports = {} } = openSystem(payments, { pool, sealing, env })
  await addEndpoints(pool, { url: receiver.said, hanging, seal: sealing.seal })
  const deliveries = outboxes.filter(({ name }) => name === 'payments.webhook-deliveries')
  const relay = createRelay({ pool, outboxes: deliveries, transports })
  return {
    pool,
    relay,
    async close() {
      await relay.stop()
      await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()))
      await pool.end()
    },
  }
}

async function addEndpoints(
  pool: Pool,
  { url, hanging, seal }: { url: string; hanging: number; seal: (s: string, of: string) => string },
): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     select gen_random_uuid(), $1, $2 || case when n <= $3 then '/hang/' else '/ok/' end || n,
            array['to.' || n]
       from generate_series(1, $4::int) n
     returning id`,
    [ORG, url, hanging, ENDPOINTS],
  )
  const ids = rows.map(({ id }) => id)
  await pool.query(
    `insert into payments.webhook_secrets (id, endpoint_id, sealed)
     select gen_random_uuid(), * from unnest($1::uuid[], $2::text[])`,
    [ids, ids.map((id) => seal(newWebhookSecret(), `webhook endpoint ${id}`))],
  )
}

interface Drain {
  readonly receiver: Receiver
  readonly count: number
  deliver(pool: Pool, relay: Relay): Promise<void>
}

/** How fast what waits goes out, until the last of it is settled. */
async function drain(database: Database, { receiver, count, deliver }: Drain): Promise<Posted> {
  const { pool, relay, close } = await open(database, receiver, 0)
  try {
    await pool.query(
      `insert into payments.webhook_deliveries
              (id, org_id, endpoint_id, event_id, event_type, payload)
       select gen_random_uuid(), $1, e.id, 'evt_' || n, 'payment.succeeded', b::json
         from unnest($2::text[]) with ordinality as u (b, n)
         join (select id, row_number() over (order by id) - 1 as at
                 from payments.webhook_endpoints) e on e.at = n % ${ENDPOINTS}`,
      [ORG, Array.from({ length: count }, (_, n) => bodyOf(n))],
    )
    await pool.query('vacuum (analyze)')
    return await measure(count, () => deliver(pool, relay))
  } finally {
    await close()
  }
}

async function byRelay(pool: Pool, relay: Relay): Promise<void> {
  await relay.start()
  await untilDelivered(pool)
}

async function untilDelivered(pool: Pool): Promise<void> {
  const started = performance.now()
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from payments.webhook_deliveries where status <> 'delivered' limit 1`,
    )
    if (rows.length === 0) return
    if (performance.now() - started > 120_000) throw new Error('the webhooks do not go out')
    await setTimeout(50)
  }
}

interface Times {
  readonly p50: number
  readonly p99: number
}

/**
 * Events at a steady rate, one endpoint after the other; returns when those to healthy endpoints were
 * committed, by delivery.
 */
async function load(
  database: Database,
  receiver: Receiver,
  hanging: number,
): Promise<Map<string, number>> {
  const { pool, relay, close } = await open(database, receiver, hanging)
  const committed = new Map<string, number>()
  try {
    await pool.query('vacuum (analyze)')
    await relay.start()
    const started = performance.now()
    const sending: Promise<void>[] = []
    for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n += 1) {
      const dueMs = started + (n * 1_000) / EVENTS_PER_SECOND - performance.now()
      if (dueMs > 0) await setTimeout(dueMs)
      // Every tenth event is for the first ten endpoints: those that hang have much to hang on.
      const to = n % 10 === 0 ? (n / 10) % HANGING : HANGING + ((n * 7) % (ENDPOINTS - HANGING))
      sending.push(announce(pool, { to: to + 1, n }, committed))
    }
    await Promise.all(sending)
    await setTimeout(1_000)
  } finally {
    await close()
  }
  return committed
}

function timesOf(
  committed: ReadonlyMap<string, number>,
  arrived: ReadonlyMap<string, number>,
): Times {
  const waits = [...committed].map(([id, at]) => Math.max(0, (arrived.get(id) ?? Infinity) - at))
  return { p50: roundMs(percentile(waits, 50)), p99: roundMs(percentile(waits, 99)) }
}

async function announce(
  pool: Pool,
  { to, n }: { to: number; n: number },
  committed: Map<string, number>,
): Promise<void> {
  const event = { org: ORG, id: `evt_${n}`, type: `to.${to}`, data: { n } }
  const [id] = await transaction(pool, (tx) => enqueueEvent(tx, event))
  // Only what goes to healthy endpoints is measured, in both runs the same events.
  if (id !== undefined && to > HANGING)
    committed.set(id, performance.timeOrigin + performance.now())
}

/** The middle of the rounds' own ratios: both sides of each were measured on the same machine. */
function medianOf(ones: readonly number[], others: readonly number[]): number {
  return median(ones.map((one, i) => one / (others[i] ?? Number.NaN)))
}

function p99Of({ p99 }: Times): number {
  return p99
}

function medians(runs: readonly Times[]): Times {
  return { p50: median(runs.map(({ p50 }) => p50)), p99: median(runs.map(({ p99 }) => p99)) }
}

function roundMs(ms: number): number {
  return Number(ms.toFixed(1))
}
