import { expect, test } from 'vitest'
import { dataFolder, greet, untilCounted, call, startProcess } from './testing/server-process.ts'

test('goes on with its data where a killed one was', async () => {
  const POSTHORN_DATA_DIR = await dataFolder()
  const first = startProcess({ POSTHORN_DATA_DIR })
  await greet(first, 'ada')
  await untilCounted(first, 'ada', 1)
  expect(first.output()).toMatch(/embedded PostgreSQL .*\(started\), \d+ migrations applied/)
  const token = await first.token()
  // Committed and perhaps not delivered yet: the next one must find it.
  await greet(first, 'grace')
  await first.end('SIGKILL')

  const second = startProcess({ POSTHORN_DATA_DIR })
  await untilCounted(second, 'grace', 1)
  await untilCounted(second, 'ada', 1)
  expect(second.output()).toContain('(adopted)')
  expect(second.output()).not.toContain('migrations applied')
  const old = await call(`${await second.url()}/api/v1/outboxes`, { token })
  expect(old.status, 'a token outlives its server').toBe(200)
  // The process itself sees to its time: it ends with 1 when that is over.
  expect((await second.end('SIGTERM')).code).toBe(0)
  expect(second.output()).toContain('stopped; nothing was lost')

  const third = startProcess({ POSTHORN_DATA_DIR })
  await untilCounted(third, 'ada', 1)
  expect(third.output()).toContain('(started)')
}, 180_000)
