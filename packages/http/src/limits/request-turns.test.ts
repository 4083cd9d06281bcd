import { expect, test } from 'vitest'
import { bearer, sampleApp } from '../testing/sample-app.ts'

/** An app whose route waits until it is let go, and what is in it. */
async function gatedApp(requestTurns: Parameters<typeof sampleApp>[0]) {
  const app = await sampleApp(requestTurns)
  const inside: { org: string; leave: () => void }[] = []
  app.get('/gated', async (request) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    inside.push({ org: request.caller?.org ?? '', leave: resolve })
    await promise
    return { ok: true }
  })
  app.get('/probe', { config: { access: 'public', rateLimit: false } }, () => ({ ok: true }))
  const ask = async (org: string) =>
    (await app.inject({ url: '/gated', headers: await bearer({ org }) })).json<{ code?: string }>()
  return { app, inside, ask, orgs: () => inside.map(({ org }) => org) }
}

test('an organisation has so many requests at once, and another is served beside them', async () => {
  const { inside, ask, orgs, app } = await gatedApp({ requestTurns: { perCaller: 2, inAll: 3 } })
  const known = await bearer({ org: 'late' })
  await app.inject({ url: '/me', headers: known })
  const flood = Array.from({ length: 5 }, () => ask('flood'))
  await expect.poll(orgs).toEqual(['flood', 'flood'])
  const other = ask('other')
  await expect.poll(orgs).toEqual(['flood', 'flood', 'other'])
  // All places are taken now: the next is for whoever has the fewest.
  const late = app.inject({ url: '/gated', headers: known }).then((answer) => answer.json<object>())
  expect((await app.inject('/probe')).statusCode).toBe(200)
  inside[0]?.leave()
  await expect.poll(orgs).toEqual(['flood', 'flood', 'other', 'late'])
  for (let n = 0; n < 7; n += 1) {
    await expect.poll(() => inside.length).toBeGreaterThan(n)
    inside[n]?.leave()
  }
  for (const answer of await Promise.all([...flood, other, late]))
    expect(answer).toEqual({ ok: true })
})

test('what waits beyond a bound, or for too long, is refused', async () => {
  const { inside, ask, orgs } = await gatedApp({
    requestTurns: { perCaller: 1, inAll: 9, waiting: 1, patienceMs: 50 },
  })
  const first = ask('flood')
  await expect.poll(orgs).toEqual(['flood'])
  const [waiting, beyond] = await Promise.all([ask('flood'), ask('flood')])
  expect([waiting.code, beyond.code]).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
  inside[0]?.leave()
  expect(await first).toEqual({ ok: true })
  const next = ask('flood')
  await expect.poll(() => inside.length).toBe(2)
  inside[1]?.leave()
  expect(await next).toEqual({ ok: true })
})

test('a client that leaves while it waits, and an answer that fails, leave no place behind', async () => {
  const { app, inside, ask, orgs } = await gatedApp({ requestTurns: { perCaller: 1, inAll: 1 } })
  const headers = await bearer({ org: 'flood' })
  for (const url of ['/broken', '/refused', '/missing', '/things?limit=x']) {
    expect((await app.inject({ url, headers })).statusCode).toBeGreaterThanOrEqual(400)
  }
  const answered = ask('flood')
  await expect.poll(orgs).toEqual(['flood'])
  inside[0]?.leave()
  expect(await answered).toEqual({ ok: true })
})

test('callers who go on although they are refused are answered late', async () => {
  const app = await sampleApp({ rateLimit: { max: 1, windowMs: 60_000 } })
  const headers = await bearer()
  const ask = async () => {
    const began = performance.now()
    const { statusCode } = await app.inject({ method: 'PUT', url: '/anything', headers })
    return { statusCode, ms: performance.now() - began }
  }
  expect((await ask()).statusCode).toBe(200)
  const answers = await Promise.all(Array.from({ length: 40 }, ask))
  expect(answers.every(({ statusCode }) => statusCode === 429)).toBe(true)
  expect(answers.filter(({ ms }) => ms >= 990).length).toBeGreaterThanOrEqual(10)
  expect(answers.filter(({ ms }) => ms < 990).length).toBeGreaterThanOrEqual(10)
})
