import { expect, test } from 'vitest'
import { finalError, outcomeOfCode, outcomeOfError } from './failure.ts'

/** Kafka's own numbers, and what they mean for a message. */
const CODES = [
  [2, 'CORRUPT_MESSAGE', { kind: 'retryLater', charge: true, unreachable: false }],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', { kind: 'retryLater', unreachable: true }],
  [5, 'LEADER_NOT_AVAILABLE', { kind: 'retryLater', unreachable: true }],
  [6, 'NOT_LEADER_OR_FOLLOWER', { kind: 'retryLater', unreachable: true }],
  [14, 'COORDINATOR_LOAD_IN_PROGRESS', { kind: 'retryLater', unreachable: true }],
  [19, 'NOT_ENOUGH_REPLICAS', { kind: 'retryLater', unreachable: true }],
  [29, 'TOPIC_AUTHORIZATION_FAILED', { kind: 'refused' }],
] as const

test.each(CODES)('%i, %s', (code, name, outcome) => {
  expect(outcomeOfCode(code, null)).toMatchObject({ ...outcome, failure: { code: name } })
})

test('is found in an answer that the library has wrapped', () => {
  const inner = Object.assign(new Error('loading'), { apiId: 'COORDINATOR_LOAD_IN_PROGRESS' })
  const error = new AggregateError([new Error('outer', { cause: inner })], 'failed')
  expect(outcomeOfError(error)).toMatchObject({ kind: 'retryLater', unreachable: true })
})

test('a right that is missing is final, a broker that is away is not', () => {
  const denied = Object.assign(new Error('denied'), { apiId: 'GROUP_AUTHORIZATION_FAILED' })
  expect(finalError(new AggregateError([denied], 'failed'))).toMatchObject({
    ...{ code: 'GROUP_AUTHORIZATION_FAILED', retryable: false },
  })
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(finalError(away)).toBe(away)
})
