import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as v from 'valibot'
import { silentLog } from '../log.ts'
import { testDatabase } from '../testing/index.ts'
import { defineOutbox, type Draft } from './define-outbox.ts'
import type { Payloads } from './payload-schema.ts'
import { posthorn } from './posthorn.ts'
import { outbox, type StandardRow } from './standard-outbox.ts'

/*
 * What `source()` prints, pasted. The compiler checks it with the rest of the sources; here it is compared with
 * what is printed, and run.
 */

// oxlint-disable-next-line typescript/consistent-type-definitions -- as the guide has it
type Events = {
  'order.placed': { order: number }
  'order.paid': { order: number; receipt: string }
}

const short = outbox<Events>('shop.outbox', {
  order: 'payload.order',
  attempts: 3,
  audit: {
    async settled() {},
  },
})

const pasted = defineOutbox<StandardRow, Draft<Events>, Events>({
  audit: {
    async settled() {},
  },
  name: 'shop.outbox',
  table: 'shop.outbox',
  states: {
    ready: 'pending',
    sent: 'sent',
    dead: 'dead',
    cancelled: 'cancelled',
  },
  columns: {
    type: 'type',
    tenant: 'tenant',
    dueAt: 'due_at',
    createdAt: 'created_at',
    finishedAt: 'finished_at',
    error: 'error',
    errorCode: 'error_code',
    traceparent: 'traceparent',
    dedupe: ['dedupe'],
  },
  counter: {
    column: 'attempts',
    bumps: 'on-failure',
  },
  retry: {
    delaysMs: [2000, 4000],
    jitter: 0,
    attempts: 3,
  },
  order: {
    key: 'key',
    dead: 'block',
  },
  retention: {
    after: '30d',
    archive: '0d',
  },
  destination: {
    transport: 'handlers',
    topic: 'shop.outbox',
  },
  message: ({ id, type, payload, key, tenant, headers, created_at: occurredAt }) => ({
    id,
    type,
    payload,
    key: key ?? undefined,
    tenant: tenant ?? undefined,
    headers: headers ?? {},
    occurredAt,
  }),
  drafts: {
    key: 'payload.order',
    row: ({ type, payload, key, tenant, headers, dedupe }) => ({
      type,
      payload,
      key,
      tenant,
      headers,
      dedupe,
    }),
  },
})
const schemas = { placed: v.object({ order: v.pipe(v.number(), v.integer()) }) }
const checked = outbox('shop.checked', { schemas, priority: true })

const pastedChecked = defineOutbox<
  StandardRow,
  Draft<Payloads<typeof schemas>>,
  Payloads<typeof schemas>
>({
  name: 'shop.checked',
  table: 'shop.checked',
  states: {
    ready: 'pending',
    sent: 'sent',
    dead: 'dead',
    cancelled: 'cancelled',
  },
  columns: {
    type: 'type',
    tenant: 'tenant',
    dueAt: 'due_at',
    createdAt: 'created_at',
    finishedAt: 'finished_at',
    error: 'error',
    errorCode: 'error_code',
    traceparent: 'traceparent',
    dedupe: ['dedupe'],
    priority: 'priority',
  },
  counter: {
    column: 'attempts',
    bumps: 'on-failure',
  },
  retry: {
    delaysMs: [2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 512000],
    jitter: 0,
    attempts: 10,
  },
  retention: {
    after: '30d',
    archive: '0d',
  },
  destination: {
    transport: 'handlers',
    topic: 'shop.checked',
  },
  message: ({ id, type, payload, key, tenant, headers, created_at: occurredAt }) => ({
    id,
    type,
    payload,
    key: key ?? undefined,
    tenant: tenant ?? undefined,
    headers: headers ?? {},
    occurredAt,
  }),
  drafts: {
    row: ({ type, payload, key, tenant, headers, dedupe, priority }) => ({
      type,
      payload,
      key,
      tenant,
      headers,
      dedupe,
      priority,
    }),
    schemas,
  },
})
const { pool } = await testDatabase()
const seen: unknown[] = []
const handlers = [
  pasted.handle({
    'order.placed': async ({ payload }) => seen.push(payload.order satisfies number),
    'order.paid': async ({ payload }) => seen.push(payload.receipt satisfies string),
  }),
  pastedChecked.handle({ placed: async ({ payload }) => seen.push(payload.order) }),
]
const app = posthorn({ pool, handlers, log: silentLog })

beforeAll(async () => {
  await posthorn({ pool, handlers: [short.handle({}), checked.handle({})] }).setUp()
})
afterAll(() => app.stop())

test.each([short, checked])('the pasted definition of $name is the printed one', (box) => {
  const here = readFileSync(new URL(import.meta.url), 'utf8')
  const printed = box.source().replace(/^[^]*?\n(?=defineOutbox)/, '')
  // Formatting breaks lines, and adds commas to them.
  const bare = (text: string) => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)}\]>])/g, '')
  expect(bare(here)).toContain(bare(printed))
  expect(box.source()).toContain(`create table if not exists ${box.table}`)
})

test('the pasted outbox is the same', () => {
  const plain = (box: object) => JSON.stringify({ ...box, bell: undefined })
  expect(plain(pasted)).toBe(plain(short))
  expect(plain(pastedChecked)).toBe(plain(checked))
})

test('the pasted outbox is written to and handled as before', async () => {
  await app.transaction(async (tx) => {
    await pasted.enqueue(tx, 'order.placed', { order: 7 })
    await pasted.enqueueAll(tx, [{ type: 'order.paid', payload: { order: 7, receipt: 'r' } }])
    await pastedChecked.enqueue(tx, 'placed', { order: 8 }, { priority: 1, dedupe: 'once' })
  })
  while ((await app.runOnce()) > 0);
  expect(seen).toHaveLength(3)
  expect(seen).toEqual(expect.arrayContaining([7, 8, 'r']))
  const { rows } = await pool.query('select key from shop.outbox order by seq')
  expect(rows).toEqual([{ key: '7' }, { key: '7' }])
})

test('the pasted outbox refuses what the short form refuses', async () => {
  type Work = Parameters<typeof app.transaction>[0]
  const refused: [Work, string][] = [
    [
      // @ts-expect-error -- no such type
      (tx) => pasted.enqueue(tx, 'order.gone', { order: 7 }, { key: '7' }),
      'must be left out: the order is by payload.order',
    ],
    // @ts-expect-error -- another payload
    [(tx) => pasted.enqueue(tx, 'order.placed', {}), 'order.placed needs it'],
    [(tx) => pastedChecked.enqueue(tx, 'placed', { order: 1.5 }), 'placed: order:'],
    [
      (tx) => pasted.enqueue(tx, 'order.placed', { order: 7 }, { priority: 1 }),
      'priority: needs priority: true',
    ],
  ]
  for (const [work, problem] of refused) {
    await expect(app.transaction(work)).rejects.toThrow(problem)
  }
})

test('payloads that JSON does not give back are refused by the compiler', () => {
  // @ts-expect-error -- a Date comes back as text
  outbox<{ placed: { at: Date } }>('shop.dates')
  // @ts-expect-error -- JSON has no bigint
  outbox<{ placed: { lines: readonly { cents: bigint }[] } }>('shop.cents')
  outbox<{ placed: { any: unknown; maybe?: string | null; list: readonly string[] } }>('shop.fine')
  expect(true).toBe(true)
})
