import { createRelay, delivered, uuid, type Message, type Transport } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, { parts: ['workers'] })

/** As the publisher leaves a row that it claimed and published before it died. */
const DIED = `
  update evidence.file_outbox_row
     set claim_token = gen_random_uuid(), claimed_until = now() + interval '1 h',
         event_id = gen_random_uuid()
   where file_job_id = $1
  returning id, event_id`

/** As the next publisher frees it, before it claims it alone. */
const FREED = `
  update evidence.file_outbox_row
     set claim_token = null, claimed_until = null, lost_claims = 1
   where file_job_id = $1`

test('an outcome that comes while its row is free is not remembered, so the next one counts', async () => {
  const client = await running.as()
  const id = await client.job(await zipOfCases(['freed']))
  await client.until(id, { totalRows: 1 })
  const consumer = running.system.consumers?.[0]
  if (!consumer) throw new Error('there is no worker')
  const { rows } = await db.pool.query<{ id: string; event_id: string }>(DIED, [id])
  const [row] = rows
  const { signal } = new AbortController()
  const handle = (message: Message) =>
    consumer.handle(message, { ref: { partition: 0, offset: '0' }, signal })

  await running.documents('POST', '/faults', { mode: 'slow', delayMs: 1_000, times: 1 })
  const early = handle(messageOf(id, row))
  const countRequests = async () =>
    ((await running.documents('GET', '/requests'))['items'] as []).length
  await expect.poll(countRequests, { interval: 10 }).toBe(1)
  await db.pool.query(FREED, [id])
  await early
  expect(await client.rows(id)).toMatchObject([{ status: 'PENDING' }])

  const published: Message[] = []
  const kafka: Transport = {
    deliver: async (batch) =>
      batch.map(({ message }) => {
        published.push(message)
        return delivered({ partition: 0, offset: '1' })
      }),
    close: async () => undefined,
  }
  const outboxes = running.system.outboxes.slice(0, 1)
  const relay = createRelay({ pool: db.connect(), outboxes, transports: { kafka }, mode: 'poll' })
  await relay.runOnce()
  await relay.stop()
  expect(published).toMatchObject([{ id: row?.event_id }])
  await Promise.all(published.map(handle))
  await client.until(id, { status: 'COMPLETED', successCount: 1 })
  expect((await running.documents('GET', '/attachments'))['total']).toBe(1)
})

function messageOf(fileJobId: string, row: { id: string; event_id: string } | undefined): Message {
  const { id: rowId = uuid(), event_id: eventId = uuid() } = row ?? {}
  return {
    ...{ id: eventId, type: 'evidence.requested', version: 1, key: 'freed', tenant: 'acme' },
    ...{ occurredAt: new Date(), traceparent: undefined, headers: {} },
    payload: { eventId, fileJobId, rowId, caseId: 'freed', retryCount: 0 },
  }
}
