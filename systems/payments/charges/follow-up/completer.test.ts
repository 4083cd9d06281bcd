import { posthorn, silentLog } from '@posthorn/engine'
import { applyRetention, listAlerts } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { createGateway } from '@posthorn/gateway'
import { followUpOnce, paymentsDatabase, runPayments } from '../../testing/running.ts'
import { paymentKeys } from '../work.ts'
import { followUps } from './follow-up.ts'

const db = await paymentsDatabase()
const running = await runPayments(db, { by: 'hand' })
const ada = await running.as({})

const handlers = followUps({
  pool: db.pool,
  log: silentLog,
  keys: paymentKeys({ expires: '24h', lockMs: 60_000, gatewayTimeoutMs: 1_000 }),
  gateway: createGateway({
    settings: { GATEWAY_URL: 'simulated', GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 1_000 },
    baseUrl: () => running.url,
  }),
})
const look = () => followUpOnce(db.pool, handlers)

/** A payment whose charge was made and not answered, with its lock run out. */
async function leaveOpen(key: string, { tries = 1 } = {}): Promise<string> {
  await running.gateway('faults', { mode: 'drop', times: 1, effect: true })
  const { status, body } = await ada.pay(key)
  expect(status).toBe(422)
  await db.pool.query(
    `with key as (
       update payments.idempotency_keys
          set locked_until = clock_timestamp() - interval '1 ms',
              state = jsonb_set(state, '{tries}', to_jsonb($2::int))
        where key = $1
       returning state ->> 'transactionId' as id
     )
     update payments.transactions as t
        set lookup_at = posthorn.now()
       from key
      where t.id = key.id::uuid`,
    [key, tries],
  )
  return String(body['paymentId'])
}

const alertsOf = async (subject: string) =>
  (await listAlerts(db.pool, { source: 'payments.completer' })).items.filter(
    (alert) => alert.subject === subject,
  )

test('of many completers at once, one finishes a payment', async () => {
  const id = await leaveOpen('many completers')
  const taken = await Promise.all(Array.from({ length: 8 }, () => look()))
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect((await ada.actions(id)).filter((action) => action === 'payment.charged')).toHaveLength(1)
})

test('a gateway that says nothing for long is alerted, once, and recovers', async () => {
  const id = await leaveOpen('long silence', { tries: 6 })
  await running.gateway('faults', { mode: 'error', status: 503 })
  expect(await look()).toBe(1)
  expect(await alertsOf(id)).toMatchObject([
    { code: 'PAYMENT_UNRESOLVED', state: 'open', tenant: 'acme' },
  ])
  // Held back for a minute: no completer takes it before.
  expect(await look()).toBe(0)
  expect((await ada.pay('long silence')).status).toBe(409)
  await running.gateway('faults', { mode: 'ok' })
  await db.pool.query(
    `with key as (update payments.idempotency_keys set locked_until = now() where key = 'long silence')
     update payments.transactions set lookup_at = posthorn.now() where payment_id = $1`,
    [id],
  )
  expect(await look()).toBe(1)
  expect(await alertsOf(id)).toMatchObject([{ state: 'recovered' }])
  expect((await ada.pay('long silence')).status).toBe(200)
})

test('retention forgets expired keys', async () => {
  await ada.pay('long ago')
  await db.pool.query(
    "update payments.idempotency_keys set expires_at = posthorn.now() where key = 'long ago'",
  )
  const { classes = [] } = running.system.retention ?? {}
  const keys = classes.filter(({ name }) => name === 'payments.idempotency-keys')
  expect((await applyRetention(db.pool, { classes: keys })).removed).toMatchObject({
    'payments.idempotency-keys': 1,
  })
  const { rows } = await db.pool.query(
    "select from payments.idempotency_keys where key = 'long ago'",
  )
  expect(rows).toEqual([])
})

test('a relay that runs completes a payment when its lock has run out, and wakes for it', async () => {
  const app = posthorn({ pool: db.pool, handlers, log: silentLog })
  await app.start()
  await running.gateway('faults', { mode: 'drop', times: 1, effect: true })
  const { status, body } = await ada.pay('while it runs')
  expect(status).toBe(422)
  // Two seconds after the answer that said nothing; its slow poll comes after thirty.
  await expect
    .poll(() => ada.actions(body['paymentId']), { timeout: 10_000 })
    .toEqual(expect.arrayContaining(['payment.charged']))
  await app.stop()
})
