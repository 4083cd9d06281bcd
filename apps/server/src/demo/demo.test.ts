import { once } from 'node:events'
import { request } from 'node:http'
import { silentLog } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { defineSimulator } from '@posthorn/simulators'
import { defineSystem, fail, type DemoStep as Step } from '@posthorn/system'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'
import { createDemo } from './demo.ts'

const PLAIN: Omit<Step, 'play'> = { id: 'one', title: 'One', about: 'A step.', look: [] }

/** The outage lasts until a test ends it. */
const outage = { isOver: true }
const steps: readonly Step[] = [
  {
    ...{ ...PLAIN, id: 'farewell', part: 'closing' },
    play: async ({ tell }) => tell('All is well.'),
  },
  {
    ...{ ...PLAIN, id: 'outage' },
    async play({ api, tell }) {
      await fail(api, 'post-office', { mode: 'error' })
      await api.until('/api/v1/outboxes', () => outage.isOver)
      tell('It is over.')
    },
  },
  {
    ...{ ...PLAIN, id: 'greeting', part: 'opening' },
    play: async ({ tell }) => tell('It begins.'),
  },
]

const post = defineSystem({
  name: 'post',
  settings: Type.Object({
    POST_IS_REAL: Type.Boolean({ description: 'whether letters leave the house', default: false }),
  }),
  migrations: async () => ({ name: 'post', migrations: [] }),
  demo: { simulators: ['post-office'], steps: () => steps },
  open: ({ settings }) => ({
    outboxes: [],
    simulators: settings.POST_IS_REAL
      ? []
      : [defineSimulator({ name: 'post-office', about: 'Takes letters.', open: () => ({}) })],
  }),
})

const server = await testServer(await testDatabase(), { systems: [post] })
const PATH = '/api/v1/demo'

interface StepProgress {
  readonly id: string
  readonly status: string
  readonly says: readonly string[]
}

async function story() {
  const { body } = await server.call(PATH)
  return body as unknown as { status: string; error: string | null; steps: readonly StepProgress[] }
}

const faultOf = async (name: string) => (await server.call(`/sim/${name}/faults`)).body['mode']

test('is described before it is played', async () => {
  const { status, steps: described } = await story()
  expect(status).toBe('idle')
  expect(described).toMatchObject([
    { id: 'greeting', status: 'waiting', says: [] },
    { id: 'outage', status: 'waiting', says: [] },
    { id: 'farewell', status: 'waiting', says: [] },
  ])
})

test('is played step by step, as often as it is asked for', async () => {
  for (const _ of [1, 2]) {
    expect((await server.call(PATH, { method: 'POST' })).status).toBe(202)
    await expect.poll(async () => (await story()).status).toBe('completed')
    expect(await story()).toMatchObject({
      error: null,
      steps: [
        { status: 'done', says: ['It begins.'] },
        { status: 'done', says: ['It is over.'] },
        { status: 'done', says: ['All is well.'] },
      ],
    })
    // A fault at the end of the story is part of it.
    expect(await faultOf('post-office')).toBe('error')
  }
})

test('one that is played is joined, and can be ended; every simulator works again', async () => {
  outage.isOver = false
  expect((await server.call(PATH, { method: 'POST' })).body).toMatchObject({ status: 'running' })
  const isDown = async () => (await story()).steps.find(({ id }) => id === 'outage')?.status
  await expect.poll(isDown).toBe('running')
  await expect.poll(() => faultOf('post-office')).toBe('error')
  const joined = await server.call(PATH, { method: 'POST' })
  expect(joined.status).toBe(202)
  const began = (joined.body['steps'] as StepProgress[]).filter(
    ({ status }) => status !== 'waiting',
  )
  expect(began.length, 'it did not begin again').toBe(2)

  const { body } = await server.call(PATH, { method: 'DELETE' })
  expect(body).toMatchObject({ status: 'cancelled', error: null })
  expect(await faultOf('post-office')).toBe('ok')
  expect((await server.call(PATH, { method: 'DELETE' })).body).toMatchObject({
    status: 'cancelled',
  })
})

test('what is not as the story says ends it with the reason, and is mended', async () => {
  const broken: Step[] = [
    {
      ...PLAIN,
      play: async ({ api, tell }) => {
        tell('It begins well.')
        await fail(api, 'post-office', { mode: 'error' })
        await api.get('/api/v1/nothing')
      },
    },
    { ...PLAIN, id: 'after', play: async () => undefined },
  ]
  const demo = createDemo({ log: silentLog, story: () => broken, simulators: ['post-office'] })
  const credentials = { authorization: `Bearer ${await server.tokenFor({})}` }
  demo.start({ credentials, url: server.url, baseUrl: server.url })
  await expect.poll(() => demo.progress().status).toBe('failed')
  const { error, steps: ended } = demo.progress()
  expect(error).toContain('answered 404')
  expect(ended).toMatchObject([
    { status: 'failed', says: ['It begins well.'] },
    { status: 'waiting', says: [] },
  ])
  expect(await faultOf('post-office')).toBe('ok')
})

test('a server that stops ends it at once, and makes no further request', async () => {
  const begun = Promise.withResolvers<void>()
  const play: Step['play'] = async ({ api }) => {
    await fail(api, 'post-office', { mode: 'error' })
    begun.resolve()
    await api.until('/api/v1/me', () => false)
  }
  const demo = createDemo({
    ...{ log: silentLog, story: () => [{ ...PLAIN, play }], simulators: ['post-office'] },
  })
  const credentials = { authorization: `Bearer ${await server.tokenFor({})}` }
  demo.start({ credentials, url: server.url, baseUrl: server.url })
  await begun.promise
  await demo.close()
  expect(demo.progress()).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled' }] })
  expect(await faultOf('post-office')).toBe('error')
})

test('is played in the name of a session, behind a proxy too', async () => {
  outage.isOver = true
  const login = await fetch(`${server.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: await server.tokenFor({ role: 'platform' }) }),
  })
  const [, secret] = /=([^;]+)/.exec(login.headers.getSetCookie()[0] ?? '') ?? []
  const headers = { cookie: `posthorn_session=${secret}`, host: 'example.com' }
  await once(request(`${server.url}${PATH}`, { method: 'POST', headers }).end(), 'response')
  await expect.poll(async () => (await story()).status).toBe('completed')
})

test('is for operators', async () => {
  const token = await server.tokenFor({})
  for (const method of ['GET', 'POST', 'DELETE']) {
    expect((await server.call(PATH, { token, method })).status).toBe(403)
  }
})

test('is not played where a real recipient would be written to', async () => {
  const real = await testServer(await testDatabase(), {
    systems: [post],
    env: { POST_IS_REAL: 'true' },
  })
  const { status, body } = await real.call(PATH, { method: 'POST' })
  expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'CONFLICT' })
  expect(body['detail']).toContain('post-office')
  expect((await real.call(PATH)).body).toMatchObject({ status: 'idle' })
})

test('is not there in production', async () => {
  const production = await testServer(await testDatabase(), {
    env: { NODE_ENV: 'production', POSTHORN_ENCRYPTION_KEYS: 'k'.repeat(32) },
  })
  expect((await production.call(PATH)).status).toBe(404)
  expect((await production.call(PATH, { method: 'POST' })).status).toBe(404)
})
