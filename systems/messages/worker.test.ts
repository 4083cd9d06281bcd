import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { startTestChild, testDatabase } from '@posthorn/engine/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { messages } from './index.ts'
import {
  MESSAGES,
  sample,
  startApi,
  webhookWith,
  type Resource,
  type TestApi,
} from './testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const { pool } = database
const started: TestApi[] = []
let api: TestApi

/** Each test has a worker of its own: what one has learnt of a number, the next does not know. */
const start = async (env: Record<string, string> = {}) => {
  api = await startApi(database, env)
  started.push(api)
  return api
}
beforeEach(async () => {
  await pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message, messages.dossier, messages.recipient_consent, messages.audit_event, messages.delivery_status, posthorn.alert cascade; commit',
  )
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.close()))
})

const show = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body
const attemptsOf = async (id: string) =>
  (
    await api.call<{ items: Resource[] }>('GET', `${MESSAGES}/${id}/attempts`)
  ).body.items.toReversed()
const auditOf = async (id: string) =>
  (await api.call<{ items: Resource[] }>('GET', `${MESSAGES}/${id}/audit`)).body.items
    .map(({ action, details }) => `${action} ${details}`)
    .toReversed()
const create = async (to: string, more: object = {}) =>
  (await api.call('POST', MESSAGES, { body: { ...sample(to), ...more } })).body.id
const requests = async () => (await api.sim('GET', '/whatsapp/requests'))['items'] as Resource[]
const advance = (by: string) => api.sim('POST', '/clock/advance', { by })
const fault = (order: object) => api.sim('POST', '/whatsapp/faults', order)
const mute = () =>
  api.sim('PUT', '/whatsapp/behaviour', { drop: ['sent', 'delivered', 'read', 'failed'] })
/** Lets a lease run out, as if its holder had crashed. */
const expire = () =>
  pool.query(
    `update messages.outbound_message
        set claimed_until = now() - interval '1 second', next_retry_at = now()
      where status = 'SENDING'`,
  )

describe('a failure that may pass', () => {
  test.each([
    [5, [1, 5, 15, 60]],
    [6, [1, 5, 15, 60, 360]],
    [1, []],
  ])(
    'with %d attempts is tried again after %j minutes, and then no more',
    async (maxAttempts, waits) => {
      await start()
      const id = await create('+16505550999', { maxAttempts })
      await api.relay.runOnce()
      for (const [i, minutes] of waits.entries()) {
        expect(await show(id)).toMatchObject({
          status: 'QUEUED',
          attemptCount: i + 1,
          errorCode: '139999',
        })
        await advance(`${minutes * 60 - 5}s`)
        await api.relay.runOnce()
        expect(await attemptsOf(id), `${minutes} minutes are not over`).toHaveLength(i + 1)
        await advance('5s')
        await api.relay.runOnce()
      }
      expect(await show(id)).toMatchObject({
        status: 'FAILED',
        attemptCount: maxAttempts,
        nextRetryAt: null,
      })
      await advance('400d')
      await api.relay.runOnce()
      const attempts = await attemptsOf(id)
      expect(attempts.map(({ attemptNo, status }) => `${attemptNo} ${status}`)).toEqual(
        Array.from({ length: maxAttempts }, (_, i) => `${i + 1} FAILED`),
      )
      expect(attempts.map(({ nextRetryAt }) => nextRetryAt !== null)).toEqual([
        ...waits.map(() => true),
        false,
      ])
      expect((await auditOf(id)).at(-1)).toBe('FAILED Message failed: Not today')
      expect(await requests()).toHaveLength(maxAttempts)
    },
  )

  test('says on message and attempt when it is tried again', async () => {
    await start()
    const id = await create('+16505550999')
    await api.relay.runOnce()
    const { nextRetryAt } = await show(id)
    expect(nextRetryAt).toEqual(expect.any(String))
    expect(await attemptsOf(id)).toMatchObject([
      {
        status: 'FAILED',
        errorCode: '139999',
        nextRetryAt,
        providerResponse: { error: { code: 139_999 } },
      },
    ])
  })

  test('is settled by its code, with any text of the provider', async () => {
    const wicked = `{"error":{"code":139999,"message":"${'x'.repeat(1_999)}\\ud83d\\ude00","a\\u0000":"\\u0000\\ud800"}}`
    const server = createServer((_request, response) => response.writeHead(400).end(wicked))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await start({ WHATSAPP_API_URL: `http://127.0.0.1:${port}` })
    const id = await create('+16505551234')
    await api.relay.runOnce()
    server.close()
    expect(await show(id)).toMatchObject({ status: 'QUEUED', errorCode: '139999' })
    expect(await attemptsOf(id)).toMatchObject([{ providerResponse: { error: { code: 139_999 } } }])
  })
})

describe('a failure that will not pass', () => {
  const codes = [
    131_047, 133_000, 133_004, 133_006, 131_031, 100, 131_026, 132_000, 132_001, 131_050,
  ]

  test.each(codes)('%d ends the message at once', async (code) => {
    await start()
    // The code decides, not the status.
    await fault({ mode: 'error', status: code % 2 === 0 ? 400 : 503, code })
    const id = await create('+16505551234')
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({
      status: 'FAILED',
      errorCode: String(code),
      attemptCount: 1,
    })
    expect(await attemptsOf(id)).toMatchObject([{ status: 'FAILED', nextRetryAt: null }])
  })

  test('is in the timeline of its dossier', async () => {
    await start()
    await api.call('PUT', '/api/v1/dossiers/d-1/consents/whatsapp', { body: { granted: true } })
    await create('+16505550047', { dossierId: 'd-1' })
    await api.relay.runOnce()
    const { body } = await api.call<{ items: Resource[] }>('GET', '/api/v1/dossiers/d-1/activities')
    expect(body.items).toMatchObject([
      { type: 'MESSAGE_FAILED', metadata: { errorCode: '131047' } },
    ])
  })

  test('of a person who opted out withdraws the consent, by answer and by report', async () => {
    await start()
    await mute()
    const consentOf = async (id: string) => {
      const path = `/api/v1/dossiers/${id}/consents`
      return (await api.call<{ items: Resource[] }>('GET', path)).body.items[0]?.['granted']
    }
    const dossiers = ['d-1', 'd-2', 'd-3']
    for (const id of dossiers) {
      const path = `/api/v1/dossiers/${id}/consents/whatsapp`
      await api.call('PUT', path, { body: { granted: true } })
    }
    await fault({ mode: 'error', status: 400, code: 131_050, times: 1 })
    await create('+16505551234', { dossierId: 'd-1' })
    await api.relay.runOnce()
    const reported = await create('+16505551235', { dossierId: 'd-2' })
    await create('+16505551236', { dossierId: 'd-3' })
    await api.relay.runOnce()
    // What waits for the same person goes with it.
    const waiting = await create('+16505551235', { dossierId: 'd-2' })
    const wamid = String((await show(reported))['providerMessageId'])
    await api.webhook(webhookWith({ id: wamid, status: 'failed', code: 131_050 }))
    expect(await Promise.all(dossiers.map(consentOf))).toEqual([false, false, true])
    expect((await show(waiting)).status).toBe('CANCELLED')
    const { body } = await api.call<{ items: Resource[] }>('GET', '/api/v1/dossiers/d-2/audit')
    expect(body.items[0]).toMatchObject({
      actor: 'PROVIDER',
      details: 'Consent for whatsapp withdrawn: the recipient opted out at the provider (131050)',
    })
  })

  test('of a person without a dossier who opted out bars the number, in that organisation', async () => {
    await start()
    await mute()
    await fault({ mode: 'error', status: 400, code: 131_050, times: 1 })
    const [answered, reported] = ['+16505551241', '+16505551242']
    const first = await create(answered)
    await api.relay.runOnce()
    expect(await show(first)).toMatchObject({ status: 'FAILED', errorCode: '131050' })
    const second = await create(reported)
    await api.relay.runOnce()
    const waiting = await create(reported)
    const wamid = String((await show(second))['providerMessageId'])
    await api.webhook(webhookWith({ id: wamid, status: 'failed', code: 131_050 }))
    expect((await show(waiting)).status).toBe('CANCELLED')
    for (const to of [answered, reported]) {
      const body = { ...sample(), to }
      expect(await api.call('POST', MESSAGES, { body })).toMatchObject({
        ...{ status: 403, body: { code: 'RECIPIENT_OPTED_OUT' } },
      })
      const elsewhere = { body, org: 'other' }
      expect((await api.call('POST', MESSAGES, elsewhere)).status).toBe(201)
    }
    const { rows } = await pool.query(
      `select entity_type, entity_id, action, actor from messages.audit_event
        where action = 'OPTED_OUT' and entity_id = any($1) order by seq`,
      [[first, second]],
    )
    expect(rows).toEqual(
      [first, second].map((id) => ({
        ...{ entity_type: 'OUTBOUND_MESSAGE', entity_id: id },
        ...{ action: 'OPTED_OUT', actor: 'PROVIDER' },
      })),
    )
  })
})

describe('a limit', () => {
  test('of the number costs no attempt, and the message goes once it is over', async () => {
    await start()
    const id = await create('+16505550429', { maxAttempts: 1 })
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'QUEUED', attemptCount: 0, errorCode: '130429' })
    await advance('2s')
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ attemptCount: 1, errorCode: null })
    expect((await attemptsOf(id)).map(({ attemptNo, status }) => `${attemptNo} ${status}`)).toEqual(
      ['1 FAILED', '2 SUCCESS'],
    )
  })

  test('pauses all that the number sends, and they are not even tried', async () => {
    await start()
    await fault({ mode: 'error', status: 429, code: 130_429, times: 1 })
    const first = await create('+16505551201')
    await api.relay.runOnce()
    await fault({ mode: 'error', status: 400, code: 80_007, times: 1 })
    await advance('2s')
    await api.relay.runOnce()
    // The second pause in a row is longer than a worker waits with a claimed message.
    const others = await Promise.all([1, 2, 3].map((n) => create(`+1650555130${n}`)))
    await api.relay.runOnce()
    expect(await requests()).toHaveLength(2)
    for (const id of others) {
      expect(await show(id)).toMatchObject({ status: 'QUEUED', attemptCount: 0 })
      expect(await attemptsOf(id)).toEqual([])
    }
    expect(await show(first)).toMatchObject({ status: 'QUEUED', attemptCount: 0 })
    // The pause is of the world outside: two real seconds.
    await sleep(2_100)
    await advance('5s')
    await api.relay.runOnce()
    for (const id of [first, ...others]) {
      expect(await show(id)).toMatchObject({ attemptCount: 1, errorCode: null })
    }
  })

  test('of a pair pauses that pair alone', async () => {
    await start()
    const id = await create('+16505550056', { maxAttempts: 1 })
    await api.relay.runOnce()
    const again = await create('+16505550056')
    const other = await create('+16505551234')
    await api.relay.runOnce()
    expect(await show(other)).toMatchObject({ attemptCount: 1, errorCode: null })
    for (const each of [id, again])
      expect(await show(each)).toMatchObject({ status: 'QUEUED', attemptCount: 0 })
    expect(await attemptsOf(again)).toEqual([])
  })

  test('that names its end is believed', async () => {
    await start()
    const id = await create('+16505550429')
    await api.relay.runOnce()
    const { rows } = await pool.query<{ ms: number }>(
      `select extract(epoch from next_retry_at - posthorn.now())::float8 * 1000 as ms
         from messages.outbound_message where id = $1`,
      [id],
    )
    // The simulator asks for one second, less those that the test itself takes.
    expect(rows[0]?.ms).toBeGreaterThan(-20_000)
    expect(rows[0]?.ms).toBeLessThanOrEqual(1_000)
  })
})

describe('an unknown outcome', () => {
  test.each([
    ['an error after the message was taken', '+16505550500', {}],
    ['no answer at all', '+16505550408', { WHATSAPP_TIMEOUT_MS: '300' }],
  ])('by %s is settled by the webhook, without a second message', async (_, to, env) => {
    await start(env)
    await api.sim('PUT', '/whatsapp/behaviour', { paceMs: 600 })
    const id = await create(to)
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({
      status: 'SENDING',
      outcomeUnknown: true,
      attemptCount: 1,
    })
    expect(await attemptsOf(id)).toMatchObject([{ status: 'TRYING' }])
    await expect.poll(async () => (await show(id)).status).toBe('DELIVERED')
    expect(await show(id)).toMatchObject({
      outcomeUnknown: false,
      errorCode: null,
      providerMessageId: expect.stringMatching(/^wamid/),
    })
    expect(await attemptsOf(id)).toMatchObject([{ status: 'SUCCESS' }])
    expect((await auditOf(id)).slice(0, 2)).toEqual([
      'CREATED Message to whatsapp queued',
      'SENT Message sent successfully',
    ])
    expect(await requests()).toHaveLength(1)
  })

  test('without a report is sent again after the wait', async () => {
    await start()
    await mute()
    await fault({ mode: 'drop', times: 1 })
    const id = await create('+16505551234')
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'SENDING', outcomeUnknown: true })
    const { rows } = await pool.query<{ ms: number }>(
      `select extract(epoch from claimed_until - now())::float8 * 1000 as ms from messages.outbound_message`,
    )
    expect(rows[0]?.ms).toBeGreaterThan(110_000)
    expect(rows[0]?.ms).toBeLessThanOrEqual(120_000)
    await expire()
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'SENT', outcomeUnknown: false, attemptCount: 2 })
    expect(await attemptsOf(id)).toMatchObject([
      { status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' },
      { status: 'SUCCESS' },
    ])
  })

  test.each([
    ['is held where doubling is worse', { OUTBOUND_UNKNOWN_OUTCOME: 'hold' }, {}],
    ['ends where no attempt is left', {}, { maxAttempts: 1 }],
  ])('%s', async (_, env, more) => {
    await start(env)
    await mute()
    await fault({ mode: 'timeout', effect: true, times: 1 })
    const id = await create('+16505550500', more)
    const ticking = api.relay.runOnce()
    await expect.poll(requests).toHaveLength(1)
    // The connection goes, as it does when the other side restarts.
    await api.sim('DELETE', '/whatsapp')
    api.app.server.closeAllConnections()
    await ticking
    await expire()
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' })
    expect(await attemptsOf(id)).toMatchObject([{ status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' }])
    expect((await auditOf(id)).at(-1)).toMatch(/^FAILED Message failed: It is unknown/)
  })
})

test('an attempt that was never closed holds up no message, and is closed by the next', async () => {
  await start()
  await mute()
  const [id, other] = [await create('+16505551234'), await create('+16505551235')]
  await pool.query(
    `insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status)
     values (gen_random_uuid(), $1, 0, 'TRYING')`,
    [id],
  )
  await api.relay.runOnce()
  expect(await attemptsOf(id)).toMatchObject([
    { attemptNo: 0, status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' },
    { attemptNo: 1, status: 'SUCCESS' },
  ])
  expect(await attemptsOf(other)).toMatchObject([{ attemptNo: 1, status: 'SUCCESS' }])
})

describe('a worker killed between the answer and its settling', () => {
  /** Runs a real process until the provider has answered it, then kills it. */
  const killWorker = async () => {
    const env = { DATABASE_URL: database.url, WHATSAPP_API_URL: `${api.url}/sim/whatsapp` }
    const script = new URL('testing/worker-process.ts', import.meta.url)
    const child = await startTestChild(script, { env })
    expect(child.line).toBe('answered')
    await child.kill()
  }

  test('has sent one message, which the webhook settles', async () => {
    await start()
    await api.sim('PUT', '/whatsapp/behaviour', { paceMs: 400 })
    const id = await create('+16505551234')
    await killWorker()
    expect(await show(id)).toMatchObject({ attemptCount: 1 })
    // Another worker is there all the time and must leave it alone.
    await api.relay.runOnce()
    await expect.poll(async () => (await show(id)).status).toBe('DELIVERED')
    await expire()
    await api.relay.runOnce()
    expect(await requests()).toHaveLength(1)
    expect(await attemptsOf(id)).toMatchObject([{ attemptNo: 1, status: 'SUCCESS' }])
  })

  test('and is never answered: a second one, and both are on record', async () => {
    await start()
    await mute()
    const id = await create('+16505551234')
    await killWorker()
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'SENDING', attemptCount: 1 })
    await expire()
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ status: 'SENT', attemptCount: 2 })
    expect(await attemptsOf(id)).toMatchObject([
      { status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' },
      { status: 'SUCCESS' },
    ])
    const sent = (await requests()).map(({ messageId }) => String(messageId))
    expect(sent).toHaveLength(2)
    // The first one turns up after all: one person, two messages, one answer.
    await api.webhook(webhookWith({ id: sent.at(-1) ?? '', status: 'delivered', opaque: id }))
    expect(await show(id)).toMatchObject({ status: 'DELIVERED' })
  })
})

test('in bad weather every message arrives once: reports lost, doubled, turned round, too early', async () => {
  await start()
  const second = await startApi(database, { WHATSAPP_API_URL: `${api.url}/sim/whatsapp` })
  started.push(second)
  await api.sim('PUT', '/whatsapp/behaviour', {
    ...{ perSecond: 0, paceMs: 1, repeat: 3, reorder: true, echo: false, drop: ['delivered'] },
  })
  // Reports are then there before the answer is, without our id.
  await fault({ mode: 'slow', delayMs: 300, effect: true })
  const stopSweeping = startPeriodically(api.system.workers ?? [], { log: silentLog })
  await Promise.all([api.relay.start(), second.relay.start()])
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, n) => create(`+1650555${1_000 + n}`)),
  )
  const stats = async () => {
    const { body } = await api.call<{ counts: Record<string, number> }>('GET', `${MESSAGES}/stats`)
    return body.counts
  }
  await expect.poll(stats, { timeout: 25_000 }).toMatchObject({ DELIVERED: 200 })
  await stopSweeping()
  expect(await api.sim('GET', '/whatsapp/tally')).toMatchObject({ accepted: 200 })
  const { rows } = await pool.query(
    `select outbound_message_id from messages.outbound_attempt group by 1 having count(*) <> 1 or min(status) <> 'SUCCESS'`,
  )
  expect(rows).toEqual([])
  expect(new Set(ids).size).toBe(200)
})
