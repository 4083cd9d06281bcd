import {
  type Transaction,
  confirm,
  createRelay,
  silentLog,
  transaction,
  uuid,
} from '@posthorn/engine'
import { replay } from '@posthorn/operate'
import { everywhere, fakeTransport } from '@posthorn/engine/testing'
import { beforeEach, expect, test } from 'vitest'
import { type Answer, outcomeOf } from '../attach/outcome.ts'
import { findJob } from '../jobs/queries.ts'
import { rowsOutbox } from '../outbox.ts'
import { createProgress } from '../progress.ts'
import { retryErrors } from '../rows/retry.ts'
import { evidenceDatabase } from '../testing/running.ts'
import { storeJob } from '../testing/queries.ts'
import type { OrgEvent } from '@posthorn/system'
import { addUpAll } from './add-up.ts'

const db = await evidenceDatabase()
const outbox = rowsOutbox({ perMerchant: 1_000 })
const relay = createRelay({
  pool: db.pool,
  outboxes: [outbox],
  transports: everywhere(fakeTransport(), ['kafka']),
  mode: 'poll',
})
const notified: OrgEvent[] = []
const options = {
  pool: db.pool,
  log: silentLog,
  notify: async (_tx: Transaction, event: OrgEvent) => void notified.push(event),
  progress: createProgress(silentLog),
  everyMs: 100,
}
const addUp = () => addUpAll(options)

const ATTACHED: Answer = { kind: 'attached', ids: ['d-1'] }
const FAILED: Answer = { kind: 'failed', message: 'not today' }
const REFUSED: Answer = { kind: 'refused', code: 'BAD_CASE', message: 'no such case' }
type Given = Exclude<Answer, { kind: 'unauthorised' }>

let job = ''
let rows: string[] = []

beforeEach(async () => {
  notified.length = 0
  job = uuid()
  rows = []
})

async function begin(cases: number): Promise<void> {
  const names = Array.from({ length: cases }, (_, n) => `case-${n}`)
  rows = await storeJob(db.pool, outbox, { id: job, cases: names })
  await publish()
}

async function publish(): Promise<void> {
  await db.pool.query(
    `update evidence.file_outbox_row set next_retry_at = now() where status = 'FAILED'`,
  )
  for (let i = 0; i < 20 && (await relay.runOnce()) > 0; i += 1);
}

async function end(places: readonly number[], answer: Answer, attempt = 0): Promise<void> {
  const outcome = outcomeOf(answer as Given, attempt)
  const given = places.map((n) => ({ id: rows[n] as string, outcome, attempt }))
  await transaction(db.pool, (tx) => confirm(tx, outbox, given))
}

async function read() {
  const found = await findJob(db.pool, { id: job, org: 'acme' })
  if (!found) throw new Error('the job is gone')
  const { status, success_count, error_count, pending_retries, round, tally } = found
  const counts = [success_count, pending_retries, error_count]
  return { status, round, counts, tally, nextRetryAt: found.next_retry_at }
}

const messages = () => notified.map(({ data }) => (data as { message: string }).message)

test('N1 counts first attempts, N2 comes when every row has ended', async () => {
  await begin(5)
  await end([0, 1, 2], ATTACHED)
  await end([3], FAILED)
  await addUp()
  expect(notified).toEqual([])
  expect(await read()).toMatchObject({ tally: { published: 1, success: 3, failed: 1 } })
  await end([4], FAILED)
  await addUp()
  expect(messages()).toEqual(['Initial Results: 3 success, 2 pending retry'])
  const { rows: failed } = await db.pool.query<{ at: Date; hours: number }>(
    `select min(next_retry_at) as at, extract(epoch from min(next_retry_at) - now())::float8 / 3600 as hours
       from evidence.file_outbox_row where file_job_id = $1 and status = 'FAILED'`,
    [job],
  )
  expect(failed[0]?.hours).toBeCloseTo(6, 1)
  expect(await read()).toMatchObject({
    status: 'PROCESSING',
    counts: [3, 2, 0],
    nextRetryAt: failed[0]?.at,
  })
  await publish()
  await end([3], ATTACHED, 1)
  await end([4], REFUSED, 1)
  await addUp()
  expect(messages()).toEqual([
    'Initial Results: 3 success, 2 pending retry',
    'Final Results: 4 success, 1 errors',
  ])
  expect(await read()).toMatchObject({ status: 'COMPLETED', counts: [4, 0, 1], round: 1 })
  expect(notified.map(({ org, type, key }) => [org, type, key])).toEqual([
    ['acme', 'evidence.initial_results', job],
    ['acme', 'evidence.final_results', job],
  ])
  expect(await addUp()).toBe(0)
})

test('N1 tells of first attempts although retries have run since', async () => {
  await begin(3)
  await end([0], FAILED)
  await end([1], FAILED)
  await publish()
  await end([0], ATTACHED, 1)
  await publish()
  await end([1], REFUSED, 1)
  await addUp()
  expect(notified).toEqual([])
  await end([2], ATTACHED)
  await addUp()
  expect(messages()).toEqual([
    'Initial Results: 1 success, 2 pending retry',
    'Final Results: 2 success, 1 errors',
  ])
})

test('each is notified once, with many workers at once', async () => {
  await begin(200)
  const places = Array.from({ length: 200 }, (_, n) => n)
  const all = places.map(async (n) => {
    await end([n], n % 2 === 0 ? ATTACHED : REFUSED)
    await addUp()
  })
  await Promise.all([...all, addUp(), addUp()])
  await Promise.all([addUp(), addUp(), addUp()])
  expect(messages().toSorted()).toEqual([
    'Final Results: 100 success, 100 errors',
    'Initial Results: 100 success, 0 pending retry, 100 errors',
  ])
  const { rows: counted } = await db.pool.query(
    `select pending, published, failed, success, error from evidence.file_job_tally where file_job_id = $1`,
    [job],
  )
  expect(counted).toEqual([{ pending: 0, published: 0, failed: 0, success: 100, error: 100 }])
})

test('a failed notification is neither sent nor lost', async () => {
  await begin(1)
  await end([0], ATTACHED)
  const notify = async () => Promise.reject(new Error('no webhooks today'))
  await addUpAll({ ...options, notify })
  expect(await read()).toMatchObject({ status: 'PROCESSING', tally: { success: 1 } })
  await addUp()
  expect(messages()).toHaveLength(2)
})

test('errors are tried again in a round of their own', async () => {
  await begin(3)
  await end([0], ATTACHED)
  await end([1, 2], REFUSED)
  await addUp()
  const retry = () => retryErrors(db.pool, outbox, { id: job, org: 'acme', by: 'ada' })
  expect(await retry()).toBe(2)
  expect(await read()).toMatchObject({ status: 'PROCESSING', round: 2, tally: { pending: 2 } })
  expect(await retry()).toBe(0)
  await publish()
  await addUp()
  await end([1], ATTACHED)
  await end([2], FAILED)
  await addUp()
  expect(messages()).toHaveLength(2)
  await publish()
  await end([2], ATTACHED, 1)
  await addUp()
  expect(messages().slice(2)).toEqual(['Final Results: 3 success, 0 errors'])
  expect(notified.at(-1)?.data).toMatchObject({ round: 2 })
  expect(await read()).toMatchObject({ status: 'COMPLETED', round: 2, counts: [3, 0, 0] })
})

test('an operator who replays past this system opens the job again', async () => {
  await begin(2)
  await end([0], ATTACHED)
  await end([1], REFUSED)
  await addUp()
  expect(await read()).toMatchObject({ status: 'COMPLETED' })
  const ids = [rows[1] as string]
  await transaction(db.pool, (tx) => replay(tx, outbox, { filter: { ids }, by: 'ops' }))
  await addUp()
  expect(await read()).toMatchObject({ status: 'PROCESSING', round: 2, tally: { pending: 1 } })
  await publish()
  await end([1], ATTACHED)
  await addUp()
  expect(messages().at(-1)).toBe('Final Results: 2 success, 0 errors')
})

test('says how fast it goes', async () => {
  await begin(100)
  await end(
    Array.from({ length: 50 }, (_, n) => n),
    ATTACHED,
  )
  await addUp()
  const { tally } = await read()
  expect(tally.per_second).toBeGreaterThan(1)
})
