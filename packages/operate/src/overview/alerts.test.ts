import { beforeEach, describe, expect, test } from 'vitest'
import { acknowledgeAlert, listAlerts, openAlerts } from './alerts.ts'
import { raiseAlert, recoverAlert, cancel, replay } from '@posthorn/engine/internal'
import { searchAudit } from '../audit/audit.ts'
import {
  type Outbox,
  enqueueAll,
  delivered,
  refused,
  createRelay,
  transaction,
  uuid,
} from '@posthorn/engine'
import { fakeTransport, testDatabase, viewTable } from '@posthorn/engine/testing'
import { outboundLetters, outboxTables } from '../../../engine/src/testing/outboxes.ts'

const db = await testDatabase({ sql: outboxTables })
const fake = fakeTransport()
const relay = createRelay({
  pool: db.pool,
  outboxes: [outboundLetters],
  transports: { topics: fake },
  mode: 'poll',
})

beforeEach(async () => {
  await viewTable(db.pool, outboundLetters as unknown as Outbox).empty()
  await db.pool.query(
    'begin; set local session_replication_role = replica; truncate posthorn.alert, posthorn.operation; commit',
  )
  fake.answer = () => refused({ code: 'E131047', message: 'no' })
})

const tickUntilIdle = async () => {
  for (let i = 0; i < 50 && (await relay.runOnce()) > 0; i += 1);
}

async function killMessages(count: number): Promise<string[]> {
  const all = await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outboundLetters,
      Array.from({ length: count }, () => ({
        org_id: 'acme',
        idempotency_key: uuid(),
        channel: 'whatsapp',
        to_recipient: '+1',
        payload_json: {},
      })),
    ),
  )
  await tickUntilIdle()
  return all.map(({ id }) => id)
}

const raise = (
  subject: string,
  more: { source?: string; tenant?: string; code?: string; occurrence?: string } = {},
) =>
  transaction(db.pool, (tx) =>
    raiseAlert(tx, { source: 'sagas', code: 'SAGA_STUCK', detail: 'stuck', subject, ...more }),
  )
const acknowledge = (id: string, by: string) =>
  transaction(db.pool, (tx) => acknowledgeAlert(tx, { id, by }))

describe('a list of alerts', () => {
  test('goes from the newest to the oldest, page by page', async () => {
    const raised = Array.from({ length: 12 }, (_, i) => `s${i + 1}`)
    for (const subject of raised) await raise(subject)
    const subjects: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 3; page += 1) {
      const { items, nextCursor } = await listAlerts(db.pool, {
        limit: 5,
        ...(cursor && { cursor }),
      })
      subjects.push(...items.map(({ subject }) => subject))
      cursor = nextCursor
    }
    expect(subjects).toEqual(raised.toReversed())
    expect(cursor).toBeUndefined()
  })

  test('is narrowed by source, code, tenant and state', async () => {
    const first = await raise('s1', { tenant: 'acme' })
    await raise('s2', { source: 'parcels' })
    await raise('s3', { code: 'OTHER' })
    await raise('s4')
    await acknowledge(first.id, 'ada')
    await transaction(db.pool, (tx) => recoverAlert(tx, { source: 'sagas', subject: 's4' }))
    const findIds = async (filter: Parameters<typeof listAlerts>[1]) =>
      (await listAlerts(db.pool, filter)).items.map(({ subject }) => subject)
    expect(await findIds({ source: 'parcels' })).toEqual(['s2'])
    expect(await findIds({ code: 'OTHER' })).toEqual(['s3'])
    expect(await findIds({ tenant: 'acme' })).toEqual(['s1'])
    expect(await findIds({ state: 'open' })).toEqual(['s3', 's2'])
    expect(await findIds({ state: 'acknowledged' })).toEqual(['s1'])
    expect(await findIds({ state: 'recovered' })).toEqual(['s4'])
    expect(await findIds({ source: 'a\0b' })).toEqual([])
    expect(await openAlerts(db.pool)).toEqual({ parcels: 1, sagas: 1 })
  })

  test.each(['', 'x', 'WzFd', Buffer.from('["9223372036854775808"]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(listAlerts(db.pool, { cursor })).rejects.toMatchObject({
        code: 'CURSOR_INVALID',
      })
    },
  )
})

describe('acknowledging', () => {
  test('keeps the first who did, and leaves one trace', async () => {
    const { id } = await raise('s1')
    expect(await acknowledge(id, 'ada')).toMatchObject({
      state: 'acknowledged',
      acknowledgedBy: 'ada',
    })
    expect(await acknowledge(id, 'bob')).toMatchObject({ id, acknowledgedBy: 'ada' })
    const { items } = await searchAudit(db.pool, { kind: 'operation' })
    expect(items).toMatchObject([
      { kind: 'operation', operation: 'acknowledge', outbox: 'sagas', subject: 's1', actor: 'ada' },
    ])
  })

  test('by two at once: both learn who was first', async () => {
    const { id } = await raise('s1')
    const all = await Promise.all(['ada', 'bob', 'cyd', 'dan'].map((by) => acknowledge(id, by)))
    expect(new Set(all.map((alert) => alert?.acknowledgedBy)).size).toBe(1)
    expect(all[0]?.acknowledgedBy).toMatch(/^(ada|bob|cyd|dan)$/)
    expect((await searchAudit(db.pool)).items).toHaveLength(1)
  })

  test.each(['999999', '-1', 'x', '1.5', '99999999999999999999', ''])(
    'is undefined for the id %j',
    async (id) => {
      expect(await acknowledge(id, 'ada')).toBeUndefined()
    },
  )
})

describe('raising', () => {
  test('the same again changes nothing until it has recovered', async () => {
    const first = await raise('s1')
    await acknowledge(first.id, 'ada')
    expect(await raise('s1')).toMatchObject({ id: first.id, state: 'acknowledged' })
    expect((await raise('s1', { code: 'OTHER' })).id).not.toBe(first.id)
    const over = { source: 'sagas', subject: 's1' }
    expect(await transaction(db.pool, (tx) => recoverAlert(tx, over))).toBe(2)
    expect(await transaction(db.pool, (tx) => recoverAlert(tx, over))).toBe(0)
    expect(await raise('s1')).toMatchObject({ state: 'open' })
  })

  test('what has happened again is another alert, and ends with its acknowledgement', async () => {
    const first = await raise('s1', { occurrence: 'event 1' })
    expect(await raise('s1', { occurrence: 'event 1' })).toMatchObject({ id: first.id })
    const second = await raise('s1', { occurrence: 'event 2' })
    expect(second.id).not.toBe(first.id)
    expect(await acknowledge(first.id, 'ada')).toMatchObject({
      ...{ state: 'recovered', acknowledgedBy: 'ada' },
      recoveredAt: expect.any(Date) as Date,
    })
    expect(await openAlerts(db.pool)).toEqual({ sagas: 1 })
    expect((await raise('s1', { occurrence: 'event 1' })).id).not.toBe(first.id)
    const over = { source: 'sagas', subject: 's1', occurrence: 'event 2' }
    expect(await transaction(db.pool, (tx) => recoverAlert(tx, over))).toBe(1)
    expect(await openAlerts(db.pool)).toEqual({ sagas: 1 })
  })

  test('by many at once is one alert', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => raise('s1')))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  })
})

describe('the alert of a dead message', () => {
  test('recovers with its replay, and another death is another alert', async () => {
    const [id = '', other = ''] = await killMessages(2)
    expect(await openAlerts(db.pool)).toEqual({ 'letters.outbound': 2 })
    const again = () =>
      transaction(db.pool, (tx) =>
        replay(tx, outboundLetters, { filter: { ids: [id] }, by: 'ada' }),
      )
    await again()
    const { items } = await listAlerts(db.pool, { state: 'open' })
    expect(items).toMatchObject([{ subject: other, tenant: 'acme', code: 'E131047' }])
    await tickUntilIdle()
    expect(await openAlerts(db.pool)).toEqual({ 'letters.outbound': 2 })
    fake.answer = () => delivered()
    await again()
    await tickUntilIdle()
    expect((await listAlerts(db.pool, { state: 'recovered' })).items).toHaveLength(2)
  })

  test('recovers when the message is cancelled', async () => {
    const ids = await killMessages(2)
    await transaction(db.pool, (tx) => cancel(tx, outboundLetters, { ids, by: 'ada' }))
    expect(await openAlerts(db.pool)).toEqual({})
  })

  test('stands if the replay is rolled back', async () => {
    await killMessages(1)
    const failing = transaction(db.pool, async (tx) => {
      await replay(tx, outboundLetters, { filter: {}, by: 'ada' })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await openAlerts(db.pool)).toEqual({ 'letters.outbound': 1 })
  })
})
