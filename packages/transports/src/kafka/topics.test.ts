import type { Admin } from '@platformatic/kafka'
import { afterEach, expect, test, vi } from 'vitest'
import { outcomeBeforeSending } from './failure.ts'
import { partitionCount } from './sender.ts'

/** What a cluster that has lost the brokers of a partition says; one broker alone cannot lose itself. */
function leaderless() {
  const answer = Object.assign(new Error('no leader'), { apiId: 'LEADER_NOT_AVAILABLE' })
  const made: unknown[] = []
  return {
    client: { metadata: () => Promise.reject(new AggregateError([answer], 'metadata failed')) },
    admin: { createTopics: async (asked: unknown) => void made.push(asked) } as unknown as Admin,
    made,
  }
}

afterEach(() => vi.useRealTimers())

test('a topic without leaders is there, is not made again and charges no message', async () => {
  vi.useFakeTimers()
  const { client, admin, made } = leaderless()
  const outcome = partitionCount(client, 'orders', { admin, creation: {} }).catch(
    outcomeBeforeSending,
  )
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await outcome).toMatchObject({
    ...{ kind: 'retryLater', unreachable: true },
    failure: { code: 'LEADER_NOT_AVAILABLE' },
  })
  expect(made).toEqual([])
})
