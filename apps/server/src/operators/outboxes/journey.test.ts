import { defineOutbox, enqueue, fixed, outboxTableSql, transaction } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { defineSystem } from '@posthorn/system'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { testServer } from '../../testing/test-server.ts'

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

interface Scan {
  id: string
  parcel: string
  status: string
  attempts: number
  due_at: Date
  created_at: Date
  error: string | null
  traceparent: string | null
}

/** An outbox that is kept in a log: nothing is written about what it has sent. */
const scans = defineOutbox<Scan>({
  name: 'test.scans',
  table: 'parcels.scan',
  storage: 'log',
  states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
  columns: {
    dueAt: 'due_at',
    createdAt: 'created_at',
    error: 'error',
    traceparent: 'traceparent',
  },
  counter: { column: 'attempts', bumps: 'on-failure' },
  order: { key: 'parcel', dead: 'block' },
  retry: fixed('1h', { attempts: 1 }),
  destination: { transport: 'topics', topic: 'test.scans' },
  message: ({ id, parcel }) => {
    if (parcel === 'unreadable') throw new Error('no such parcel')
    return { id, type: 'parcel.scanned', key: parcel, payload: {} }
  },
})

const scanTable = `
  create table parcels.scan (
    id uuid primary key,
    parcel text not null,
    status text not null default 'waiting',
    attempts integer not null default 0,
    due_at timestamptz not null default posthorn.now(),
    created_at timestamptz not null default now(),
    error text,
    traceparent text
  );`

const system = defineSystem({
  name: 'parcels',
  settings: Type.Object({}),
  migrations: async () => {
    const sql = [table, outboxTableSql(parcels), scanTable, outboxTableSql(scans)].join('\n')
    return { name: 'parcels', migrations: [{ id: '0001_parcels', sql, checksum: 'test' }] }
  },
  open: () => ({
    outboxes: [parcels, scans],
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

test('messages in a log are listed, counted, searched and followed like any others', async () => {
  const traceId = 'cd'.repeat(16)
  const scan = (parcel: string) =>
    transaction(pool, (tx) =>
      enqueue(tx, scans, { parcel }, { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` }),
    )
  const sent = [await scan('p1'), await scan('p1')].map(({ id }) => id)
  const dead = (await scan('unreadable')).id
  const read = async (path: string) => (await server.call(`/api/v1/${path}`)).body
  const list = async (query: string) => {
    const { items } = await read(`outboxes/test.scans/messages${query}`)
    return (items as { id: string; state: string }[]).map(({ id, state }) => `${state} ${id}`)
  }
  const all = [`dead ${dead}`, ...sent.toReversed().map((id) => `sent ${id}`)]
  await expect.poll(() => list('')).toEqual(all)
  expect(await list('?status=sent')).toEqual(all.slice(1))
  expect(await list('?status=waiting')).toEqual([])
  expect(await read('outboxes/test.scans')).toMatchObject({
    counts: { waiting: 0, sent: 2, dead: 1 },
  })
  expect(await read(`outboxes/test.scans/messages/${sent[0]}`)).toMatchObject({
    id: sent[0],
    state: 'sent',
  })
  const journey = await read(`outboxes/test.scans/messages/${sent[0]}/journey`)
  const steps = journey['steps'] as { kind: string; messageId?: string }[]
  expect(steps.filter(({ kind }) => kind === 'related').map((step) => step.messageId)).toEqual(
    expect.arrayContaining([sent[1], dead]),
  )
  expect(await list(`?id=${sent[0]}`)).toEqual([`sent ${sent[0]}`])
  expect(await list('?key=p1&status=sent')).toEqual(all.slice(1))
})
