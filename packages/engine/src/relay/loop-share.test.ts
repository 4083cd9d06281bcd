import { performance } from 'node:perf_hooks'
import { expect, onTestFinished, test } from 'vitest'
import { delivered } from '../outbox/outcome.ts'
import type { Transport } from '../outbox/transport.ts'
import { outbox } from '../host/standard-outbox.ts'
import { posthorn } from '../host/posthorn.ts'
import { testDatabase } from '../testing/index.ts'
import { LoopShare } from './loop-share.ts'

test('a busy event loop makes rests longer, an idle one shorter, within bounds', () => {
  let now = 0
  let utilization = 0.9
  const share = new LoopShare({ now: () => now, busy: () => utilization })
  const restsOf = (times: number) =>
    Array.from({ length: times }, () => {
      now += 50
      return share.restMs()
    })
  expect(restsOf(8)).toEqual([4, 8, 16, 32, 64, 128, 250, 250])
  utilization = 0.5
  expect(restsOf(7)).toEqual([125, 62.5, 31.25, 15.625, 7.8125, 0, 0])
})

test('asked again before there is anything to measure, it says the same', () => {
  let asked = 0
  const busy = () => {
    asked += 1
    return 1
  }
  const share = new LoopShare({ now: () => asked * 50 + 50, busy })
  expect([share.restMs(), share.restMs()]).toEqual([0, 0])
  expect(asked).toBe(0)
})

test('a backlog leaves a share of the event loop to the rest of the process', async () => {
  const busyWithout = await busyWith({ sharesProcess: false })
  const busyBeside = await busyWith({ sharesProcess: true })
  expect(busyWithout).toBeGreaterThan(0.85)
  expect(busyBeside).toBeLessThan(busyWithout - 0.1)
})

const MESSAGES = 1_000

/** How busy the event loop is while a backlog is delivered whose batches take 20 ms of it each. */
async function busyWith(options: { sharesProcess: boolean }): Promise<number> {
  const events = outbox('shared.events', {
    claim: { batch: 10, atOnce: 20 },
    destination: { transport: 'spinning', topic: 't' },
  })
  const db = await testDatabase({ sql: 'create schema shared' })
  let arrived = 0
  const spinning: Transport = {
    async deliver(batch) {
      const until = performance.now() + 20
      while (performance.now() < until);
      arrived += batch.length
      return batch.map(() => delivered())
    },
  }
  const app = posthorn({
    ...{ pool: db.pool, outboxes: [events], transports: { spinning }, maintenance: 'off' },
    ...options,
  })
  await app.setUp()
  const rows = Array.from({ length: MESSAGES }, (_, n) => ({ type: 'e', payload: { n } }))
  await app.transaction((tx) => events.enqueueAll(tx, rows))
  onTestFinished(() => app.stop())
  const before = performance.eventLoopUtilization()
  await app.start()
  await expect.poll(() => arrived, { interval: 20 }).toBe(MESSAGES)
  return performance.eventLoopUtilization(before).utilization
}
