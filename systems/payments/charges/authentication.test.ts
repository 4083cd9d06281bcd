import { silentLog, uuid } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { createGateway, type Gateway } from '@posthorn/gateway'
import { createSealing } from '@posthorn/system'
import { afterAll, describe, expect, test } from 'vitest'
import { followUpOnce, paymentsDatabase, runPayments } from '../testing/running.ts'
import { followUps } from './follow-up/follow-up.ts'
import { sealActions } from './next-action.ts'
import { paymentKeys } from './work.ts'

const POLL = { timeout: 10_000 }
const CARD = 'pm_card_authenticationRequired'

/** The two gateways, and how their customer answers the bank. */
const GATEWAYS = {
  posthorn: {
    simulator: 'gateway',
    env: {},
    action: { type: 'redirect', url: expect.stringContaining('/sim/gateway/authenticate/ch_') },
    answer: (url: string, ref: string, outcome: string) =>
      fetch(`${url}/sim/gateway/authenticate/${ref}?outcome=${outcome}`),
    tryAgain: (url: string, ref: string) =>
      fetch(`${url}/sim/gateway/authenticate/${ref}?outcome=succeeds`),
  },
  stripe: {
    simulator: 'stripe',
    env: { GATEWAY: 'stripe', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789012345678901234' },
    action: { type: 'sdk', clientSecret: expect.stringMatching(/^pi_\w+_secret_/) },
    answer: (url: string, ref: string, outcome: string) =>
      fetch(`${url}/sim/stripe/authenticate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ paymentIntent: ref, outcome }),
      }),
    // As Stripe's library does with another card.
    tryAgain: (url: string, ref: string) =>
      fetch(`${url}/sim/stripe/v1/payment_intents/${ref}/confirm`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: 'Bearer sk_test_x',
        },
        body: 'payment_method=pm_card_visa',
      }),
  },
} as const

/** Everything that the process writes while these tests run. */
const written: string[] = []
const writes = [process.stdout, process.stderr].map((stream) => {
  const write = stream.write.bind(stream)
  stream.write = ((...args: Parameters<typeof write>) => {
    written.push(String(args[0]))
    return write(...args)
  }) as typeof stream.write
  return () => (stream.write = write)
})
afterAll(() => writes.forEach((restore) => restore()))

describe.each(['posthorn', 'stripe'] as const)('a customer of %s', async (name) => {
  const { simulator, env, action, answer, tryAgain } = GATEWAYS[name]
  const db = await paymentsDatabase()
  await useMovableClock(db.pool)
  const running = await runPayments(db, { env, by: 'hand' })
  const ada = await running.as({})
  const order = { amount: 1_000, currency: 'EUR', paymentMethod: CARD }
  const status = async (id: string) => (await ada.payment(id))['status']
  const authenticate = async (id: string, outcome: 'succeeds' | 'fails') => {
    const { gatewayRef } = await ada.payment(id)
    expect((await answer(running.url, String(gatewayRef), outcome)).ok).toBe(true)
  }
  const settings = {
    ...{ GATEWAY: name, STRIPE_API_URL: 'simulated', STRIPE_API_KEY: 'sk_test_x' },
    ...{ GATEWAY_URL: 'simulated', GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 5_000 },
  }
  const sealing = createSealing(['k'.repeat(32)])
  const gateway = sealActions(createGateway({ settings, baseUrl: () => running.url }), sealing)
  const keys = paymentKeys({ expires: '24h', lockMs: 60_000, gatewayTimeoutMs: 1_500 })
  const look = (asked: Gateway = gateway) =>
    followUpOnce(db.pool, followUps({ pool: db.pool, keys, gateway: asked, log: silentLog }))

  test('is told what to do, and every repeat says the same', async () => {
    const first = await ada.pay('one', order)
    expect(first).toMatchObject({ status: 201, body: { status: 'pending', nextAction: action } })
    const again = await ada.pay('one', order)
    expect(again).toMatchObject({ status: 200, text: first.text })
    const id = String(first.body['id'])
    expect(await ada.payment(id)).toMatchObject({
      ...{ status: 'pending', nextAction: first.body['nextAction'], paymentMethod: CARD },
    })
    const [listed] = (await ada.send('/api/v1/payments')).body['items']
    expect(listed['nextAction']).toEqual({ type: action.type })
    await authenticate(id, 'succeeds')
    await expect.poll(() => status(id), POLL).toBe('succeeded')
    expect(await ada.payment(id)).toMatchObject({ nextAction: null })
    expect((await ada.pay('one', order)).text).toBe(first.text)
    const { body } = await ada.send(`/api/v1/payments/${id}/transactions`)
    expect(body['items']).toMatchObject([{ type: 'charge', status: 'succeeded' }])
  })

  test('authenticates with what no table and no log can be read for', async () => {
    const { body } = await ada.pay(uuid(), order)
    const { url, clientSecret } = body['nextAction'] as { url?: string; clientSecret?: string }
    const secret = String(url ?? clientSecret)
    const id = String(body['id'])
    await isNowhere(secret)
    // The events of Stripe repeat it.
    await authenticate(id, 'succeeds')
    await expect.poll(() => status(id), POLL).toBe('succeeded')
    await isNowhere(secret)
    expect(written.join('')).not.toContain(secret)
  })

  async function isNowhere(secret: string): Promise<void> {
    const { rows: tables } = await db.pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname in ('payments', 'posthorn')`,
    )
    for (const { name: table } of tables) {
      const { rows } = await db.pool.query<{ found: boolean }>(
        `select exists (select from ${table} as t
                         where t::text like '%' || $1 || '%'
                            or t::text like '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%')
                  as found`,
        [secret],
      )
      expect(rows[0]?.found, table).toBe(false)
    }
  }

  test('who does not pass has a payment that failed', async () => {
    const { body } = await ada.pay(uuid(), order)
    const id = String(body['id'])
    await authenticate(id, 'fails')
    await expect.poll(() => status(id), POLL).toBe('failed')
    const refused = await ada.refund(id)
    expect(refused.status).toBe(409)
    // What was given to authenticate with is of no use any more.
    await look()
    const { gatewayRef } = await ada.payment(id)
    expect((await tryAgain(running.url, String(gatewayRef))).ok).toBe(false)
    await hasNoAlert()
    expect(await look()).toBe(0)
  })

  test('who does not pass, and whose webhook is lost, cannot pay at the gateway either', async () => {
    expect((await sendWebhooks(0)).ok).toBe(true)
    const { body } = await ada.pay(uuid(), order)
    const id = String(body['id'])
    await authenticate(id, 'fails')
    await sendWebhooks(1)
    await advanceClock(db.pool, '65m')
    await look()
    const { status: found, gatewayRef } = await ada.payment(id)
    expect(found).toBe('failed')
    expect((await tryAgain(running.url, String(gatewayRef))).ok).toBe(false)
    expect(await look()).toBe(0)
  })

  const sendWebhooks = (copies: number) =>
    fetch(`${running.url}/sim/${simulator}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ copies }),
    })

  async function hasNoAlert(): Promise<void> {
    const { rows } = await db.pool.query('select from posthorn.alert where recovered_at is null')
    expect(rows).toHaveLength(0)
  }

  test('has an hour: after that it is called off, and nothing can be taken', async () => {
    const { body } = await ada.pay(uuid(), order)
    const id = String(body['id'])
    const { gatewayRef } = await ada.payment(id)
    await advanceClock(db.pool, '55m')
    await look()
    expect(await status(id)).toBe('pending')
    await advanceClock(db.pool, '10m')
    await look()
    await expect.poll(() => status(id), POLL).toBe('failed')
    expect((await answer(running.url, String(gatewayRef), 'succeeds')).ok).toBe(false)
    await hasNoAlert()
  })

  test('is called off once, also if the process dies before it is noted', async () => {
    const { body } = await ada.pay(uuid(), order)
    const id = String(body['id'])
    await advanceClock(db.pool, '65m')
    // The gateway has called it off, and no process notes it.
    const dying: Gateway = {
      ...gateway,
      async void(voiding) {
        await gateway.void(voiding)
        throw new Error('the process dies')
      },
    }
    await look(dying)
    await advanceClock(db.pool, '2h')
    await look()
    await expect.poll(() => status(id), POLL).toBe('failed')
  })

  test('of money that is held answers for it alike', async () => {
    const { body } = await ada.pay(uuid(), { ...order, capture: 'manual' })
    const id = String(body['id'])
    expect(body).toMatchObject({ status: 'pending', authorisation: null, nextAction: action })
    expect((await ada.decide(id, 'capture')).status).toBe(409)
    await authenticate(id, 'succeeds')
    const held = async () => (await ada.payment(id))['authorisation']
    await expect.poll(held, POLL).toBe('authorised')
    expect((await ada.decide(id, 'capture')).status).toBe(200)
    await expect.poll(() => status(id), POLL).toBe('succeeded')
  })
})
