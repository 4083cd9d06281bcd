import { expect, test } from 'vitest'
import { sql } from '../../database/sql-tag.ts'
import { testDatabase } from '../../testing/index.ts'
import { textValue } from './text-value.ts'

const db = await testDatabase()

test.each([
  ['text', 'ä "quoted" \\ {1,2} \u{1F4EF}\n'],
  ['text', ''],
  ['integer', -7],
  ['float8', 1e-7],
  ['boolean', false],
  ['timestamptz', new Date('2026-01-02T03:04:05.678Z')],
  ['bytea', Buffer.from([0, 92, 255])],
  ['jsonb', { a: ['"', null, 1.5] }],
  ['uuid', null],
  ['text[]', ['a,b', 'c"d', '{}', '', '\\', 'null', null, ' x ']],
  ['integer[]', []],
  [
    'integer[]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['boolean[]', [true, null, false]],
  ['timestamptz[]', [new Date(0), null]],
  ['bytea[]', [Buffer.from('"\\')]],
])('%s is read back as it was: %j', async (type, value) => {
  const text = `select $1::text::${type} as value`
  const { rows } = await db.pool.query({ text, values: [textValue(value)] })
  expect(rows).toEqual([{ value }])
})

test('a large number keeps its digits, and what is not given is null', async () => {
  const { text } = sql`select ${0}::bigint as value`
  const { rows } = await db.pool.query({ text, values: [textValue(9007199254740993n)] })
  expect(rows).toEqual([{ value: '9007199254740993' }])
  expect(textValue(undefined)).toBeNull()
})
