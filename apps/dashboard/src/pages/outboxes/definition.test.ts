import { expect, test } from 'vitest'
import { definitionInWords } from './definition.tsx'

test('says what an ordered outbox that never gives up does', () => {
  const words = definitionInWords({
    table: 'post.parcels',
    batch: 100,
    everyMs: 5_000,
    leaseMs: 30_000,
    order: { key: 'aggregate_id', dead: 'block' },
    retry: { delaysMs: [1_000, 2_000] },
    destination: { transport: 'rabbitmq', topic: 'post.parcels' },
  })
  expect(words).toMatchObject({
    'Goes to': 'post.parcels by rabbitmq',
    Order: expect.stringContaining('kept for each aggregate_id'),
    'After a failure': 'waits 1 s, 2 s and so on; retries forever',
  })
})

test('says when an outbox gives up, and that each message may go elsewhere', () => {
  const words = definitionInWords({
    retry: { delaysMs: [2_000, 4_000], attempts: 3 },
    destination: 'by row',
    breaker: {},
  })
  expect(words['After a failure']).toContain('dead after 3 attempts')
  expect(words['Goes to']).toBe('a destination that each message names')
  expect(words['Circuit breaker']).toContain('pauses')
})
