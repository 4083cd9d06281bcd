import { outboxConformance, testDatabase } from '../testing/index.ts'
import {
  evidenceRows,
  familyEvents,
  outboundMessages,
  outboxTables,
  sagaEvents,
  webhookDeliveries,
} from '../testing/outboxes.ts'
import { uuid } from '../uuid.ts'

const db = await testDatabase({ sql: outboxTables })
const pool = () => db.pool
const transports = ['topics']
const job = uuid()
const family = uuid()

outboxConformance(evidenceRows, {
  pool,
  transports,
  sample: (n) => ({ file_job_id: job, case_id: `case-${n}` }),
})
outboxConformance(sagaEvents, {
  pool,
  transports,
  sample: (n) => ({ topic: 'orders', event_type: 'order.placed', payload: { n } }),
})
outboxConformance(outboundMessages, {
  pool,
  transports,
  sample: (n) => ({
    org_id: 'acme',
    idempotency_key: `${n}-${uuid()}`,
    channel: 'whatsapp',
    to_recipient: '+16505551234',
    payload_json: { n },
  }),
})
outboxConformance(webhookDeliveries, {
  pool,
  transports,
  sample: (n) => ({ endpoint_id: `e${n % 3}`, payload: { n } }),
})
outboxConformance(familyEvents, {
  pool,
  transports,
  sample: (n) => ({
    event_type: 'FamilyHub.Families.FamilyCreatedEvent',
    aggregate_type: 'Family',
    aggregate_id: family,
    payload: { n },
  }),
})
