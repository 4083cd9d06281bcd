import { expect, test } from 'vitest'
import { isIdentifier, sql } from './sql-tag.ts'

test('an interpolation is a parameter', () => {
  const name = `'; drop table students; --`
  expect(sql`select * from t where name = ${name} and n = ${5}`).toMatchObject({
    text: 'select * from t where name = $1 and n = $2',
    values: [name, 5],
  })
})

test('a value that looks like a statement is still a parameter', () => {
  const payload = { text: 'drop table students', values: [], name: 'x' }
  expect(sql`insert into t values (${payload})`).toMatchObject({
    text: 'insert into t values ($1)',
    values: [payload],
  })
})

test('fragments keep their values in order', () => {
  const where = sql`a = ${1} and b = ${2}`
  expect(sql`select ${0} from t where ${where} limit ${3}`).toMatchObject({
    text: 'select $1 from t where a = $2 and b = $3 limit $4',
    values: [0, 1, 2, 3],
  })
})

test('identifiers are checked', () => {
  expect(sql`select * from ${sql.id('shop.item')}`.text).toBe('select * from shop.item')
  expect(sql`select ${sql.id('dueAt')} from ${sql.id('public.Order')}`.text).toBe(
    'select "dueAt" from public."Order"',
  )
  for (const wrong of ['a b', 'a;b', 'a"b', '', '1a', 'a.b.c', 'a.']) {
    expect(isIdentifier(wrong), wrong).toBe(false)
    expect(() => sql.id(wrong)).toThrow('is not an identifier')
  }
})
