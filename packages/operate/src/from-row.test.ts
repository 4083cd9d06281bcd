import { expect, test } from 'vitest'
import { fromRow } from './from-row.ts'

interface Visit {
  readonly id: string
  readonly startedAt: Date
  readonly endReason: string | undefined
}

test('names columns as fields, and has no null', () => {
  const startedAt = new Date()
  const row = { id: 'a', started_at: startedAt, end_reason: null }
  expect(fromRow<Visit>(row)).toStrictEqual({ id: 'a', startedAt, endReason: undefined })
})
