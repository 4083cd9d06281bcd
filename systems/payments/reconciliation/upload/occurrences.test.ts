import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { Occurrences, Sums } from './loading.ts'

const record = (line: number, id: string, amount = 1): BankRecord => ({
  line,
  externalTransactionId: id,
  amount,
  currency: 'EUR',
  bookedOn: '2026-03-01',
})

test('counts as a map would', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 200 })
  fc.assert(
    fc.property(ids, (list) => {
      const occurrences = new Occurrences()
      const known = new Map<string, { number: number; first: number }>()
      list.forEach((id, i) => {
        const before = known.get(id) ?? { number: 0, first: i + 2 }
        const now = { ...before, number: before.number + 1 }
        known.set(id, now)
        expect(occurrences.count(record(i + 2, id))).toEqual(now)
      })
    }),
  )
})

test('remembers all as it grows', () => {
  const occurrences = new Occurrences()
  let duplicates = 0
  for (let i = 0; i < 300_000; i += 1) {
    if (occurrences.count(record(i + 2, `tx_${i}`)).number > 1) duplicates += 1
  }
  expect(duplicates).toBe(0)
  for (let i = 0; i < 300_000; i += 997) {
    const again = occurrences.count(record(400_000, `tx_${i}`))
    expect(again).toEqual({ number: 2, first: i + 2 })
  }
})

test('adds up past what a number can say', () => {
  const sums = new Sums()
  for (let i = 0; i < 20_001; i += 1) sums.add(record(i, 'x', 999_999_999_999))
  sums.add(record(0, 'x', -1))
  expect(sums.result()).toEqual({ EUR: { records: 20_002, amount: '20000999999979998' } })
})
