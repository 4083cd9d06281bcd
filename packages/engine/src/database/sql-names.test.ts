import { expect, test } from 'vitest'
import { testDatabase } from '../testing/index.ts'
import { defineOutbox } from '../outbox/define.ts'
import { exponential } from '../outbox/retry.ts'
import { bare, beside, isName, isTable, spell, spellTable } from './sql-names.ts'
import { inSql } from '../outbox/resolved-definition.ts'

const db = await testDatabase()

test('PostgreSQL reads each of its own words as the name it was spelled from', async () => {
  const { rows } = await db.pool.query<{ word: string; reserved: boolean }>(
    `select word, catcode in ('R', 'T') as reserved from pg_get_keywords()`,
  )
  expect(rows.filter(({ word, reserved }) => reserved !== (spell(word) !== word))).toEqual([])
  const names = rows.map(({ word }) => spell(word))
  const list = names.join(', ')
  await db.pool.query(`create table words (${names.map((name) => `${name} int`).join(', ')})`)
  await db.pool.query(`with w as (select ${list} from words as m)
    insert into words (${list}) select ${list} from w as u (${list}) returning ${list}`)
})

test.each([
  'plain_name2',
  'createdAt',
  'OutboxEvent',
  'order',
  'Größe',
  'with-dash',
  'a"; drop table x; --',
  'two words',
  "it's",
])('%s is a column that is found again', async (name) => {
  const { fields } = await db.pool.query(`select 1 as ${spell(name)}`)
  expect(fields[0]?.name).toBe(name)
  expect(bare(spell(name))).toBe(name)
})

test('only what must be is quoted', () => {
  expect([spell('due_at'), spell('type'), spell('key')]).toEqual(['due_at', 'type', 'key'])
  expect(spellTable('public.OutboxEvent')).toBe('public."OutboxEvent"')
  expect(beside('public."OutboxEvent"', '_log')).toBe('public."OutboxEvent_log"')
  expect(beside('shop.order_events', '_log')).toBe('shop.order_events_log')
})

test('a name in a definition has no quotes, dots or spaces and fits into the catalogue', () => {
  for (const good of ['a', '_a', 'createdAt', 'Größe', 'with-dash', 'x'.repeat(63)]) {
    expect(isName(good), good).toBe(true)
  }
  for (const wrong of ['', '1a', '-a', 'a b', 'a.b', 'a"b', "a'b", 'a\0b', 'ä'.repeat(32)]) {
    expect(isName(wrong), wrong).toBe(false)
  }
  expect(isTable('public.OutboxEvent')).toBe(true)
  for (const wrong of ['OutboxEvent', 'a.b.c', 'public.', '.x', 'public."OutboxEvent"']) {
    expect(isTable(wrong), wrong).toBe(false)
  }
})

interface Row {
  id: string
  createdAt: Date
  dueAt: Date
  order: string
  tries: number
  status: string
  held: boolean
  'two words': string
}

const definition = {
  name: 'shop.events',
  table: 'public.OutboxEvent',
  states: { ready: 'NEW', sent: 'SENT', dead: 'DEAD' },
  columns: { dueAt: 'dueAt', createdAt: 'createdAt' },
  counter: { column: 'tries', bumps: 'on-failure' },
  order: { key: 'order', dead: 'block' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'none', topic: 'none' },
  message: ({ id }: Row) => ({ id, type: 'event', payload: {} }),
} as const

test('a definition keeps the names of its rows; SQL has them as it reads them', () => {
  const box = defineOutbox<Row>(definition)
  expect([box.table, box.columns.dueAt, box.order?.key]).toEqual([
    'public.OutboxEvent',
    'dueAt',
    'order',
  ])
  const { table, columns, order, counter } = inSql(box)
  expect([table, columns.dueAt, order?.key, counter.column]).toEqual([
    'public."OutboxEvent"',
    '"dueAt"',
    '"order"',
    'tries',
  ])
})

test.each([
  ['table', { table: 'OutboxEvent' }],
  ['table', { table: 'public."OutboxEvent"' }],
  ['columns.dueAt', { columns: { dueAt: '"dueAt"' } }],
  ['columns.createdAt', { columns: { dueAt: 'dueAt', createdAt: "it's" } }],
  ['order.key', { order: { key: 'x'.repeat(64), dead: 'block' } }],
])('a %s that cannot be a name is refused', (field, change) => {
  expect(() => defineOutbox({ ...definition, ...change } as never)).toThrow(
    expect.objectContaining({ code: 'DEFINITION_INVALID', field }),
  )
})

test('what cannot be a name does not compile', () => {
  const never = (): unknown => [
    // @ts-expect-error -- a table is named with its schema
    defineOutbox<Row>({ ...definition, table: 'OutboxEvent' }),
    // @ts-expect-error -- no name of a definition has a space
    defineOutbox<Row>({ ...definition, columns: { dueAt: 'dueAt', type: 'two words' } }),
    // @ts-expect-error -- a column of the engine's own
    defineOutbox<Row>({ ...definition, columns: { dueAt: 'dueAt', type: 'held' } }),
    // @ts-expect-error -- the property is called otherwise
    defineOutbox<Row>({ ...definition, columns: { dueAt: 'due_at' } }),
  ]
  expect(never).toBeTypeOf('function')
})
