import type { Stop } from '@posthorn/system'
import { expect, test } from 'vitest'
import { followAll } from './business-journey.ts'

test('a way without an end is left, and says so', async () => {
  const stop = (n: number): Stop => ({
    ...{ kind: 'thing', id: `thing-${n}`, title: '', detail: '', to: '/' },
    ids: [`thing-${n + 1}`, null, `thing-${n}`],
    events: [],
  })
  const next = (ids: readonly string[]) => ids.map((id) => stop(Number(id.slice(6))))
  const endless = {
    follows: [async () => []],
    ask: async (_: unknown, ids: readonly string[]) => next(ids),
  }
  const { stops, isComplete } = await followAll(endless, 'thing-1')
  expect(isComplete).toBe(false)
  expect(stops.length).toBeLessThan(10)
  const many = { ...endless, ask: async () => Array.from({ length: 300 }, (_, n) => stop(n)) }
  const crowd = await followAll(many, 'thing-1')
  expect(crowd.isComplete).toBe(false)
  expect(crowd.stops).toHaveLength(100)
})
