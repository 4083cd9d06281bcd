import { defineOutbox, enqueue, fixed, outboxTableSql, transaction } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { defineSystem } from '@posthorn/systems'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'

interface Parcel {
  id: string
  status: string
  attempts: number
  due_at: Date
  created_at: Date
  traceparent: string | null
  topic_partition: number | null
  topic_offset: string | null
}

/** An outbox that keeps where its messages are in a topic. */
const parcels = defineOutbox<Parcel>({
  name: 'test.parcels',
  table: 'parcels.parcel',
  states: { ready: 'packed', sent: 'shipped', dead: 'lost' },
  columns: {
    dueAt: 'due_at',
    createdAt: 'created_at',
    traceparent: 'traceparent',
    ref: { partition: 'topic_partition', offset: 'topic_offset' },
  },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: fixed('1s', { attempts: 5 }),
  destination: { transport: 'topics', topic: 'test.parcels' },
  message: ({ id }) => ({ id, type: 'parcel.packed', payload: {} }),
})

const table = `
  create schema parcels;
  create table parcels.parcel (
    id uuid primary key,
    status text not null default 'packed',
    attempts integer not null default 0,
    due_at timestamptz not null default posthorn.now(),
    created_at timestamptz not null default now(),
    traceparent text,
    topic_partition integer,
    topic_offset bigint
  );`

const system = defineSystem({
  name: 'parcels',
  settings: Type.Object({}),
  migrations: async () => {
    const sql = `${table}\n${outboxTableSql(parcels)}`
    return { name: 'parcels', migrations: [{ id: '0001_parcels', sql, checksum: 'test' }] }
  },
  open: () => ({
    outboxes: [parcels],
    consumers: [
      {
        transport: 'topics',
        topic: 'test.parcels',
        group: 'drivers',
        handle: async () => undefined,
      },
    ],
  }),
})

const database = await testDatabase()
const { pool } = database
const server = await testServer(database, { systems: [system] })

test('a journey shows the place in the topic, who has read past it, and what is of its trace', async () => {
  const traceId = 'ab'.repeat(16)
  const pack = (span: string) =>
    transaction(pool, (tx) =>
      enqueue(tx, parcels, {}, { traceparent: `00-${traceId}-${span.repeat(16)}-01` }),
    )
  const [first, second] = [await pack('1'), await pack('2')]
  await transaction(pool, (tx) => enqueue(tx, parcels, {}))
  const read = async () =>
    (await server.call(`/api/v1/outboxes/test.parcels/messages/${first.id}/journey`)).body
  await expect.poll(read).toMatchObject({
    traceId,
    isComplete: true,
    steps: expect.arrayContaining([
      expect.objectContaining({
        kind: 'arrived',
        transport: 'topics',
        topic: 'test.parcels',
        at: expect.any(String),
        ref: { partition: expect.stringMatching(/^\d+$/), offset: expect.stringMatching(/^\d+$/) },
        groups: [{ group: 'drivers', hasPassed: true }],
      }),
    ]),
  })
  const steps = (await read())['steps'] as Record<string, unknown>[]
  expect(steps.filter(({ kind }) => kind === 'related')).toMatchObject([
    { outbox: 'test.parcels', messageId: second.id },
  ])
  const kinds = steps.map(({ kind }) => kind).filter((kind) => kind !== 'related')
  expect(kinds).toEqual(['created', 'transition', 'arrived'])
})
