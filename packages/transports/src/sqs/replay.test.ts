import { randomUUID } from 'node:crypto'
import {
  confirm,
  createRelay,
  defineOutbox,
  enqueue,
  fixed,
  outboxTableSql,
  refused,
  transaction,
} from '@posthorn/engine'
import { replay } from '@posthorn/operate'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sqsTransport } from './index.ts'

interface Letter {
  id: string
  status: string
  attempts: number
  due_at: Date
  sent_at: Date | null
}

const topic = `replay-${randomUUID()}`
const letters = defineOutbox<Letter>({
  name: 'shop.letters',
  table: 'shop.letters',
  states: { ready: 'ready', sent: 'sent', confirmed: 'read', dead: 'dead' },
  columns: { dueAt: 'due_at', sentAt: 'sent_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  confirm: {},
  retry: fixed('1s', { attempts: 2 }),
  destination: { transport: 'sqs', topic },
  message: ({ id }) => ({ id, type: 'letter', payload: {} }),
})
const { pool } = await testDatabase({
  sql: `
    create schema shop;
    create table shop.letters (
      id uuid primary key,
      status text not null default 'ready',
      attempts integer not null default 0,
      due_at timestamptz not null default posthorn.now(),
      sent_at timestamptz
    );
    ${outboxTableSql(letters)}`,
})

withBroker('SQS_ENDPOINT', (endpoint) => {
  test('a replay goes out within the five minutes in which SQS drops repeats', async () => {
    const credentials = { accessKeyId: 'posthorn', secretAccessKey: 'posthorn-secret' }
    const sqs = sqsTransport({ region: 'us-east-1', endpoint, credentials, deadLetters: pool })
    onTestFinished(() => sqs.close())
    const relay = createRelay({ pool, outboxes: [letters], transports: { sqs } })
    onTestFinished(() => relay.stop())
    const seen: string[] = []
    await sqs.subscribe({ topic, group: 'mail', handle: async (one) => void seen.push(one.id) })

    const { id } = await transaction(pool, (tx) => enqueue(tx, letters, { id: randomUUID() }))
    await relay.runOnce()
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([id])

    const outcome = refused(new Error('the mailbox is full'))
    await transaction(pool, (tx) => confirm(tx, letters, [{ id, outcome }]))
    const asked = { filter: { ids: [id] }, by: 'ada' }
    expect(await transaction(pool, (tx) => replay(tx, letters, asked))).toEqual([id])
    await relay.runOnce()
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([id, id])
  })
})
