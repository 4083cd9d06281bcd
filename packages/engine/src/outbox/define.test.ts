import { expect, test } from 'vitest'
import { defineOutbox } from './define.ts'
import type { OutboxDefinition } from './definition.ts'
import { DefinitionError } from '../errors.ts'
import { exponential, schedule } from './retry.ts'

interface Row {
  id: string
  status: string
  tries: number
  due_at: Date
  sent_at: Date
  key: string
}

const good = {
  name: 'shop.mails',
  table: 'shop.mail',
  states: { ready: 'new', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'tries', bumps: 'on-failure' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'smtp', topic: 'mail' },
  message: (row: Row) => ({ id: row.id, type: 'mail', payload: {} }),
} satisfies OutboxDefinition<Row>

test('writes every default out', () => {
  const { batch, atOnce, everyMs, leaseMs, states, audit, columns } = defineOutbox<Row>(good)
  expect({ batch, atOnce, everyMs, leaseMs }).toEqual({
    batch: 100,
    atOnce: 200,
    everyMs: undefined,
    leaseMs: 30_000,
  })
  expect(states.retry).toBe('new')
  expect(audit.record).toBe('all')
  expect([columns.id, columns.status]).toEqual(['id', 'status'])
})

test.each([
  ['name', { name: 'Shop Mails' }],
  ['table', { table: 'mail' }],
  ['table', { table: 'shop.mail; drop table x' }],
  ['states.ready', { states: { ...good.states, ready: `it's` } }],
  ['states', { states: { ready: 0, sent: 'sent', dead: 'dead' } }],
  ['states.sent', { states: { ...good.states, sent: 'new' } }],
  ['states.dead', { states: { ready: 'new', sent: 'sent' } }],
  ['states.dead', { retry: schedule(['1s'], { then: 'repeat-last' }) }],
  ['states.confirmed', { confirm: {} }],
  ['confirm', { states: { ...good.states, confirmed: 'read' } }],
  ['columns.dueAt', { columns: { dueAt: 'due at' } }],
  ['columns.dueAt', { columns: { dueAt: 'claimed_until' } }],
  ['columns.idType', { columns: { dueAt: 'due_at', idType: 'int' } }],
  ['counter.column', { counter: { column: 'tries"', bumps: 'on-failure' } }],
  ['columns.sentAt', { confirm: { within: '1m' }, states: { ...good.states, confirmed: 'read' } }],
  ['columns.finishedAt', { retention: { after: '7d', archive: '30d' } }],
  ['states.retry', { counter: { column: 'tries', bumps: 'on-retry-claim' } }],
  [
    'states.claimed',
    {
      storage: 'log',
      order: { key: 'key', dead: 'block' },
      states: { ...good.states, claimed: 'busy' },
    },
  ],
  [
    'counter.bumps',
    { order: { key: 'key', dead: 'skip' }, counter: { column: 'tries', bumps: 'on-claim' } },
  ],
  ['order.dead', { order: { key: 'key', dead: 'burn' } }],
  [
    'columns.attemptId',
    { order: { key: 'key', dead: 'skip' }, columns: { dueAt: 'due_at', attemptId: 'id' } },
  ],
  ['destination', { destination: undefined }],
  ['message', { message: 'mail' }],
  ['messages', { messages: () => ({}) }],
  ['columns.dueAt', { columns: {} }],
  ['columns.due_at', { columns: { due_at: 'due_at', dueAt: 'due_at' } }],
  ['states.ready', { states: { sent: 'sent', dead: 'dead' } }],
  ['states.waiting', { states: { ...good.states, waiting: 'new' } }],
  ['counter.column', { counter: {} }],
  ['counter.bumps', { counter: { column: 'tries' } }],
  ['counter.bumps', { counter: { column: 'tries', bumps: 'on-error' } }],
  ['counter.colunm', { counter: { ...good.counter, colunm: 'tries' } }],
  ['claim', { claim: 10 }],
  ['claim.bacth', { claim: { bacth: 10 } }],
  ['order.dead', { order: { key: 'key' } }],
  ['order.serialize', { order: { key: 'key', dead: 'skip', serialize: true } }],
  ['fair.key', { fair: { by: 'key', key: 'key' } }],
  ['breaker.failure', { breaker: { failure: 0.5 } }],
  ['retention.archive', { retention: { after: '7d' } }],
  ['retention.delete', { retention: { after: '7d', archive: '1d', delete: true } }],
  ['audit.recrod', { audit: { recrod: 'none' } }],
  ['unknown.then', { unknown: { wait: '1m' } }],
  ['retry', { retry: { attempts: 3 } }],
  ['reads', { reads: ['no column'] }],
  ['reads', { reads: ['key'], states: { ...good.states, claimed: 'busy' } }],
  ['claim.batch', { claim: { batch: 0 } }],
  ['claim.batch', { claim: { batch: 1.5 } }],
  ['claim.atOnce', { claim: { atOnce: 0 } }],
  ['claim.lease', { claim: { lease: '10ms' } }],
  ['claim.every', { claim: { every: 'often' } }],
  ['breaker.failures', { breaker: { failures: 2 } }],
  ['retry', { retry: schedule([]) }],
  ['retry.jitter', { retry: exponential('1s', { attempts: 3, jitter: 7 }) }],
  [
    'retention.after',
    {
      retention: { after: 'x', archive: '1d' },
      columns: { dueAt: 'due_at', finishedAt: 'sent_at' },
    },
  ],
  ['label', { label: [] }],
  ['label', { label: ['Not A Column'] }],
  ['label', { label: ["payload.it's"] }],
  ['label', { label: ['payload.token.value'], secrets: ['token'] }],
])('a wrong %s does not start', (field, change) => {
  const wrong = { ...good, ...change } as unknown as OutboxDefinition<Row>
  expect(() => defineOutbox(wrong)).toThrow(DefinitionError)
  expect(() => defineOutbox(wrong)).toThrow(expect.objectContaining({ field }))
})

test('no definition at all is named as such', () => {
  expect(() => (defineOutbox as () => unknown)()).toThrow('defineOutbox(): name: is missing')
})

test('a wrong definition does not compile', () => {
  const { retry: _, ...rest } = good
  const never = (): unknown => [
    // @ts-expect-error -- a policy that gives up needs a dead state
    defineOutbox<Row>({ ...good, states: { ready: 'new', sent: 'sent' } }),
    // @ts-expect-error -- a policy that never gives up forbids one
    defineOutbox<Row>({ ...rest, retry: schedule(['1s'], { then: 'repeat-last' }) }),
    // @ts-expect-error -- confirm needs a confirmed state
    defineOutbox<Row>({ ...good, confirm: { within: '1m' } }),
    // @ts-expect-error -- columns are keys of the row
    defineOutbox<Row>({ ...good, columns: { dueAt: 'dew_at' } }),
    // @ts-expect-error -- a label begins with a column
    defineOutbox<Row>({ ...good, label: ['pay.order'] }),
    // @ts-expect-error -- durations have a unit
    defineOutbox<Row>({ ...good, claim: { every: '5' } }),
    // @ts-expect-error -- how an attempt is counted must be said
    defineOutbox<Row>({ ...good, counter: { column: 'tries' } }),
  ]
  expect(never).toBeTypeOf('function')
})
