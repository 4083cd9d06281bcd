import type { ConsumerOverview } from '@posthorn/operate/internal'
import { expect, test } from 'vitest'
import { checkConsumers, checkRetention } from './engine.ts'

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

const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const run = {
  ...{ class: 'shop.events', startedAt: ago(1), endedAt: ago(1) },
  ...{ completeAt: ago(1), removed: 5, lastRemoved: 0, error: undefined },
}

test('retention that keeps up is well', () => {
  expect(checkRetention([run], now)).toMatchObject([{ level: 'ok' }])
  expect(checkRetention([], now)).toMatchObject([
    { level: 'ok', says: expect.stringContaining('not run yet') },
  ])
})

test('retention that fails or falls behind is a finding', () => {
  expect(
    checkRetention([{ ...run, error: '23503' }, { ...run, completeAt: ago(30) }, run], now),
  ).toMatchObject([
    { level: 'warn', says: expect.stringContaining('could not be removed: 23503') },
    { level: 'warn', says: expect.stringContaining('for 1d 6h no run') },
  ])
})
