import { afterEach, expect, test } from 'vitest'
import { enqueue, enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { defineOutbox } from '../outbox/define.ts'
import { delivered, retryLater } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import type { Transport } from '../outbox/transport.ts'
import { testDatabase } from '../testing/index.ts'
import { createRelay, type Relay } from './relay.ts'

/* Retries of an ordered outbox wait beside its flow, and must not wait for the flow's end. */

interface Event {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
}

const outbox = defineOutbox<Event>({
  name: 'flow.events',
  table: 'flow.events',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, atOnce: 10, every: '60s', lease: '60s' },
  order: { key: 'key', dead: 'block' },
  retry: fixed('100ms', { attempts: 5 }),
  destination: { transport: 'slow', topic: 't' },
  message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: {} }),
})

const db = await testDatabase({
  sql: `create schema flow;
    create table flow.events (id uuid primary key, key text not null,
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(outbox)}`,
})

const started: Relay[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
  await db.pool.query('truncate flow.events; delete from posthorn.held_key')
})

const asleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Takes a few milliseconds a batch, and fails `weak` the first time. */
function slowTransport() {
  const arrived: string[] = []
  let hasFailed = false
  const transport: Transport = {
    async deliver(batch) {
      await asleep(5)
      return batch.map(({ message: { key = '' } }) => {
        if (key === 'weak' && !hasFailed) {
          hasFailed = true
          return retryLater('not yet')
        }
        arrived.push(key)
        return delivered()
      })
    },
    async close() {},
  }
  return { transport, arrived }
}

async function start(transport: Transport): Promise<void> {
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports: { slow: transport } })
  started.push(relay)
  await relay.start()
}

test('what is due again goes out in the middle of a backlog', async () => {
  const others = Array.from({ length: 2_000 }, (_, n) => ({ key: `key-${n % 50}` }))
  await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [{ key: 'weak' }, ...others]))
  const { transport, arrived } = slowTransport()
  await start(transport)
  await expect.poll(() => arrived.length, { timeout: 60_000 }).toBe(2_001)
  expect(arrived.indexOf('weak')).toBeLessThan(1_500)
})

test('what is due again goes out while messages come without a pause', async () => {
  const { transport, arrived } = slowTransport()
  await start(transport)
  const put = (key: string) => transaction(db.pool, (tx) => enqueue(tx, outbox, { key }))
  await put('weak')
  let sent = 0
  for (; sent < 4_000 && !arrived.includes('weak'); sent += 1) await put(`key-${sent % 50}`)
  expect(arrived).toContain('weak')
  expect(sent).toBeLessThan(4_000)
  await expect.poll(() => arrived.length, { timeout: 60_000 }).toBe(sent + 1)
})
