import { createRelay } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { openReceiver } from '../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'
import { webhookOutboxes } from '../testing/serving.ts'

const db = await webhookDatabase()
const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '3000' }
// Two servers as two processes would be: transports, lines and connections of their own.
const first = await runWebhooks(db, env)
const second = await runWebhooks(db, env)

let slowMs = 0
const receiver = await openReceiver((response, { path }) => {
  if (path.startsWith('/hang')) return
  setTimeout(() => response.end(), path.startsWith('/slow') ? slowMs : 0)
})

test('two relays at work: each event once, beside endpoints that hang and that are slow', async () => {
  slowMs = 900
  const client = await first.as({ org: 'busy' })
  const hanging = await client.endpoint(`${receiver.url}/hang`)
  await client.endpoint(`${receiver.url}/slow`)
  await Promise.all(Array.from({ length: 8 }, (_, n) => client.endpoint(`${receiver.url}/ok/${n}`)))
  const relays = [first, second].map(({ system }) =>
    createRelay({
      pool: db.pool,
      outboxes: webhookOutboxes(system),
      transports: system.transports ?? {},
    }),
  )
  await Promise.all(relays.map((relay) => relay.start()))
  try {
    const started = Date.now()
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => first.announce({ org: 'busy', id: `busy_${n}` })),
    )
    const states = async () => {
      const { rows } = await db.pool.query<{ kind: string; status: string; n: number }>(
        `select split_part(e.url, '/', 4) as kind, d.status, count(*)::int as n
           from payments.webhook_deliveries d join payments.webhook_endpoints e on e.id = d.endpoint_id
          where d.org_id = 'busy' group by 1, 2 order by 1, 2`,
      )
      return rows
    }
    await expect
      .poll(async () => (await states()).filter(({ kind }) => kind === 'ok'))
      .toEqual([{ kind: 'ok', status: 'delivered', n: 96 }])
    // Long before the first of those that hang had its timeout, even on a busy machine.
    const hungFor = Date.now() - started
    expect(hungFor).toBeLessThan(3_000 + 5_000)
    await expect
      .poll(async () => (await states()).filter(({ kind }) => kind === 'slow'), { timeout: 40_000 })
      .toEqual([{ kind: 'slow', status: 'delivered', n: 12 }])
    const idsAt = (kind: string) =>
      receiver.hooks
        .filter(({ path }) => path.startsWith(kind))
        .map(({ text }) => JSON.parse(text).id)
    // None went out twice, neither to quick endpoints nor to the slow one.
    expect(idsAt('/ok')).toHaveLength(96)
    expect(idsAt('/slow')).toHaveLength(12)
    expect(new Set(idsAt('/slow')).size).toBe(12)
    const { rows: settled } = await db.pool.query(
      `select count(*)::int as attempts, count(distinct a.delivery_id)::int as deliveries
         from payments.webhook_attempts a
         join payments.webhook_deliveries d on d.id = a.delivery_id
        where d.org_id = 'busy' and d.status = 'delivered'`,
    )
    expect(settled).toEqual([{ attempts: 108, deliveries: 108 }])
    expect(
      (await client.send('POST', `/api/v1/webhook-endpoints/${hanging.id}/disable`)).status,
    ).toBe(200)
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()))
  }
})
