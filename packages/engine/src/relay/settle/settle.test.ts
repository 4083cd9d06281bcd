import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/index.ts'
import { list } from './settle.ts'

const db = await testDatabase()

test('any texts and nulls come back as they were', async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '{', '}', ' ', '\n', 'é', '😀', '-') }),
    fc.constantFrom('null', 'NULL', 'Null', '', 'NULL '),
    fc.string({ unit: 'binary' }).filter((any) => !any.includes('\0') && any.isWellFormed()),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      const { rows } = await db.pool.query<{ back: (string | null)[] }>(
        'select $1::text[] as back',
        [list(values)],
      )
      expect(rows[0]?.back).toEqual(values)
    }),
  )
})

test('numbers, ids and moments are read by their types', async () => {
  const id = '0190a0b0-0000-7000-8000-000000000001'
  const { rows } = await db.pool.query<Record<string, unknown>>(
    'select $1::float8[] as floats, $2::uuid[] as ids, $3::bigint[] as wide, $4::int[] as none',
    [list([1.5, -2, 1e21]), list([id, undefined]), list(['9007199254740993', 7n]), list([])],
  )
  expect(rows[0]).toEqual({
    floats: [1.5, -2, 1e21],
    ids: [id, null],
    wide: ['9007199254740993', '7'],
    none: [],
  })
})
