import { uuid } from '@posthorn/engine'
import { outboxConformance, printStatements } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { alertNotices } from './notices/notice-writer.ts'
import { webhookDeliveries } from './outbox.ts'
import { webhookDatabase } from '../testing/running-webhooks.ts'

// The suite empties the outbox's table between its tests, which a reference to it would forbid.
const db = await webhookDatabase(`
  alter table payments.webhook_attempts drop constraint webhook_attempts_delivery_id_fkey`)

const endpointId = uuid()
beforeAll(async () => {
  await db.pool.query(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     values ($1, 'acme', 'https://merchant.example/hooks', '{*}')`,
    [endpointId],
  )
})

outboxConformance(webhookDeliveries, {
  pool: () => db.pool,
  transports: ['webhooks'],
  sample: (n) => ({
    org_id: 'acme',
    endpoint_id: endpointId,
    event_id: `evt_${n}_${uuid()}`,
    event_type: 'payment.succeeded',
    payload: { id: `evt_${n}`, type: 'payment.succeeded', createdAt: '', data: { n } },
  }),
})

outboxConformance(alertNotices, {
  pool: () => db.pool,
  transports: ['alert-notices'],
  sample: (n) => ({
    alert_id: String(n),
    kind: 'raised' as const,
    source: 'payments.webhook-deliveries',
    subject: uuid(),
    hour: new Date(0),
    payload: { n },
  }),
})

test('the statements stand whole in statements/', async () => {
  const file = '../statements/webhook-deliveries.sql'
  await expect(printStatements(webhookDeliveries)).toMatchFileSnapshot(file)
})
