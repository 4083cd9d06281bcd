import { testDatabase } from '@posthorn/engine/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { letterSystem, longReplay } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const { pool } = database
const letters = letterSystem()
const server = await testServer(database, { systems: [letters.system] })
const base = '/api/v1/outboxes/test.letters'

type Item = Record<string, unknown>

/** Waits until a message is in a state. */
async function becomes(id: string, state: string): Promise<Item> {
  const read = async () => (await server.call(`${base}/messages/${id}`)).body
  await expect.poll(read).toMatchObject({ state })
  return read()
}

/** A dead letter whose reader refuses it. */
async function deadLetter(reader: string, type = 'note'): Promise<string> {
  letters.refusing.add(reader)
  const id = await letters.write(pool, { reader, type })
  await becomes(id, 'lost')
  return id
}

afterEach(async () => {
  letters.refusing.clear()
  await server.call(`${base}/resume`, { method: 'POST' })
})

describe('outboxes', () => {
  test('are listed with their states, counts and relays', async () => {
    const id = await letters.write(pool, { reader: 'ada' })
    await becomes(id, 'posted')
    const { body } = await server.call('/api/v1/outboxes')
    expect(body['items']).toMatchObject([
      {
        name: 'test.letters',
        states: ['written', 'posted', 'lost', 'torn'],
        counts: { posted: expect.any(Number), lost: 0 },
        relays: 1,
        paused: false,
        oldestDueSeconds: 0,
      },
    ])
  })

  test('one shows its definition as data, and no function or statement', async () => {
    const { body } = await server.call(base)
    expect(body['definition']).toMatchObject({
      table: 'letters.letter',
      destination: { transport: 'post', topic: 'letters' },
      secrets: ['token'],
    })
    expect(body['definition']).not.toHaveProperty('statements')
  })

  test('an unknown one is 404 and names those there are', async () => {
    const { status, body } = await server.call('/api/v1/outboxes/nope/messages')
    expect(status).toBe(404)
    expect(body['detail']).toContain('test.letters')
  })

  test('pause holds messages back until resume, with who and why', async () => {
    const paused = await server.call(`${base}/pause`, { body: { reason: 'strike' } })
    expect(paused.body).toEqual({ name: 'test.letters', paused: true })
    const id = await letters.write(pool, { reader: 'grace' })
    const { body } = await server.call(base)
    expect(body).toMatchObject({ paused: true, pausedBy: 'root', pauseReason: 'strike' })
    expect((await server.call(`${base}/messages/${id}`)).body).toMatchObject({ state: 'written' })
    await server.call(`${base}/resume`, { method: 'POST' })
    await becomes(id, 'posted')
    const { body: audit } = await server.call('/api/v1/audit?kind=operation&outbox=test.letters')
    const operations = (audit['items'] as Item[]).map(({ operation }) => operation)
    expect(operations).toEqual(expect.arrayContaining(['pause', 'resume']))
  })

  test('a blocked key is unblocked, and its tail goes on', async () => {
    await deadLetter('mallory', 'first')
    letters.refusing.clear()
    const tail = await letters.write(pool, { reader: 'mallory', type: 'second' })
    expect((await server.call(base)).body).toMatchObject({ blockedKeys: 1 })
    const { body } = await server.call(`${base}/keys/mallory/unblock`, { method: 'POST' })
    expect(body).toEqual({ unblocked: true })
    await becomes(tail, 'posted')
    const again = await server.call(`${base}/keys/mallory/unblock`, { method: 'POST' })
    expect(again.body).toEqual({ unblocked: false })
  })

  test('a key may be as long as the table takes it', async () => {
    const key = 'mallory '.repeat(60)
    await deadLetter(key, 'first')
    letters.refusing.clear()
    const place = `${base}/keys/${encodeURIComponent(key)}/unblock`
    expect((await server.call(place, { method: 'POST' })).body).toEqual({ unblocked: true })
  })
})

describe('messages', () => {
  test('are listed newest first, page by page, and filtered', async () => {
    const org = `pages-${Date.now()}`
    for (const type of ['a', 'b', 'a']) await letters.write(pool, { reader: org, type, org })
    const first = await server.call(`${base}/messages?tenant=${org}&limit=2`)
    expect(first.body['items']).toMatchObject([{ type: 'a' }, { type: 'b' }])
    const cursor = encodeURIComponent(String(first.body['nextCursor']))
    const second = await server.call(`${base}/messages?tenant=${org}&limit=2&cursor=${cursor}`)
    expect(second.body).toMatchObject({ items: [{ type: 'a' }], nextCursor: null })
    const ofType = await server.call(`${base}/messages?tenant=${org}&type=b`)
    expect(ofType.body['items']).toHaveLength(1)
    const found = await server.call(`${base}/messages?search=${org.toUpperCase()}&key=${org}`)
    expect(found.body['items']).toHaveLength(3)
  })

  test('one shows payload, attempts and transitions, and hides secrets', async () => {
    const id = await deadLetter('eve')
    const { body } = await server.call(`${base}/messages/${id}`)
    expect(body).toMatchObject({
      state: 'lost',
      errorCode: 'NO_SUCH_READER',
      key: 'eve',
      message: { type: 'note', payload: { reader: 'eve', token: '(hidden)' } },
      transitions: [{ from: 'written', to: 'lost', code: 'NO_SUCH_READER', actor: 'RELAY' }],
    })
    expect(JSON.stringify(body)).not.toContain('hush')
  })

  test('a dead one is replayed once, by a named operator', async () => {
    const id = await deadLetter('heidi')
    letters.refusing.clear()
    const { status, body } = await server.call(`${base}/messages/${id}/replay`, {
      body: { reason: 'she is back' },
    })
    expect({ status, body }).toEqual({ status: 202, body: { count: 1 } })
    const { transitions } = await becomes(id, 'posted')
    const replayed = { from: 'lost', to: 'written', actor: 'root', reason: 'she is back' }
    expect(transitions).toEqual(expect.arrayContaining([expect.objectContaining(replayed)]))
    const again = await server.call(`${base}/messages/${id}/replay`, { method: 'POST' })
    expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  test('a dead one is cancelled; one that was posted is not', async () => {
    const id = await deadLetter('ivan')
    const { body } = await server.call(`${base}/messages/${id}/cancel`, { method: 'POST' })
    expect(body).toEqual({ count: 1 })
    await becomes(id, 'torn')
    const posted = await letters.write(pool, { reader: 'judy' })
    await becomes(posted, 'posted')
    const late = await server.call(`${base}/messages/${posted}/cancel`, { method: 'POST' })
    expect(late.status).toBe(409)
  })

  test('an unknown id, or one that is none, is 404', async () => {
    for (const id of ['01890a5d-ac96-774b-bcce-b302099a8057', 'nonsense', '%00']) {
      const { status } = await server.call(`${base}/messages/${id}`)
      expect([400, 404]).toContain(status)
    }
  })
})

describe('replays', () => {
  test('a dry run counts and changes nothing; the replay takes just the filtered', async () => {
    const bills = [await deadLetter('b1', 'bill'), await deadLetter('b2', 'bill')]
    const other = await deadLetter('b3', 'invite')
    letters.refusing.clear()
    const filter = { type: 'bill', code: 'NO_SUCH_READER' }
    const dry = await server.call(`${base}/replay`, { body: { filter, dryRun: true } })
    expect(dry).toMatchObject({ status: 202, body: { count: 2, dryRun: true } })
    expect((await server.call(`${base}/messages/${bills[0]}`)).body).toMatchObject({
      state: 'lost',
    })
    const never = await server.call(`${base}/replay`, { body: { filter, perSecond: 5e-324 } })
    expect(never).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    const wet = await server.call(`${base}/replay`, { body: { filter } })
    expect(wet).toMatchObject({ status: 202, body: { count: 2, dryRun: false } })
    for (const id of bills) await becomes(id, 'posted')
    expect((await server.call(`${base}/messages/${other}`)).body).toMatchObject({ state: 'lost' })
  })

  test('one that was started goes on without its client, and shows how far it is', async () => {
    const ids = [await deadLetter('r1', 'long'), await deadLetter('r2', 'long')]
    letters.refusing.clear()
    const order = { filter: { type: 'long' }, reason: 'they moved' }
    const { status, body } = await server.call(`${base}/replays`, { body: order })
    expect(status).toBe(202)
    expect(body).toMatchObject({ state: 'running', matched: 2, wanted: 2, by: 'root' })
    const path = `${base}/replays/${String(body['id'])}`
    const read = async () => (await server.call(path)).body
    await expect.poll(read).toMatchObject({ state: 'done', replayed: 2 })
    for (const id of ids) await becomes(id, 'posted')
    const { body: list } = await server.call(`${base}/replays`)
    expect((list['items'] as Item[])[0]).toMatchObject({ ...order, replayed: 2, diedAgain: 0 })
    const late = await server.call(`${path}/stop`, { method: 'POST' })
    expect(late).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  test('one that waits for its rate is stopped by an operator', async () => {
    await pool.query(longReplay)
    const id = '01890a5d-ac96-774b-bcce-b302099a8057'
    const { body } = await server.call(`${base}/replays/${id}/stop`, { body: { reason: 'no' } })
    expect(body).toMatchObject({ id, state: 'stopped', replayed: 10_000, wanted: 20_000 })
    expect((await server.call(`${base}/replays/nonsense`)).status).toBe(404)
  })

  test('dead messages are grouped by their error code', async () => {
    await deadLetter('g1', 'grouped')
    await deadLetter('g2', 'grouped')
    const { body } = await server.call(`${base}/dead-letters?type=grouped`)
    expect(body).toMatchObject({
      items: [{ code: 'NO_SUCH_READER', count: 2, firstDiedAt: expect.any(String) }],
    })
    const { status } = await server.call(`${base}/dead-letters?since=yesterday`)
    expect(status).toBe(400)
  })

  test('a filter that is wrong is named, field by field', async () => {
    const body = { filter: { since: 'yesterday', colour: 'red' }, limit: 0 }
    const answer = await server.call(`${base}/replay`, { body })
    expect(answer.status).toBe(400)
    const fields = (answer.body['errors'] as { field: string }[]).map(({ field }) => field)
    expect(fields.toSorted()).toEqual(['filter.colour', 'filter.since', 'limit'])
  })
})

describe('alerts', () => {
  test('one stands for each dead message, is acknowledged once and recovers by a replay', async () => {
    const id = await deadLetter('kim')
    const { body } = await server.call('/api/v1/alerts?status=open&source=test.letters')
    const alert = (body['items'] as Item[]).find(({ subject }) => subject === id)
    expect(alert).toMatchObject({ code: 'NO_SUCH_READER', tenant: 'demo', acknowledgedBy: null })
    const path = `/api/v1/alerts/${String(alert?.['id'])}/acknowledge`
    const seen = await server.call(path, { method: 'POST' })
    expect(seen.body).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'root' })
    const token = await server.tokenFor({ sub: 'second', role: 'operator' })
    const late = await server.call(path, { method: 'POST', token })
    expect(late.body).toMatchObject({ acknowledgedBy: 'root' })
    letters.refusing.clear()
    await server.call(`${base}/messages/${id}/replay`, { method: 'POST' })
    await becomes(id, 'posted')
    const { body: after } = await server.call('/api/v1/alerts?status=recovered')
    expect((after['items'] as Item[]).map(({ subject }) => subject)).toContain(id)
  })

  test('an unknown one is 404', async () => {
    for (const id of ['999999', 'x', '-1']) {
      const { status } = await server.call(`/api/v1/alerts/${id}/acknowledge`, { method: 'POST' })
      expect(status).toBe(404)
    }
  })
})

describe('audit', () => {
  test('finds what happened to a message, and what an operator did', async () => {
    const id = await deadLetter('lena')
    const { body } = await server.call(`/api/v1/audit?messageId=${id}`)
    expect(body).toMatchObject({ items: [{ kind: 'transition', messageId: id, to: 'lost' }] })
    const none = await server.call('/api/v1/audit?search=never-written-text')
    expect(none.body).toEqual({ items: [], nextCursor: null })
  })
})
