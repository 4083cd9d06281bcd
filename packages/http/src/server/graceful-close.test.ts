import { Agent, type RequestOptions, request as httpRequest } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bearer, sampleApp } from '../testing/sample-app.ts'
import { listen, rawConnection } from '../testing/raw-request.ts'

test('requests under way are answered, and their connections close', async () => {
  const app = await sampleApp()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  app.get('/slow', { config: { access: 'public' } }, async () => {
    start()
    await setTimeout(400)
    return { slow: true }
  })
  const connection = await rawConnection(await listen(app))
  connection.say('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await started
  await app.close()
  await expect.poll(connection.received).toMatch(/^HTTP\/1.1 200 /)
  expect(connection.received()).toMatch(/connection: close/i)
  await expect.poll(connection.isOver).toBe(true)
})

test('a request that comes while closing is answered for a moment, then 503', async () => {
  const app = await sampleApp()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  app.get('/slow', { config: { access: 'public' } }, async () => {
    start()
    await setTimeout(900)
    return 'slow'
  })
  const port = await listen(app)
  const busy = await rawConnection(port)
  const quick = await rawConnection(port)
  const kept = await rawConnection(port)
  // Known to the server: a connection that never asked anything is closed at once.
  kept.say('GET /open HTTP/1.1\r\nHost: x\r\n')
  busy.say('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await started
  const closed = app.close()
  await expect.poll(() => app.closing.aborted).toBe(true)
  quick.say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(quick.received).toMatch(/^HTTP\/1.1 200 /)
  expect(quick.received()).toMatch(/connection: close/i)
  await expect.poll(() => app.server.listening).toBe(false)
  kept.say('\r\n')
  await expect.poll(kept.received).toMatch(/^HTTP\/1.1 503 /)
  expect(kept.received()).toContain('SHUTTING_DOWN')
  expect(kept.received()).toMatch(/retry-after: 1/i)
  expect(kept.received()).toMatch(/connection: close/i)
  await closed
  await expect.poll(busy.received).toMatch(/^HTTP\/1.1 200 /)
})

test('what has come and is not read yet when the time is over is answered all the same', async () => {
  const app = await sampleApp()
  const port = await listen(app)
  const kept = await rawConnection(port)
  kept.say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(kept.received).toMatch(/^HTTP\/1.1 200 /)
  const closed = app.close()
  await expect.poll(() => app.closing.aborted).toBe(true)
  const fresh = await rawConnection(port)
  fresh.say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  kept.say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  // A process that is busy for longer than the time that it gives.
  const until = performance.now() + 400
  while (performance.now() < until);
  await closed
  await expect.poll(fresh.received).toMatch(/^HTTP\/1.1 503 /)
  await expect.poll(() => kept.received().match(/HTTP\/1.1 \d+ /g)).toHaveLength(2)
})

test('under load nothing is dropped: every request sent before the end is answered', async () => {
  const app = await sampleApp()
  app.get('/work', async () => {
    await setTimeout(5)
    return { done: true }
  })
  const port = await listen(app)
  const headers = await bearer()
  const agent = new Agent({ keepAlive: true })
  const statuses: number[] = []
  const broken: string[] = []
  const client = async () => {
    for (let sent = 0; sent < 2_000 && !app.closing.aborted; sent += 1) {
      try {
        statuses.push(await statusOf({ port, agent, headers, path: '/work' }))
      } catch (error) {
        broken.push((error as NodeJS.ErrnoException).code ?? String(error))
      }
    }
  }
  const clients = Array.from({ length: 20 }, client)
  await expect.poll(() => statuses.length).toBeGreaterThan(200)
  await Promise.all([app.close(), ...clients])
  agent.destroy()
  expect(broken).toEqual([])
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
})

test('what does not end is cut off after its time', async () => {
  const app = await sampleApp({ drainMs: 100 })
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: never } = Promise.withResolvers<void>()
  app.get('/stuck', { config: { access: 'public' } }, async () => {
    start()
    await never
  })
  const connection = await rawConnection(await listen(app))
  connection.say('GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n')
  await started
  const begin = performance.now()
  await app.close()
  expect(performance.now() - begin).toBeLessThan(20_000)
  await expect.poll(connection.isOver).toBe(true)
})

function statusOf(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', ...options }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', reject)
    request.end()
  })
}
