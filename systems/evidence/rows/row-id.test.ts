import { uuid } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { rowId } from './row.ts'

const job = '01a1e645-07f7-718f-b071-0a6007146d37'

test('a row has the same id whenever its file is read', () => {
  expect(rowId(job, 1)).toBe('01a1e645-07f7-718f-b071-0a6000000001')
  expect(rowId(job, 1)).toBe(rowId(job, 1))
  expect(rowId(job, 1)).not.toBe(rowId(uuid(), 1))
})

test('ids of a job differ in their tails, are UUIDv7 and sort by their numbers', () => {
  const numbers = [1, 2, 0x3f_ff, 0x40_00, 0x40_01, 1_000_000, 2 ** 28 - 1]
  const ids = numbers.map((number) => rowId(job, number))
  expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(numbers.length)
  expect(ids).toEqual([...ids].sort())
  for (const id of ids) expect(id).toMatch(/^01a1e645-07f7-718f-b071-0a600[0-9a-f]{7}$/)
  expect(() => rowId(job, 2 ** 28)).toThrow(RangeError)
})
