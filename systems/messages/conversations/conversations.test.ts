import { testDatabase } from '@posthorn/engine/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messages } from '../index.ts'
import type { OrgEvent } from '@posthorn/system'
import {
  MESSAGES,
  sample,
  signHeaders,
  startApi,
  webhookOf,
  webhookWith,
  type Resource,
  type TestApi,
} from '../testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const { pool } = database
const CONVERSATIONS = '/api/v1/conversations'
/** Events for customers' webhooks. */
const notified: OrgEvent[] = []
let api: TestApi

beforeAll(async () => {
  api = await startApi(
    database,
    { WHATSAPP_OPT_IN_KEYWORDS: 'START' },
    async (_, event) => void notified.push(event),
  )
})
afterAll(() => api.close())

interface Listed {
  items: Resource[]
  nextCursor: string | null
}

let numbers = 200
let count = 0
/** A number that no other test has, and that the simulated WhatsApp takes for an ordinary one. */
const newNumber = () => `+1650${(numbers += 1)}1234`
const show = async (path: string, org = 'acme') => (await api.call('GET', path, { org })).body
const itemsOf = async (path: string, org = 'acme') =>
  (await api.call<Listed>('GET', path, { org })).body.items
const advance = (by: string) => api.sim('POST', '/clock/advance', { by })
/** What WhatsApp was asked to send to a number. */
const requestsTo = async (to: string) =>
  ((await api.sim('GET', '/whatsapp/requests'))['items'] as Resource[]).filter(
    ({ body }) => (body as { to?: string } | null)?.to === to,
  )

/** A template that was sent to a person, and the provider's id of it. */
async function sendTemplate(to: string, more: object = {}, org = 'acme') {
  const { body } = await api.call('POST', MESSAGES, { body: { ...sample(to), ...more }, org })
  await api.relay.runOnce()
  const { providerMessageId } = await show(`${MESSAGES}/${body.id}`, org)
  return { id: body.id, wamid: String(providerMessageId) }
}

interface Said {
  readonly id?: string
  readonly text?: string
  readonly answers?: string
  /** Seconds ago. */
  readonly ago?: number
  readonly parts?: object
}

/** A message as Meta's webhook has it. */
function said(from: string, { id, text = 'Hello', answers, ago = 0, parts }: Said = {}) {
  return {
    ...{ from: from.slice(1), id: id ?? `wamid.${from}.${(count += 1)}` },
    timestamp: String(Math.floor(Date.now() / 1_000) - ago),
    ...(parts ?? { type: 'text', text: { body: text } }),
    ...(answers !== undefined && { context: { from: '15550783881', id: answers } }),
  }
}

const hear = async (...sent: object[]) => {
  const contacts = [{ profile: { name: 'Ada' }, wa_id: String(Object(sent[0]).from) }]
  expect(await api.webhook(webhookOf({ contacts, messages: sent }))).toBe(200)
}
const conversationWith = async (recipient: string, org = 'acme') => {
  const path = `${CONVERSATIONS}?recipient=${encodeURIComponent(recipient)}`
  return (await itemsOf(path, org))[0] as Resource
}
const threadOf = async (id: string) => itemsOf(`${CONVERSATIONS}/${id}/messages`)
const answer = (id: string, text: string, options = {}) =>
  api.call('POST', `${CONVERSATIONS}/${id}/messages`, { body: { text }, ...options })

describe('what a person writes', () => {
  test('is stored once, with the message that it answers, and opens a session', async () => {
    const to = newNumber()
    const { id, wamid } = await sendTemplate(to)
    const first = said(to, { text: 'Yes, please', answers: wamid })
    await hear(first, first)
    await Promise.all([hear(first), hear(first)])
    const conversation = await conversationWith(to)
    expect(conversation).toMatchObject({
      ...{ orgId: 'acme', channel: 'whatsapp', recipient: to, contactName: 'Ada' },
      ...{ lastText: 'Yes, please', lastKind: 'text', awaitsAnswer: true, sessionOpen: true },
      ...{ withdrawn: null, dossierId: null, numberId: '106540352242922' },
    })
    expect(await threadOf(conversation.id)).toMatchObject([
      { id, direction: 'outbound', kind: 'template', templateCode: 'otp_code' },
      { direction: 'inbound', text: 'Yes, please', answersMessageId: id },
    ])
    expect(notified.filter(({ key }) => key === conversation.id)).toMatchObject([
      {
        ...{ org: 'acme', type: 'message.received' },
        data: { from: to, text: 'Yes, please', answersMessageId: id, optOut: false },
      },
    ])
  })

  test('of every kind is kept: media by its reference, what is not known as it came', async () => {
    const to = newNumber()
    await sendTemplate(to)
    const image = { id: '99', mime_type: 'image/jpeg', sha256: 'x', caption: 'Look' }
    await hear(
      said(to, { ago: 300, parts: { type: 'image', image } }),
      said(to, {
        ago: 200,
        parts: { type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } },
      }),
      said(to, { ago: 100, parts: { type: 'unsupported', errors: [{ code: 131_051 }] } }),
    )
    const { id } = await conversationWith(to)
    expect(await threadOf(id)).toMatchObject([
      { kind: 'image', text: 'Look', content: { image } },
      { kind: 'reaction', text: '👍' },
      { kind: 'unsupported', text: null, content: { errors: [{ code: 131_051 }] } },
      { direction: 'outbound' },
    ])
  })

  test('needs a signature over exactly these bytes, and is bounded', async () => {
    const to = newNumber()
    await sendTemplate(to)
    const body = webhookOf({ messages: [said(to)] })
    expect(await api.webhook(body, signHeaders(body, 'another secret'))).toBe(401)
    expect(await api.webhook(body, {})).toBe(401)
    expect(await api.webhook(`${JSON.stringify(body)} `, signHeaders(body))).toBe(401)
    expect(await conversationWith(to)).toBeUndefined()
    expect(await api.webhook({ entry: [{ changes: [{ value: { messages: 7 } }] }] })).toBe(400)
    expect(await api.webhook(webhookOf({ messages: [null, {}, said(to, { id: '' })] }))).toBe(200)
    expect(await conversationWith(to)).toBeUndefined()
  })

  test('belongs to the organisation that it answers, and to no other', async () => {
    const to = newNumber()
    const { wamid } = await sendTemplate(to, {}, 'one')
    await sendTemplate(to, {}, 'two')
    await hear(said(to, { text: 'to one', answers: wamid }))
    expect(await conversationWith(to, 'one')).toMatchObject({ lastText: 'to one' })
    expect(await conversationWith(to, 'two')).toBeUndefined()
    const { id } = await conversationWith(to, 'one')
    for (const path of ['', '/messages', '/consents']) {
      const foreign = await api.call('GET', `${CONVERSATIONS}/${id}${path}`, { org: 'two' })
      expect(foreign.status, path).toBe(404)
    }
    expect((await answer(id, 'Hi', { org: 'two' })).status).toBe(404)
    const consent = { body: { granted: false }, org: 'two' }
    expect((await api.call('PUT', `${CONVERSATIONS}/${id}/consent`, consent)).status).toBe(404)
  })

  test('of a person whom no organisation knows is kept, and an alert says so', async () => {
    const stranger = newNumber()
    await hear(said(stranger))
    const { rows } = await pool.query(
      'select org_id, conversation_id from messages.inbound_message where from_number = $1',
      [stranger],
    )
    expect(rows).toEqual([{ org_id: null, conversation_id: null }])
    const { rows: alerts } = await pool.query(
      "select subject from posthorn.alert where code = 'INBOUND_UNASSIGNED'",
    )
    expect(alerts).toEqual([{ subject: '106540352242922' }])
  })

  test('reaches the one who was written to by another form of the number', async () => {
    await sendTemplate('+5511987654321')
    await hear(said('+551187654321', { text: 'Oi' }))
    const { id, recipient } = await conversationWith('+5511987654321')
    expect(recipient).toBe('+5511987654321')
    await hear(said('+551187654321', { text: 'parar' }))
    expect((await answer(id, 'Hi')).body).toMatchObject({ code: 'RECIPIENT_OPTED_OUT' })
    const refused = await api.call('POST', MESSAGES, { body: sample('+551187654321') })
    expect(refused.body).toMatchObject({ code: 'RECIPIENT_OPTED_OUT' })
  })
})

describe('free text', () => {
  test('goes out within 24 hours from the number that the person wrote to', async () => {
    const to = newNumber()
    await sendTemplate(to)
    await api.sim('POST', '/whatsapp/inbound', { from: to, text: 'Hello', repeat: 3 })
    await expect.poll(() => conversationWith(to)).toBeDefined()
    const { id } = await conversationWith(to)
    const queued = await answer(id, 'Good morning.\nHow can we help?', { key: `k-${to}` })
    expect(queued.status).toBe(201)
    expect(queued.body).toMatchObject({ to, templateCode: null, status: 'QUEUED' })
    expect((await answer(id, 'Good morning.\nHow can we help?', { key: `k-${to}` })).status).toBe(
      200,
    )
    expect((await answer(id, 'Another', { key: `k-${to}` })).status).toBe(409)
    await api.relay.runOnce()
    expect((await requestsTo(to))[0]).toMatchObject({
      path: '/sim/whatsapp/v23.0/106540352242922/messages',
      body: { to, type: 'text', text: { body: 'Good morning.\nHow can we help?' } },
    })
    await expect
      .poll(async () => (await threadOf(id)).at(-1))
      .toMatchObject({ kind: 'text', status: 'DELIVERED', readAt: expect.any(String) })
    expect(await show(`${CONVERSATIONS}/${id}`)).toMatchObject({ awaitsAnswer: false })
    for (const text of ['', ' \n', 'x'.repeat(4_097)]) {
      expect((await answer(id, text)).status).toBe(400)
    }
  })

  test('is refused once the session is over, and not sent if that happens while it waits', async () => {
    const to = newNumber()
    await sendTemplate(to)
    await api.sim('POST', '/whatsapp/inbound', { from: to })
    await expect.poll(() => conversationWith(to)).toBeDefined()
    const { id } = await conversationWith(to)
    const waiting = await answer(id, 'Too late')
    await advance('24h')
    const { length } = await requestsTo(to)
    await api.relay.runOnce()
    expect(await show(`${MESSAGES}/${waiting.body.id}`)).toMatchObject({
      ...{ status: 'FAILED', errorCode: 'SESSION_CLOSED' },
      errorMessage: expect.stringContaining('24 hours'),
    })
    expect(await requestsTo(to)).toHaveLength(length)
    const closed = await answer(id, 'Hello?')
    expect(closed).toMatchObject({ status: 409, body: { code: 'SESSION_CLOSED' } })
    expect(await show(`${CONVERSATIONS}/${id}`)).toMatchObject({ sessionOpen: false })
    // A message of yesterday that comes late opens nothing.
    await hear(said(to, { ago: 2 * 86_400 }))
    expect(await show(`${CONVERSATIONS}/${id}`)).toMatchObject({ sessionOpen: false })
    await api.sim('POST', '/whatsapp/inbound', { from: to })
    await expect.poll(() => show(`${CONVERSATIONS}/${id}`)).toMatchObject({ sessionOpen: true })
    expect((await answer(id, 'Now')).status).toBe(201)
  })

  test('goes by the account that the number belongs to', async () => {
    const accessToken = 'token-of-umbrella'
    const appSecret = 'app-secret-of-umbrella'
    const { body: account } = await api.call('POST', '/api/v1/outbound/accounts', {
      ...{ org: 'umbrella', role: 'operator' },
      body: {
        ...{ name: 'Main', phoneNumberIds: ['2001', '2002'], accessToken, appSecret },
        verifyToken: 'verify-token-of-umbrella',
      },
    })
    const { webhookPath } = account
    const known = { accessToken, appSecret, phoneNumberIds: ['2001', '2002'], webhookPath }
    await api.sim('POST', '/whatsapp/accounts', known)
    const to = newNumber()
    // A person whom the organisation has never written to: the number says whose it is.
    await api.sim('POST', '/whatsapp/inbound', { from: to, to: '2002' })
    await expect.poll(() => conversationWith(to, 'umbrella')).toBeDefined()
    const { id } = await conversationWith(to, 'umbrella')
    const { status, body } = await answer(id, 'Hello', { org: 'umbrella' })
    expect([status, body['accountId']]).toEqual([201, account.id])
    await api.relay.runOnce()
    expect((await requestsTo(to))[0]).toMatchObject({
      ...{ path: '/sim/whatsapp/v23.0/2002/messages', outcome: 'ok' },
    })
  })

  test('meets 131047 where WhatsApp knows of no session', async () => {
    const to = newNumber()
    await sendTemplate(to)
    // By a webhook of the test's own: the simulated WhatsApp has not heard of it.
    await hear(said(to))
    const { id } = await conversationWith(to)
    const { body } = await answer(id, 'Hello')
    await api.relay.runOnce()
    expect(await show(`${MESSAGES}/${body.id}`)).toMatchObject({
      ...{ status: 'FAILED', errorCode: '131047' },
    })
  })
})

describe('a keyword', () => {
  test('withdraws consent for the number and its dossiers, and cancels what waits', async () => {
    const to = newNumber()
    const dossier = `d-${to.slice(1)}`
    const consents = `/api/v1/dossiers/${dossier}/consents`
    const grant = { granted: true, source: 'paper', proof: 'form 7' }
    expect((await api.call('PUT', `${consents}/whatsapp`, { body: grant })).status).toBe(200)
    await sendTemplate(to, { dossierId: dossier })
    const waiting = await api.call('POST', MESSAGES, { body: sample(to) })
    await hear(said(to, { text: ' Stop ' }))
    expect(await show(`${MESSAGES}/${waiting.body.id}`)).toMatchObject({ status: 'CANCELLED' })
    const { id, withdrawn } = await conversationWith(to)
    expect(withdrawn).toMatchObject({ source: 'keyword' })
    const refusals = [
      await api.call('POST', MESSAGES, { body: sample(to) }),
      await answer(id, 'Why?'),
      await api.call('POST', MESSAGES, { body: { ...sample(to), dossierId: dossier } }),
    ]
    expect(refusals.map(({ status, body }) => [status, body['code']])).toEqual([
      [403, 'RECIPIENT_OPTED_OUT'],
      [403, 'CONSENT_REQUIRED'],
      [403, 'CONSENT_REQUIRED'],
    ])
    expect(refusals[0]?.body['detail']).toContain('wrote')
    expect((await show(consents))['items']).toMatchObject([{ granted: false, source: 'keyword' }])
    expect(await itemsOf(`/api/v1/dossiers/${dossier}/consent-history`)).toMatchObject([
      { granted: false, source: 'keyword', proof: expect.stringContaining('Stop') },
      { granted: true, source: 'paper', proof: 'form 7', actor: 'ada' },
    ])
    // Other organisations may write as before.
    expect((await api.call('POST', MESSAGES, { body: sample(to), org: 'two' })).status).toBe(201)
  })

  test('gives it back where that is configured, and a new consent does too', async () => {
    const to = newNumber()
    await sendTemplate(to)
    await hear(said(to, { text: 'BAJA', ago: 60 }))
    const { id } = await conversationWith(to)
    expect((await answer(id, 'x')).body).toMatchObject({ code: 'RECIPIENT_OPTED_OUT' })
    await hear(said(to, { text: 'start', ago: 30 }))
    expect((await answer(id, 'Welcome back')).status).toBe(201)
    await hear(said(to, { text: 'STOP' }))
    expect((await answer(id, 'x')).status).toBe(403)
    const consent = { granted: true, source: 'form', proof: 'https://example.test/42' }
    const noted = await api.call('PUT', `${CONVERSATIONS}/${id}/consent`, { body: consent })
    expect(noted).toMatchObject({ status: 200, body: { withdrawn: null } })
    expect((await answer(id, 'Again')).status).toBe(201)
    const history = await itemsOf(`${CONVERSATIONS}/${id}/consents`)
    expect(history.map(({ granted, source }) => [granted, source])).toEqual([
      [true, 'form'],
      [false, 'keyword'],
      [true, 'keyword'],
      [false, 'keyword'],
    ])
  })

  test('that comes while a message is on its way stops its next attempt', async () => {
    const to = newNumber()
    await sendTemplate(to)
    const { body } = await api.call('POST', MESSAGES, { body: sample(to) })
    const client = await pool.connect()
    try {
      // The worker has it in hand: a withdrawal does not find it waiting.
      await client.query("update messages.outbound_message set status = 'SENDING' where id = $1", [
        body.id,
      ])
      await hear(said(to, { text: 'STOP' }))
      await client.query("update messages.outbound_message set status = 'QUEUED' where id = $1", [
        body.id,
      ])
    } finally {
      client.release()
    }
    const { length } = await requestsTo(to)
    await api.relay.runOnce()
    expect(await show(`${MESSAGES}/${body.id}`)).toMatchObject({ status: 'CANCELLED' })
    expect(await requestsTo(to)).toHaveLength(length)
  })
})

test('a thread has pages, newest last, and lists the last active conversation first', async () => {
  const to = newNumber()
  await sendTemplate(to)
  const sent = Array.from({ length: 5 }, (_, i) => said(to, { text: `${i}`, ago: 600 - i }))
  await hear(...sent)
  const { id } = await conversationWith(to)
  const path = `${CONVERSATIONS}/${id}/messages?limit=2`
  const texts: unknown[] = []
  let cursor = ''
  for (;;) {
    const { body } = await api.call<Listed>('GET', `${path}${cursor}`)
    texts.unshift(...body.items.map(({ text, kind }) => text ?? kind))
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(texts).toEqual(['0', '1', '2', '3', '4', 'template'])
  expect((await api.call('GET', `${path}&cursor=x`)).status).toBe(400)
  await hear(said(to))
  expect((await itemsOf(CONVERSATIONS))[0]).toMatchObject({ id })
})

test('any order and number of messages and statuses gives one state', async () => {
  await api.sim('PUT', '/whatsapp/behaviour', { drop: ['sent', 'delivered', 'read', 'failed'] })
  const stateAfter = async (
    plan: (events: readonly object[]) => readonly (readonly object[])[],
  ) => {
    const to = newNumber()
    const { id, wamid } = await sendTemplate(to)
    const events: object[] = [
      ...['sent', 'delivered', 'read'].map((status) => ({ statuses: [{ id: wamid, status }] })),
      ...['Hello', 'STOP', 'START', 'stop', 'Bye'].map((text, i) => ({
        messages: [said(to, { id: `${wamid}.${i}`, text, ago: 300 - 10 * i, answers: wamid })],
      })),
    ]
    for (const webhook of plan(events)) {
      const entry = webhook.flatMap(
        (value) =>
          ('statuses' in value
            ? webhookWith(...(value.statuses as { id: string; status: string }[]))
            : webhookOf(value)
          ).entry,
      )
      expect(await api.webhook({ object: 'whatsapp_business_account', entry })).toBe(200)
    }
    const conversation = await conversationWith(to)
    const thread = await threadOf(conversation.id)
    return {
      message: (await show(`${MESSAGES}/${id}`)).status,
      thread: thread.map(({ direction, text, answersMessageId }) => [
        direction,
        text,
        answersMessageId === id,
      ]),
      awaits: conversation['awaitsAnswer'],
      last: conversation['lastText'],
      open: conversation['sessionOpen'],
      withdrawn: conversation['withdrawn'] !== null,
      consents: (await itemsOf(`${CONVERSATIONS}/${conversation.id}/consents`)).length,
    }
  }
  const expected = await stateAfter((events) => events.map((event) => [event]))
  expect(expected).toMatchObject({
    ...{ message: 'DELIVERED', last: 'Bye', open: true, withdrawn: true, consents: 3 },
    thread: { length: 6 },
  })
  const places = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 })
  const repeats = fc.array(fc.nat(7), { maxLength: 6 })
  const cuts = fc.array(fc.nat(13), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(places, repeats, cuts, async (order, again, ends) => {
      const state = await stateAfter((events) => {
        const sequence = [...order, ...again].map((place) => events[place] ?? {})
        const at = [0, ...ends.toSorted((a, b) => a - b), sequence.length]
        return at.slice(1).map((end, i) => sequence.slice(at[i], end))
      })
      expect(state).toEqual(expected)
    }),
    { numRuns: 25 },
  )
})
