import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Request } from '../../../proof/kit/stand/client.ts'
import { pace } from '../../../proof/kit/stand/load.ts'
import type { SystemProof } from '../../../proof/kit/stand/system-proof.ts'
import { merchant } from '../simulators/index.ts'
import { seenWebhook, webhookLines, paymentLines } from './ledger.ts'
import { countOpenDeliveries, selectPaymentSums } from './queries.ts'

const PER_SECOND = 3
const DECLINED = 0.08
const ASKED_TWICE = 0.15
const REFUNDED = 0.15
const HOOKS = [
  { path: 'all', eventTypes: ['*'], ordered: false },
  { path: 'ordered', eventTypes: ['payment.*'], ordered: true },
]

/** Payments, some asked for twice at once, some refunded, announced to two endpoints. */
export const proof: SystemProof = {
  name: 'payments',
  closed: ['payments.gateway'],
  simulators: () => [merchant()],
  env: ({ gatewaySecret, isImpatient }) => ({
    PAYMENTS_WEBHOOK_SECRET: gatewaySecret,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    ...(isImpatient && {
      ...{ PAYMENTS_LOCK_MS: '5000', WEBHOOK_TIMEOUT_MS: '2000', WEBHOOK_DISABLE_AFTER_DAYS: '0' },
    }),
  }),
  witnessing: { simulator: 'merchant', note: seenWebhook },
  tables: ['payments.payments'],
  async rest(db) {
    const { pending, openKeys } = await selectPaymentSums(db)
    return { 'payments pending': pending, 'keys of payments': openKeys }
  },
  inFlight: async (db) => ({ webhooks: await countOpenDeliveries(db) }),
  lines: async (books) => [...(await paymentLines(books)), ...(await webhookLines(books))],
  async prepare({ client, world }) {
    for (const { path, eventTypes, ordered } of HOOKS) {
      const url = `${world.url}/sim/merchant/hooks/${path}`
      const { status, body } = await client.ask({
        ...{ method: 'POST', path: '/api/v1/webhook-endpoints', key: `endpoint-${path}` },
        json: { url, eventTypes, ordered },
      })
      if (status !== 201) throw new Error(`no endpoint: ${status} ${JSON.stringify(body)}`)
      await world.control('POST', '/merchant/secrets', { secrets: [body['secret']] })
    }
  },
  run: ({ client, random, rate, over }) =>
    pace(PER_SECOND * rate, over, async (i) => {
      const whole = 10 + random.below(900)
      const amount = whole * 100 + (random.fraction() < DECLINED ? 2 : 99)
      const [isTwice, isRefunded] = [random.fraction() < ASKED_TWICE, random.fraction() < REFUNDED]
      const asking: Request = {
        ...{ method: 'POST', path: '/api/v1/payments', key: `payment-${i}` },
        json: { amount, currency: 'EUR', externalPaymentId: `chaos-${i}` },
      }
      const [{ body }] = await Promise.all([
        client.ask(asking),
        ...(isTwice ? [client.ask(asking)] : []),
      ])
      if (isRefunded && typeof body['id'] === 'string') await refund(client, body['id'], i)
    }),
}

/** As often as a payment may be asked about before its success is known. */
const MOST_TRIES = 30

async function refund(client: Client, payment: string, i: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { body } = await client.ask({
      ...{ method: 'POST', path: `/api/v1/payments/${payment}/refunds` },
      ...{ key: `refund-${i}`, json: {} },
    })
    if (body['code'] !== 'PAYMENT_NOT_SUCCEEDED') return
    await sleep(1_000)
  }
}
