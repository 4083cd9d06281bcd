import { fingerprint } from '@posthorn/engine/inbox'
import { applyRetention } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, onTestFinished } from 'vitest'
import { messages } from './index.ts'
import { messageRetention } from './retention.ts'
import { MESSAGES, sample, startApi, type Resource, type TestApi } from './testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
let api: TestApi

beforeAll(async () => {
  api = await startApi(database)
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.sim('DELETE', '/whatsapp')
  await database.pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message, messages.dossier, messages.audit_event, messages.delivery_status cascade; commit',
  )
})

interface Listed {
  items: Resource[]
  nextCursor: string | null
}

const create = async (body: unknown = sample(), options = {}) =>
  (await api.call('POST', MESSAGES, { body, ...options })).body
const stateOf = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body.status
const itemsOf = async (path: string) => (await api.call<Listed>('GET', path)).body.items
const actionsOf = async (path: string) =>
  (await itemsOf(path)).map(({ action, details }) => `${action} ${details}`).toReversed()

describe('a message', () => {
  test('goes from QUEUED by SENDING and SENT to DELIVERED, all of it on record', async () => {
    await api.call('PUT', '/api/v1/dossiers/d-1/consents/whatsapp', { body: { granted: true } })
    const answer = await api.call('POST', MESSAGES, { body: { ...sample(), dossierId: 'd-1' } })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      ...{ orgId: 'acme', dossierId: 'd-1', channel: 'whatsapp', to: '+16505551234' },
      ...{ templateCode: 'otp_code', status: 'QUEUED', attemptCount: 0, maxAttempts: 5 },
      ...{ providerMessageId: null, errorCode: null, errorMessage: null, nextRetryAt: null },
      ...{ payloadJson: { language: 'en_US', parameters: ['4711'] }, outcomeUnknown: false },
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const { id } = answer.body
    await api.relay.runOnce()
    expect(['SENT', 'DELIVERED']).toContain(await stateOf(id))
    await expect.poll(() => stateOf(id)).toBe('DELIVERED')
    await expect.poll(() => itemsOf('/api/v1/dossiers/d-1/activities')).toHaveLength(4)

    const [request] = (await api.sim('GET', '/whatsapp/requests'))['items'] as [
      { path: string; body: unknown },
    ]
    expect(request.path).toBe('/sim/whatsapp/v23.0/106540352242922/messages')
    expect(request.body).toEqual({
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: '+16505551234' },
      type: 'template',
      template: {
        name: 'otp_code',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '4711' }] }],
      },
      biz_opaque_callback_data: `${id}:1`,
    })
    expect(await itemsOf(`${MESSAGES}/${id}/attempts`)).toMatchObject([
      {
        ...{ attemptNo: 1, status: 'SUCCESS', errorCode: null, nextRetryAt: null },
        providerResponse: { messages: [{ message_status: 'accepted' }] },
      },
    ])
    expect(await actionsOf(`${MESSAGES}/${id}/audit`)).toEqual([
      'CREATED Message to whatsapp queued',
      'SENT Message sent successfully',
      'UPDATED Delivery status updated to: sent',
      'UPDATED Delivery status updated to: delivered',
      'UPDATED Delivery status updated to: read',
    ])
    const activities = await itemsOf('/api/v1/dossiers/d-1/activities')
    expect(activities.map(({ type }) => type).toReversed()).toEqual([
      'MESSAGE_SENT',
      'MESSAGE_STATUS_UPDATE',
      'MESSAGE_STATUS_UPDATE',
      'MESSAGE_STATUS_UPDATE',
    ])
    const { rows } = await database.pool.query(
      `select from_state || '>' || to_state as step from posthorn.transition
        where outbox = 'messages.outbound' and message_id = $1 order by id`,
      [id],
    )
    expect(rows.map(({ step }) => step)).toEqual([
      'QUEUED>SENDING',
      'SENDING>SENT',
      'SENT>DELIVERED',
    ])
  })

  test('without a provider that answers is SENDING while it waits', async () => {
    await api.sim('POST', '/whatsapp/faults', { mode: 'slow', delayMs: 500, times: 1 })
    const { id } = await create()
    const ticking = api.relay.runOnce()
    await expect.poll(() => stateOf(id)).toBe('SENDING')
    expect(await itemsOf(`${MESSAGES}/${id}/attempts`)).toMatchObject([{ status: 'TRYING' }])
    await ticking
  })

  test('that cannot be delivered is FAILED by the webhook', async () => {
    const { id } = await create(sample('+16505550026'))
    await api.relay.runOnce()
    await expect.poll(() => stateOf(id)).toBe('FAILED')
    const { body } = await api.call('GET', `${MESSAGES}/${id}`)
    expect(body).toMatchObject({ errorCode: '131026', providerMessageId: expect.any(String) })
    expect(await actionsOf(`${MESSAGES}/${id}/audit`)).toEqual([
      'CREATED Message to whatsapp queued',
      'SENT Message sent successfully',
      'UPDATED Delivery status updated to: failed',
    ])
  })

  test('by mail goes to the other provider, and ends as SENT', async () => {
    const payloadJson = { subject: 'Grüße', text: 'Your code is 4711.' }
    const { id } = await create({
      ...{ channel: 'email', to: 'ada@example.org', payloadJson },
    })
    expect((await api.call('GET', `${MESSAGES}/${id}`)).body['templateCode']).toBeNull()
    await api.relay.runOnce()
    expect(await stateOf(id)).toBe('SENT')
    const [letter] = (await api.sim('GET', '/mail/requests'))['items'] as [object]
    expect(letter).toMatchObject({
      to: 'ada@example.org',
      subject: 'Grüße',
      text: 'Your code is 4711.',
    })
  })
})

describe('an idempotency key', () => {
  test('makes one message of a hundred requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => api.call('POST', MESSAGES, { body: sample(), key: 'k-1' })),
    )
    const counted = Object.groupBy(answers, ({ status }) => status)
    expect([counted[201]?.length, counted[200]?.length]).toEqual([1, 99])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await itemsOf(MESSAGES)).toHaveLength(1)
    expect(await actionsOf(`${MESSAGES}/${answers[0]?.body.id ?? ''}/audit`)).toHaveLength(1)
  })

  test('belongs to its request, in any order of fields', async () => {
    await create(sample(), { key: 'k-2' })
    const turned = Object.fromEntries(Object.entries(sample()).toReversed())
    const same = await api.call('POST', MESSAGES, { body: turned, key: 'k-2' })
    expect(same.status).toBe(200)
    const other = await api.call('POST', MESSAGES, { body: sample('+16505551235'), key: 'k-2' })
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    const elsewhere = { body: sample('+16505551235'), key: 'k-2', org: 'other' }
    expect((await api.call('POST', MESSAGES, elsewhere)).status).toBe(201)
    const bad = await api.call('POST', MESSAGES, { body: sample(), key: 'x'.repeat(300) })
    expect(bad.status).toBe(400)
  })
})

test.each([
  [{ to: '0650 555' }, 'to'],
  [{ to: '+12' }, 'to'],
  [{ to: '+99999999999' }, 'to'],
  [{ channel: 'pigeon' }, 'channel'],
  [{ templateCode: 'Bad Name' }, 'templateCode'],
  [{ templateCode: undefined }, 'templateCode'],
  [{ payloadJson: { parameters: 'x' } }, 'payloadJson.parameters'],
  [{ payloadJson: { parameters: ['a\nb'] } }, 'payloadJson.parameters.0'],
  [{ payloadJson: { language: 'english' } }, 'payloadJson.language'],
  [{ payloadJson: { colour: 'red' } }, 'payloadJson.colour'],
  [{ channel: 'email', to: 'a@b.org', payloadJson: { subject: 's' } }, 'payloadJson.text'],
  [{ channel: 'email', payloadJson: { subject: 's', text: 't' } }, 'to'],
  [{ maxAttempts: 0 }, 'maxAttempts'],
  [{ maxAttempts: 7 }, 'maxAttempts'],
  [{ dossierId: 'a b' }, 'dossierId'],
  [{ nonsense: 1 }, 'nonsense'],
])('%j is refused and names %s', async (change, field) => {
  const { status, body } = await api.call('POST', MESSAGES, { body: { ...sample(), ...change } })
  expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED'])
  expect(body['errors']).toEqual([expect.objectContaining({ field })])
  expect(await itemsOf(MESSAGES)).toEqual([])
})

describe('consent', () => {
  const consents = '/api/v1/dossiers/d-2/consents/whatsapp'
  const linked = { ...sample(), dossierId: 'd-2' }

  test('is required, and its refusal stays on record', async () => {
    const refusal = await api.call('POST', MESSAGES, { body: linked, key: 'k' })
    expect(refusal).toMatchObject({ status: 403, body: { code: 'CONSENT_REQUIRED' } })
    expect(await actionsOf('/api/v1/dossiers/d-2/audit')).toEqual([
      'BLOCKED_BY_POLICY Consent required',
    ])
    expect(await itemsOf(MESSAGES)).toEqual([])
    const granted = await api.call('PUT', consents, { body: { granted: true } })
    expect(granted).toMatchObject({
      status: 200,
      body: { dossierId: 'd-2', channel: 'whatsapp', granted: true },
    })
    expect((await api.call('POST', MESSAGES, { body: linked, key: 'k' })).status).toBe(201)
    const mail = { channel: 'email', to: 'a@b.org', payloadJson: { subject: 's', text: 't' } }
    expect((await api.call('POST', MESSAGES, { body: { ...linked, ...mail } })).status).toBe(403)
  })

  test("is the dossier's organisation's own: another cannot tell that the dossier exists", async () => {
    const org = 'umbrella'
    await api.call('PUT', consents, { body: { granted: true } })
    await create(linked)
    const asked = async (dossierId: string) => {
      const answers = await Promise.all([
        api.call('GET', `/api/v1/dossiers/${dossierId}/consents`, { org }),
        api.call('GET', `/api/v1/dossiers/${dossierId}/activities`, { org }),
        api.call('GET', `/api/v1/dossiers/${dossierId}/audit`, { org }),
      ])
      answers.push(await api.call('POST', MESSAGES, { body: { ...linked, dossierId }, org }))
      return JSON.stringify(answers).replaceAll(/[0-9a-f-]{36}|"requestId":"[^"]*"/g, '')
    }
    expect(await asked('d-2')).toBe(await asked('d-3'))
    // Its own dossier of that id has nothing to do with the other.
    await api.call('PUT', consents, { body: { granted: false }, org })
    expect((await api.call('POST', MESSAGES, { body: linked, org })).status).toBe(403)
    expect((await api.call('GET', '/api/v1/dossiers/d-2/consents')).body).toMatchObject({
      items: [{ dossierId: 'd-2', channel: 'whatsapp', granted: true }],
      channels: expect.arrayContaining(['whatsapp', 'email']),
    })
    expect(await itemsOf(`${MESSAGES}?status=QUEUED`)).toHaveLength(1)
    await api.relay.runOnce()
    expect(await itemsOf(`${MESSAGES}?status=CANCELLED`)).toEqual([])
  })

  test('withdrawn while a message waits, cancels it', async () => {
    await api.call('PUT', consents, { body: { granted: true } })
    const { id } = await create(linked)
    await api.call('PUT', consents, { body: { granted: false } })
    expect(await stateOf(id)).toBe('CANCELLED')
    expect((await actionsOf(`${MESSAGES}/${id}/audit`)).at(-1)).toBe(
      'CANCELLED Consent was withdrawn',
    )
    await api.relay.runOnce()
    expect((await api.sim('GET', '/whatsapp/requests'))['items']).toEqual([])
  })

  test('withdrawn while a message is on its way, stops the next attempt', async () => {
    await api.call('PUT', consents, { body: { granted: true } })
    await api.sim('POST', '/whatsapp/faults', { mode: 'error', status: 400, code: 139_999 })
    const { id } = await create(linked)
    await api.relay.runOnce()
    // As if the withdrawal had come while the message was SENDING.
    await database.pool.query(
      `update messages.consent set granted = false where dossier_id = 'd-2'`,
    )
    await api.sim('POST', '/clock/advance', { by: '2m' })
    await api.relay.runOnce()
    expect(await stateOf(id)).toBe('CANCELLED')
    expect(await itemsOf(`${MESSAGES}/${id}/attempts`)).toHaveLength(1)
    expect((await api.sim('GET', '/whatsapp/requests'))['items']).toHaveLength(1)
  })

  test('of a hundred messages against a withdrawal: none is left to be sent', async () => {
    await api.call('PUT', consents, { body: { granted: true } })
    await Promise.all([
      ...Array.from({ length: 50 }, () => api.call('POST', MESSAGES, { body: linked })),
      api.call('PUT', consents, { body: { granted: false } }),
      ...Array.from({ length: 50 }, () => api.call('POST', MESSAGES, { body: linked })),
    ])
    expect((await itemsOf(`${MESSAGES}?status=QUEUED`)).length).toBe(0)
  })
})

describe('by hand', () => {
  test('what waits is cancelled, and nothing else', async () => {
    const { id } = await create()
    expect((await api.call('POST', `${MESSAGES}/${id}/cancel`)).body.status).toBe('CANCELLED')
    const again = await api.call('POST', `${MESSAGES}/${id}/cancel`)
    expect(again).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    expect((await api.call('POST', `${MESSAGES}/${id}/retry`)).status).toBe(409)
    expect(await actionsOf(`${MESSAGES}/${id}/audit`)).toEqual([
      'CREATED Message to whatsapp queued',
      'CANCELLED Message cancelled',
    ])
  })

  test('what failed is tried again, and old reports of it are history', async () => {
    const { id } = await create(sample('+16505550026'))
    await api.relay.runOnce()
    await expect.poll(() => stateOf(id)).toBe('FAILED')
    expect((await api.call('POST', `${MESSAGES}/${id}/cancel`)).status).toBe(409)
    const retried = await api.call('POST', `${MESSAGES}/${id}/retry`)
    expect(retried.body).toMatchObject({
      ...{ status: 'QUEUED', attemptCount: 0, providerMessageId: null, errorCode: null },
    })
    await api.relay.runOnce()
    const attempts = await itemsOf(`${MESSAGES}/${id}/attempts`)
    expect(attempts.map(({ attemptNo }) => attemptNo)).toEqual([2, 1])
  })

  test('what failed is not sent again once its contents are removed, by no way', async () => {
    const { id } = await create(sample('+16505550026'))
    await api.relay.runOnce()
    await expect.poll(() => stateOf(id)).toBe('FAILED')
    const classes = messageRetention.classes.map((each) => ({ ...each, keep: '0d' as const }))
    const contents = classes.filter(({ name }) => name === 'messages.failed-contents')
    const { removed } = await applyRetention(database.pool, { classes: contents })
    expect(removed['messages.failed-contents']).toBeGreaterThan(0)
    const { body } = await api.call('GET', `${MESSAGES}/${id}`)
    expect(body.payloadJson).toEqual({ language: 'en_US', removed: true })
    expect(body.contentsRemovedAt).not.toBeNull()
    const retried = await api.call('POST', `${MESSAGES}/${id}/retry`)
    expect(retried).toMatchObject({ status: 409, body: { code: 'CONTENTS_REMOVED' } })
    await database.pool.query(
      "update messages.outbound_message set status = 'QUEUED' where id = $1",
      [id],
    )
    expect(await stateOf(id)).toBe('FAILED')
  })

  test('a code is in no table once its time is over, not even as a hash', async () => {
    const body = { ...sample(), payloadJson: { language: 'en_US', parameters: ['830194'] } }
    const first = await api.call('POST', MESSAGES, { body, key: 'a code' })
    await api.relay.runOnce()
    await expect.poll(() => stateOf(first.body.id), { timeout: 20_000 }).toBe('DELIVERED')
    const hash = fingerprint({ method: 'POST', route: MESSAGES, body: { maxAttempts: 5, ...body } })
    const places = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        `select c.oid::regclass::text as name
           from pg_class as c
          cross join lateral query_to_xml(
                format('select 1 from %s as t where t::text like any(%L::text[]) limit 1',
                       c.oid::regclass, $1::text[]), false, false, '') as found
          where c.relkind in ('r', 'p') and not c.relispartition
            and c.relnamespace::regnamespace::text in ('messages', 'posthorn')
            and found::text like '%<row>%'`,
        [[`%830194%`, `%${hash}%`]],
      )
      return rows.map(({ name }) => name)
    }
    expect(await places()).toEqual(['messages.outbound_message'])
    const { rows } = await database.pool.query(
      'select request_fingerprint as hash from messages.outbound_message',
    )
    expect(rows).toEqual([{ hash }])
    const classes = messageRetention.classes
      .filter(({ name }) => name === 'messages.contents')
      .map((each) => ({ ...each, keep: '0d' as const }))
    await applyRetention(database.pool, { classes })
    expect(await places()).toEqual([])
    // The key still stands for the message, also for another request.
    const again = await api.call('POST', MESSAGES, { body, key: 'a code' })
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } })
  })

  test('stats count by state', async () => {
    await create()
    const { id } = await create()
    await api.call('POST', `${MESSAGES}/${id}/cancel`)
    await create(sample(), { org: 'other' })
    const { body } = await api.call('GET', `${MESSAGES}/stats`)
    expect(body).toEqual({
      orgId: 'acme',
      counts: { QUEUED: 1, SENDING: 0, SENT: 0, DELIVERED: 0, FAILED: 0, CANCELLED: 1 },
    })
  })

  test('lists go on where they ended', async () => {
    for (let i = 0; i < 5; i += 1) await create()
    const first = await api.call<Listed>('GET', `${MESSAGES}?limit=3`)
    const next = `${MESSAGES}?limit=3&cursor=${first.body.nextCursor ?? ''}`
    const second = await api.call<Listed>('GET', next)
    const ids = [...first.body.items, ...second.body.items].map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect([ids.length, second.body.nextCursor]).toEqual([5, null])
    expect((await api.call('GET', `${MESSAGES}?cursor=xyz`)).status).toBe(400)
    expect((await api.call('GET', `${MESSAGES}?status=NOPE`)).status).toBe(400)
  })
})

describe('times', () => {
  const quiet = () =>
    api.sim('PUT', '/whatsapp/behaviour', { drop: ['sent', 'delivered', 'read', 'failed'] })
  const show = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body
  const report = (id: string, ...statuses: { status: string; timestamp: string }[]) =>
    Promise.all(
      statuses.map((each) =>
        api.webhook({ entry: [{ changes: [{ value: { statuses: [{ id, ...each }] } }] }] }),
      ),
    )

  test("of sending, arriving and reading are the provider's, in any order of reports", async () => {
    await quiet()
    const { id } = await create()
    expect(await show(id)).toMatchObject({ sendAt: null, sentAt: null, deliveredAt: null })
    await api.relay.runOnce()
    const sent = await show(id)
    expect(sent).toMatchObject({ sentAt: expect.any(String), deliveredAt: null, readAt: null })
    const wamid = String(sent['providerMessageId'])
    await report(wamid, { status: 'read', timestamp: '1769000300' })
    const read = '2026-01-21T12:58:20.000Z'
    expect(await show(id)).toMatchObject({ deliveredAt: read, readAt: read })
    await report(wamid, { status: 'sent', timestamp: '1769000200' })
    await report(wamid, { status: 'delivered', timestamp: '1769000210' })
    expect(await show(id)).toMatchObject({
      sentAt: '2026-01-21T12:56:40.000Z',
      deliveredAt: '2026-01-21T12:56:50.000Z',
      readAt: read,
    })
    const nonsense = await create()
    await api.relay.runOnce()
    const other = String((await show(nonsense.id))['providerMessageId'])
    await report(other, { status: 'delivered', timestamp: '-5' })
    expect(await show(nonsense.id)).toMatchObject({ status: 'DELIVERED', deliveredAt: null })
  })

  test('of a message that is sent again are new', async () => {
    const { id } = await create(sample('+16505550026'))
    await api.relay.runOnce()
    await expect.poll(() => stateOf(id)).toBe('FAILED')
    await api.call('POST', `${MESSAGES}/${id}/retry`)
    expect(await show(id)).toMatchObject({ sentAt: null, deliveredAt: null })
  })

  test('to send at are kept, can be cancelled, and are asked for consent again', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const path = '/api/v1/dossiers/d-5/consents/whatsapp'
    await api.call('PUT', path, { body: { granted: true } })
    const later = await create({ ...sample(), sendAt: soon })
    const cancelled = await create({ ...sample(), sendAt: soon })
    const linked = await create({ ...sample(), sendAt: soon, dossierId: 'd-5' })
    const past = await create({ ...sample(), sendAt: '2020-01-01T00:00:00Z' })
    expect(later).toMatchObject({ status: 'QUEUED', sendAt: soon })
    await api.relay.runOnce()
    expect(await stateOf(past.id)).not.toBe('QUEUED')
    expect(await stateOf(later.id)).toBe('QUEUED')
    await api.call('POST', `${MESSAGES}/${cancelled.id}/cancel`)
    await database.pool.query(`update messages.consent set granted = false`)
    await api.sim('POST', '/clock/advance', { by: '61m' })
    await api.relay.runOnce()
    expect(await stateOf(later.id)).not.toBe('QUEUED')
    expect(await stateOf(cancelled.id)).toBe('CANCELLED')
    expect(await stateOf(linked.id)).toBe('CANCELLED')
    const far = { ...sample(), sendAt: '2099-01-01T00:00:00Z' }
    const refused = await api.call('POST', MESSAGES, { body: far })
    expect(refused.body['errors']).toEqual([expect.objectContaining({ field: 'sendAt' })])
  })

  test('and errors are counted by stretch, for the own organisation', async () => {
    await quiet()
    const ids = [await create(), await create(), await create(sample('+16505550047'))]
    await create(sample(), { org: 'other' })
    await api.relay.runOnce()
    const now = Math.floor(Date.now() / 1_000)
    for (const [i, { id }] of ids.slice(0, 2).entries()) {
      const wamid = String((await show(id))['providerMessageId'])
      await report(wamid, { status: 'sent', timestamp: String(now - 20) })
      await report(wamid, { status: 'delivered', timestamp: String(now - 10 + i * 4) })
      if (i === 0) await report(wamid, { status: 'read', timestamp: String(now) })
    }
    interface Figures {
      points: ({ deliverySeconds: { median: number | null } } & Record<string, number>)[]
      errors: unknown
      stretchSeconds: number
    }
    const { body } = await api.call<Figures>('GET', `${MESSAGES}/figures`)
    const sum = (field: string) => body.points.reduce((all, point) => all + Number(point[field]), 0)
    expect(['created', 'sent', 'delivered', 'read', 'failed'].map(sum)).toEqual([3, 2, 2, 1, 1])
    expect([body.points.length, body.stretchSeconds]).toEqual([48, 1_800])
    expect(body.errors).toEqual([{ code: '131047', count: 1 }])
    const medians = body.points.flatMap(({ deliverySeconds }) => deliverySeconds.median ?? [])
    expect(medians).toEqual([12])
    const counted = async (account: string) => {
      const answer = await api.call<Figures>('GET', `${MESSAGES}/figures?account=${account}`)
      return answer.body.points.reduce((all, point) => all + Number(point['created']), 0)
    }
    expect(await counted('whatsapp')).toBe(3)
    expect(await counted('email')).toBe(0)
    const wrong = `${MESSAGES}/figures?since=2026-01-01T00:00:00Z&until=2026-03-01T00:00:00Z`
    expect((await api.call('GET', wrong)).status).toBe(400)
  })

  test('and other fields narrow the list, by an index', async () => {
    const grant = { body: { granted: true } }
    await api.call('PUT', '/api/v1/dossiers/d-6/consents/whatsapp', grant)
    const linked = await create({ ...sample('+16505551111'), dossierId: 'd-6' })
    const payloadJson = { subject: 's', text: 't' }
    const mail = await create({ channel: 'email', to: 'a@b.org', payloadJson })
    const refused = await create(sample('+16505550047'))
    await api.relay.runOnce()
    const found = async (query: string) =>
      (await itemsOf(`${MESSAGES}?${query}`)).map(({ id }) => id)
    expect(await found('dossierId=d-6')).toEqual([linked.id])
    expect(await found('channel=email')).toEqual([mail.id])
    expect(await found('to=%2B16505550047')).toEqual([refused.id])
    expect(await found('errorCode=131047&templateCode=otp_code')).toEqual([refused.id])
    const moment = (ms: number) => new Date(Date.now() + ms).toISOString()
    expect(await found(`since=${moment(-60_000)}&until=${moment(60_000)}`)).toHaveLength(3)
    expect(await found(`since=${moment(60_000)}`)).toEqual([])
    expect(await found(`until=0001-01-01T00:00:00Z`)).toEqual([])
    expect(await found(`since=0001-01-01T00:00:00Z`)).toHaveLength(3)
    expect((await api.call('GET', `${MESSAGES}?since=yesterday`)).status).toBe(400)
    const client = await database.pool.connect()
    // Destroyed, so that a failure leaves no transaction open.
    onTestFinished(() => client.release(true))
    await client.query(`begin; set local enable_seqscan = off; set local enable_sort = off`)
    const explain = async (where: string) => {
      const { rows } = await client.query<Record<string, string>>(
        `explain select * from messages.outbound_message
          where org_id = 'acme' and ${where} order by id desc limit 50`,
      )
      return rows.map((row) => row['QUERY PLAN']).join()
    }
    expect(await explain(`dossier_id = 'd-6'`)).toContain('outbound_message_dossier')
    expect(await explain(`to_recipient = '+1'`)).toContain('outbound_message_recipient')
    expect(await explain(`channel = 'email'`)).toContain('outbound_message_channel')
    expect(await explain(`id >= messages.first_id_at(now())`)).toContain('outbound_message_listed')
  })
})

test('a campaign holds up neither other organisations nor one-time codes', async () => {
  const campaign = Array.from({ length: 40 }, (_, n) => create(sample(`+1650555${2_000 + n}`)))
  const ids = new Set((await Promise.all(campaign)).map(({ id }) => id))
  const others = await Promise.all(
    Array.from({ length: 12 }, (_, n) => create(sample('+16505551234'), { org: `org-${n}` })),
  )
  const code = await create({ ...sample('+16505553000'), priority: 'urgent' })
  const tried = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ outbound_message_id: string }>(
      `select outbound_message_id from messages.outbound_attempt`,
    )
    return rows.map((row) => row.outbound_message_id)
  }
  await api.relay.runOnce()
  expect(await tried()).toContain(code.id)
  await api.relay.runOnce()
  await api.relay.runOnce()
  // Thirteen organisations and thirty places: each has had its own.
  expect(await tried()).toEqual(expect.arrayContaining(others.map(({ id }) => id)))
  const rest = (await tried()).filter((id) => ids.has(id))
  expect(rest.length).toBeGreaterThan(0)
  const bad = await api.call('POST', MESSAGES, { body: { ...sample(), priority: 'high' } })
  expect(bad.status).toBe(400)
})
