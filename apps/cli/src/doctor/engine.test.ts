import type { ConsumerOverview } from '@posthorn/engine/operate'
import { expect, test } from 'vitest'
import { checkConsumers } from './consumers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const group: ConsumerOverview = {
  ...{ topic: 'orders', group: 'stock', transport: 'kafka', lag: 3, sampledAt: now },
  ...{ retrying: 0, parked: 0, dead: 0, oldestDeadAt: undefined },
}

test('a group that keeps up is well', () => {
  expect(checkConsumers([group], now)).toMatchObject([{ level: 'ok' }])
  expect(checkConsumers([], now)).toEqual([])
})

test('a group that is behind, and one with dead letters, are findings', () => {
  const behind = { ...group, lag: 5_000, sampledAt: new Date(now.getTime() - 600_000) }
  const dead = { ...group, dead: 2, oldestDeadAt: new Date(now.getTime() - 3_600_000) }
  expect(checkConsumers([behind, dead], now)).toMatchObject([
    { level: 'warn', check: 'stock', says: expect.stringMatching(/5,000 messages .* ago/) },
    { level: 'warn', says: expect.stringContaining('2 dead letters') },
  ])
  expect(checkConsumers([dead], now)[0]?.run).toBe('posthorn dead-letters --group stock')
})
