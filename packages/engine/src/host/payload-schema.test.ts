import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import * as v from 'valibot'
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { silentLog } from '../log.ts'
import { testDatabase } from '../testing/index.ts'
import { posthorn } from './posthorn.ts'
import { outbox } from './standard-outbox.ts'

const valibot = outbox('shop.outbox', {
  order: 'payload.order',
  schemas: {
    // Takes text and gives a number, and has a default.
    'order.placed': v.object({
      order: v.pipe(v.string(), v.transform(Number)),
      by: v.optional(v.string(), 'guest'),
    }),
  },
})
const typebox = outbox('shop.outbox', {
  order: 'key',
  schemas: { 'order.placed': Compile(Type.Object({ order: Type.Number() })) },
})

const { pool } = await testDatabase()
const app = await posthorn({ pool, handlers: valibot.handle({}), log: silentLog }).setUp()

beforeEach(() => pool.query('truncate shop.outbox'))

const stored = async () => (await pool.query('select key, payload from shop.outbox')).rows

describe('a schema of valibot', () => {
  test('takes its input, and what it gives is stored and handled', async () => {
    await app.transaction((tx) => valibot.enqueue(tx, 'order.placed', { order: '7' }))
    expect(await stored()).toEqual([{ key: '7', payload: { order: 7, by: 'guest' } }])
    valibot.handle({
      'order.placed': async ({ payload }) => {
        expectTypeOf(payload).toEqualTypeOf<{ order: number; by: string }>()
      },
    })
    const never = () =>
      // @ts-expect-error -- the schema takes text
      app.transaction((tx) => valibot.enqueue(tx, 'order.placed', { order: 7 }))
    await expect(never()).rejects.toThrow(
      'outbox shop.outbox: order.placed: order: Invalid type: Expected string but received 7',
    )
    expect(await stored()).toHaveLength(1)
  })
})

describe('a schema of TypeBox', () => {
  test('is compiled by its own compiler', async () => {
    const write = (payload: { order: number }) =>
      app.transaction((tx) => typebox.enqueue(tx, 'order.placed', payload, { key: '7' }))
    await write({ order: 7 })
    await expect(write({ order: 'x' } as never)).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: 'outbox shop.outbox: order.placed: order: must be number',
    })
    expect(await stored()).toEqual([{ key: '7', payload: { order: 7 } }])
  })
})

test.each([
  [{ placed: Type.Object({}) }, 'schemas.placed: is no schema'],
  [{ placed: undefined }, 'schemas.placed: is no schema'],
  [{ placed: () => true }, 'schemas.placed: is no schema'],
  ['placed', 'schemas: must be an object'],
])('what is no schema is refused when the outbox is defined: %o', (schemas, problem) => {
  expect(() => outbox('shop.outbox', { schemas } as never)).toThrow(problem)
})
