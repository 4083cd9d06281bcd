import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { messages } from './index.ts'
import { MESSAGES, sample, startApi, type Resource, type TestApi } from './testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const { pool } = database

type Answer = (response: ServerResponse) => void

const ok: Answer = (response) =>
  response.writeHead(200).end(`{"messages":[{"id":"wamid.${Math.random()}"}]}`)
const failing =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(status === 400 ? '{"error":{"code":139999}}' : '{}')
const silence: Answer = () => undefined

/** WhatsApp, as the test wants it to be. */
let provider: Server
let answer: Answer = ok
let api: TestApi
const REFUSING = 'http://127.0.0.1:9'

beforeAll(async () => {
  provider = createServer((_request, response) => answer(response))
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
})
afterAll(() => provider.close())
beforeEach(async () => {
  await pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message cascade; commit',
  )
})
afterEach(async () => {
  await api.close()
  provider.closeAllConnections()
})

const start = async (url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`) => {
  api = await startApi(database, { WHATSAPP_API_URL: url, WHATSAPP_TIMEOUT_MS: '150' })
}
/** Another worker: what one has learnt of a number's pauses, the next does not know. */
const restart = async (url?: string) => {
  await api.close()
  await start(url)
}
const create = async (maxAttempts = 5) =>
  (await api.call('POST', MESSAGES, { body: { ...sample(), maxAttempts } })).body.id
const show = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body
const attemptsOf = async (id: string) =>
  (await api.call<{ items: Resource[] }>('GET', `${MESSAGES}/${id}/attempts`)).body.items
const advance = (seconds: number) =>
  api.sim('POST', '/clock/advance', { by: `${Math.ceil(seconds)}s` })

interface Standing {
  readonly status: string
  readonly due_s: number
  /** Of an unknown outcome: how long a report may settle it, by real time. */
  readonly wait_s: number | null
}

const stand = async (id: string): Promise<Standing> => {
  const { rows } = await pool.query<Standing>(
    `select status, extract(epoch from next_retry_at - posthorn.now())::float8 as due_s,
            extract(epoch from claimed_until - now())::float8 as wait_s
       from messages.outbound_message where id = $1`,
    [id],
  )
  return rows[0] as Standing
}
const endWait = () =>
  pool.query(
    `update messages.outbound_message set claimed_until = now() - interval '1 second'
      where status = 'SENDING'`,
  )

/**
 * Runs a message to its end over the moved clock; in which minutes it was tried. A minute before
 * each is due, a look shows that it does not come early.
 */
async function timelineOf(id: string, before: (minute: number) => unknown): Promise<number[]> {
  const minutes: number[] = []
  for (let minute = 0; minutes.length < 10;) {
    await before(minute)
    await api.relay.runOnce()
    minutes.push(minute)
    expect(await attemptsOf(id)).toHaveLength(minutes.length)
    const { status, due_s: due, wait_s: wait } = await stand(id)
    if (status === 'SENDING') {
      expect(wait).toBeGreaterThan(60)
      expect(wait).toBeLessThanOrEqual(120)
      await endWait()
    } else if (status !== 'QUEUED') return minutes
    await advance(Math.max(due - 30, 0))
    await api.relay.runOnce()
    expect(await attemptsOf(id), 'not before it is due').toHaveLength(minutes.length)
    if ((await stand(id)).status === 'FAILED') return minutes
    await advance(Math.max((await stand(id)).due_s, 0))
    minute += Math.round(due / 60)
  }
  throw new Error('the message does not end')
}

/** With a code that the provider does not explain, five attempts, unless said otherwise. */
test.each([
  ['400', failing(400), [0, 1, 6, 21, 81]],
  ['400 that asks for a second', failing(400, { 'retry-after': '1' }), [0, 1, 6, 21, 81]],
  ['400 that asks for 10 minutes', failing(400, { 'retry-after': '600' }), [0, 10, 20, 35, 95]],
  ['500', failing(500), [0, 2, 7, 22, 82]],
  ['500 that asks for 10 minutes', failing(500, { 'retry-after': '600' }), [0, 10, 20, 35, 95]],
  ['no answer', silence, [0, 2, 7, 22, 82]],
  ['connection refused', undefined, [0, 1, 6, 21, 81]],
])('%s is met at these minutes, and then no more', async (_, given, minutes) => {
  answer = given ?? ok
  await start(given ? undefined : REFUSING)
  const id = await create()
  expect(await timelineOf(id, () => undefined)).toEqual(minutes)
  expect(await show(id)).toMatchObject({ status: 'FAILED', attemptCount: 5, nextRetryAt: null })
})

test('400 with six attempts runs the whole schedule', async () => {
  answer = failing(400)
  await start()
  expect(await timelineOf(await create(6), () => undefined)).toEqual([0, 1, 6, 21, 81, 441])
})

test('429 with Retry-After waits as long as it says, and costs no attempt', async () => {
  await start()
  const id = await create(1)
  const limited = failing(429, { 'retry-after': '1800' })
  const minutes = await timelineOf(id, async (minute) => {
    answer = minute < 90 ? limited : ok
    await restart()
  })
  expect(minutes).toEqual([0, 30, 60, 90])
  expect(await show(id)).toMatchObject({ status: 'SENT', attemptCount: 1 })
  const attempts = (await attemptsOf(id)).map(({ attemptNo, status }) => `${attemptNo} ${status}`)
  expect(attempts).toEqual(['4 SUCCESS', '3 FAILED', '2 FAILED', '1 FAILED'])
})

test.each([
  ['500', failing(500)],
  ['no answer', silence],
  ['connection refused', undefined],
])('an outage of an hour, as %s, loses nothing', async (_, given) => {
  await start(given ? undefined : REFUSING)
  const id = await create()
  const minutes = await timelineOf(id, async (minute) => {
    answer = minute < 60 ? (given ?? ok) : ok
    if (minute >= 60 && !given) await restart()
  })
  expect(minutes.at(-1)).toBeGreaterThanOrEqual(60)
  expect(await show(id)).toMatchObject({ status: 'SENT' })
})
