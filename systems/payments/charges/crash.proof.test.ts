import { silentLog } from '@posthorn/engine'
import { killPoints } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { createGateway } from '@posthorn/gateway'
import { paymentKeys } from './work.ts'
import { startChild, type Child } from '../testing/child.ts'
import {
  clientOf,
  followUpOnce,
  paymentsDatabase,
  runPayments,
  type Answer,
} from '../testing/running.ts'
import { followUps } from './follow-up/follow-up.ts'

/*
 * Each test starts a server in a process of its own, sends it a payment, kills it with SIGKILL at
 * one point, and lets another server go on: by the client's next request, or by the completer.
 */

const db = await paymentsDatabase()
// The tests say themselves when its completer looks.
const survivor = await runPayments(db, { by: 'hand' })
const ada = await survivor.as({})
const gatewayUrl = `${survivor.url}/sim/gateway`
const CHILD = { GATEWAY_URL: gatewayUrl, GATEWAY_TIMEOUT_MS: '20000' }

const ORDER = { amount: 1_000, currency: 'EUR' }
const { pool } = db

interface Crash {
  readonly child: Child
  readonly key: string
  /** Sends the payment to the child; settles when that is dead. */
  readonly sent: Promise<Answer | undefined>
}

async function begin(key: string, fault: object = { mode: 'ok' }): Promise<Crash> {
  await fetch(gatewayUrl, { method: 'DELETE' })
  await survivor.gateway('faults', fault)
  const child = await startChild(db.url, CHILD)
  const client = await clientOf(child.url)
  const sent = client.pay(key, ORDER).catch(() => undefined)
  return { child, key, sent }
}

/** Runs `crash` while a table is locked against writes. */
async function whileLocked(table: string, crash: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`begin; lock table ${table} in share mode`)
    await crash()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Requests that wait to store what was begun or answered; the gateway's webhooks may wait, too. */
const waiters = () =>
  pool
    .query(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query ~ 'with (key|payment|decision) as'`,
    )
    .then(({ rows }) => (rows[0] as { count: number }).count)

async function gatewayRequests(outcome: string): Promise<number> {
  const response = await fetch(`${gatewayUrl}/requests?outcome=${outcome}`)
  return ((await response.json()) as { items: unknown[] }).items.length
}

async function readStored(key: string) {
  const { rows } = await pool.query<{ done: boolean; payments: number; transactions: number }>(
    `select completed_at is not null as done,
            (select count(*)::int from payments.payments p
               join payments.transactions t on t.payment_id = p.id
              where t.id = (state->>'transactionId')::uuid) as payments,
            (select count(*)::int from payments.transactions
              where id = (state->>'transactionId')::uuid) as transactions
       from payments.idempotency_keys where key = $1`,
    [key],
  )
  return rows[0]
}

/** As if the lock's time had passed. */
async function expireLock(key: string): Promise<void> {
  const { rowCount } = await pool.query(
    `with key as (
       update payments.idempotency_keys set locked_until = clock_timestamp() - interval '1 ms'
        where key = $1 and completed_at is null
       returning state ->> 'transactionId' as id
     )
     update payments.transactions as t
        set lookup_at = posthorn.now()
       from key
      where t.id = key.id::uuid`,
    [key],
  )
  expect(rowCount).toBe(1)
}

const handlers = followUps({
  pool,
  log: silentLog,
  keys: paymentKeys({ expires: '24h', lockMs: 60_000, gatewayTimeoutMs: 1_000 }),
  gateway: createGateway({
    settings: { GATEWAY_URL: gatewayUrl, GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 1_000 },
    baseUrl: () => survivor.url,
  }),
})
const complete = () => followUpOnce(pool, handlers)

async function expectOneCharge(id: unknown): Promise<void> {
  const { charges } = await survivor.ledger()
  expect(charges.filter(({ reference }) => reference === id)).toHaveLength(1)
  await expect.poll(async () => (await ada.payment(id))['status']).toBe('succeeded')
}

async function killOnceAsked({ child }: Crash, before = 0): Promise<void> {
  await expect.poll(() => gatewayRequests('timeout')).toBe(before + 1)
  await child.kill()
}

async function killAtCommit({ child, key }: Crash): Promise<void> {
  await expect.poll(() => readStored(key), { interval: 10 }).toMatchObject({ payments: 1 })
  await whileLocked('payments.transactions', async () => {
    await expect.poll(waiters).toBe(1)
    await child.kill()
  })
}

/** Where the process dies, by what holds it there. */
const POINTS = [
  {
    point: 'after the first commit, before the gateway did anything',
    fault: { mode: 'timeout', times: 1 },
    crash: killOnceAsked,
  },
  {
    point: 'after the charge, before its answer',
    fault: { mode: 'timeout', times: 1, effect: true },
    crash: killOnceAsked,
  },
  {
    point: 'after the answer, before its commit',
    fault: { mode: 'slow', delayMs: 2_000, times: 1 },
    crash: killAtCommit,
  },
]

const cases = POINTS.flatMap((each) =>
  ['the next request', 'the completer'].map((by) => ({ ...each, by })),
)

test.each(cases)('killed $point, $by finishes it', async ({ point, fault, crash, by }) => {
  const key = `${point} ${by}`
  const begun = await begin(key, fault)
  await crash(begun)
  expect(await begun.sent).toBeUndefined()
  expect(await readStored(key)).toMatchObject({ done: false, payments: 1, transactions: 1 })

  const early = await ada.pay(key, ORDER)
  expect(early).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_IN_FLIGHT' } })
  expect(early.headers.get('retry-after')).toBe('1')

  await expireLock(key)
  if (by === 'the completer') expect(await complete()).toBe(1)
  const first = await ada.pay(key, ORDER)
  expect(first.status).toBe(by === 'the completer' ? 200 : 201)
  const again = await ada.pay(key, ORDER)
  expect(again).toMatchObject({ status: 200, text: first.text })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  await expectOneCharge(first.body['id'])
})

test('killed before the first commit, nothing is left and the key is new', async () => {
  const key = 'before the first commit'
  await whileLocked('payments.transactions', async () => {
    const { child, sent } = await begin(key)
    await expect.poll(waiters).toBe(1)
    await child.kill()
    expect(await sent).toBeUndefined()
  })
  const first = await ada.pay(key, ORDER)
  expect(first.status).toBe(201)
  const { rows } = await pool.query(
    "select count(*)::int from payments.audit_log where action = 'payment.created' and entity_id = $1",
    [first.body['id']],
  )
  expect(rows).toEqual([{ count: 1 }])
  await expectOneCharge(first.body['id'])
})

test('killed after the last commit, the next request is a repeat', async () => {
  const key = 'after the last commit'
  const { child } = await begin(key)
  await expect.poll(() => readStored(key), { interval: 5 }).toMatchObject({ done: true })
  await child.kill()
  const answer = await ada.pay(key, ORDER)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('idempotent-replayed')).toBe('true')
  await expectOneCharge(answer.body['id'])
})

test('a process that stood still while another finished changes nothing', async () => {
  const key = 'stood still'
  const crash = await begin(key, { mode: 'slow', delayMs: 3_000, times: 1, effect: true })
  await expect.poll(() => gatewayRequests('pending'), { interval: 5 }).toBe(1)
  crash.child.suspend()
  await expireLock(key)
  const first = await ada.pay(key, ORDER)
  expect(first.status).toBe(201)
  crash.child.resume()
  const late = await crash.sent
  expect(late).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_IN_FLIGHT' } })
  expect((await ada.pay(key, ORDER)).text).toBe(first.text)
  expect(await ada.actions(first.body['id'])).toEqual(
    expect.arrayContaining(['payment.created', 'payment.charged']),
  )
  await expectOneCharge(first.body['id'])
})

/** Where the process dies during a capture or a void, by what holds it there. */
const HELD_POINTS = POINTS.flatMap((each) =>
  (['capture', 'void'] as const).map((verb, n) => ({
    ...each,
    verb,
    // Each point by one, each verb by both.
    by: (POINTS.indexOf(each) + n) % 2 === 0 ? 'the next request' : 'the completer',
  })),
)

const heldPoints = killPoints(HELD_POINTS, {
  named: ({ verb, point }) => `${verb} ${point}`,
  short: [
    'void after the first commit, before the gateway did anything',
    'capture after the charge, before its answer',
    'capture after the answer, before its commit',
  ],
})

test.each(heldPoints)('a $verb killed $point is finished once by $by', async (held) => {
  const { point, fault, crash, verb, by } = held
  const key = `${verb} ${point}`
  const { body } = await ada.pay(`held for ${key}`, { ...ORDER, capture: 'manual' })
  const id = String(body['id'])
  await survivor.gateway('faults', fault)
  const child = await startChild(db.url, CHILD)
  const client = await clientOf(child.url)
  const order = verb === 'capture' ? { key, amount: 600 } : { key }
  const before = await gatewayRequests('timeout')
  const sent = client.decide(id, verb, order).catch(() => undefined)
  await crash({ child, key, sent }, before)
  expect(await sent).toBeUndefined()
  expect(await ada.payment(id)).toMatchObject({ status: 'pending', authorisation: 'authorised' })
  expect((await ada.decide(id, verb === 'capture' ? 'void' : 'capture')).status).toBe(409)

  await expireLock(key)
  if (by === 'the completer') expect(await complete()).toBe(1)
  const first = await ada.decide(id, verb, order)
  expect(first.status).toBe(200)
  expect((await ada.decide(id, verb, order)).text).toBe(first.text)
  const { charges } = await survivor.ledger()
  const ended = verb === 'capture' ? ['succeeded', 600] : ['voided', 0]
  const mine = charges.filter(({ reference }) => reference === id)
  expect(mine.map((charge) => [charge.status, charge.capturedAmount])).toEqual([ended])
  const status = verb === 'capture' ? 'succeeded' : 'failed'
  await expect.poll(async () => (await ada.payment(id))['status']).toBe(status)
})
