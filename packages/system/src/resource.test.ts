import { expect, test } from 'vitest'
import { Type } from 'typebox'
import { bigint, nullable, NullableText, resource, time } from './resource.ts'

const At = new Date('2026-03-01T12:00:00Z')

test('reads a row by its columns', () => {
  const toResource = resource(
    Type.Object({ id: Type.String(), amountIn: bigint(), madeAt: time() }),
  )
  const row = { id: 'a', amount_in: '12', made_at: At }
  expect(toResource(row)).toEqual({ id: 'a', amountIn: 12, madeAt: At.toISOString() })
})

test('reads an object by the names of the resource, with null for what is undefined', () => {
  const Resource = Type.Object({
    name: NullableText,
    seenAt: nullable(time()),
    note: Type.Optional(Type.String()),
  })
  const toResource = resource<typeof Resource, object>(Resource)
  expect(toResource({ name: undefined, seenAt: At, more: 1 })).toEqual({
    name: null,
    seenAt: At.toISOString(),
    note: undefined,
  })
})

test('reads nested objects by their own fields', () => {
  const Part = Type.Object({ at: nullable(time()) })
  const Resource = Type.Object({ parts: Type.Array(Part), first: nullable(Part) })
  const toResource = resource<typeof Resource, object>(Resource)
  expect(toResource({ parts: [{ at: At, secret: 1 }, {}], first: undefined })).toEqual({
    parts: [{ at: At.toISOString() }, { at: null }],
    first: null,
  })
})

test('leaves text as it is where a number may stand too', () => {
  const Resource = Type.Object({ column: Type.Union([Type.String(), Type.Integer()]) })
  expect(resource<typeof Resource, object>(Resource)({ column: '7' })).toEqual({ column: '7' })
})
