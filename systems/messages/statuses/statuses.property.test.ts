import { silentLog } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { messages } from '../index.ts'
import type { MessageState } from '../message.ts'
import {
  MESSAGES,
  sample,
  signHeaders,
  startApi,
  webhookWith,
  type TestApi,
  type TestStatus,
} from '../testing/api.ts'
import { dropOld, parkedReports, placeParked } from './parked-reports.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const { pool } = database
/** The reports in these tests are of accounts that need nothing. */
const providers = new Map()
let api: TestApi

beforeAll(async () => {
  api = await startApi(database)
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.sim('DELETE', '/whatsapp')
  // The reports of these tests are made by the tests.
  await api.sim('PUT', '/whatsapp/behaviour', { drop: ['sent', 'delivered', 'read', 'failed'] })
})

const all = { after: '0' }
const show = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body
const actionsOf = async (id: string) => {
  const { body } = await api.call<{ items: Record<string, string>[] }>(
    'GET',
    `${MESSAGES}/${id}/audit`,
  )
  return body.items.map(({ action }) => action).toReversed()
}
const queueMessage = async (org = 'acme') =>
  (await api.call('POST', MESSAGES, { body: sample(), org })).body.id
/** A message that the provider has, and the provider's id of it. */
const sendMessage = async () => {
  const id = await queueMessage()
  await api.relay.runOnce()
  return { id, wamid: String((await show(id))['providerMessageId']) }
}
/** A message that was claimed by a worker which was never heard of again. */
const abandonMessage = async () => {
  const id = await queueMessage()
  await pool.query(
    `update messages.outbound_message
        set status = 'SENDING', attempt_count = 1, claim_token = gen_random_uuid(),
            claimed_until = now() + interval '10 minutes'
      where id = $1`,
    [id],
  )
  return id
}

/** The next worker has claimed it since, and sends it again. */
const abandonAgain = async (id: string) => {
  await pool.query(`update messages.outbound_message set status = 'QUEUED' where id = $1`, [id])
  await pool.query(
    `with again as (
       update messages.outbound_message set status = 'SENDING', attempt_count = 2 where id = $1
     )
     insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status, error_code)
     values (gen_random_uuid(), $1, 1, 'FAILED', 'OUTCOME_UNKNOWN'),
            (gen_random_uuid(), $1, 2, 'TRYING', null)`,
    [id],
  )
}

const WORDS = ['sent', 'delivered', 'read', 'failed'] as const

/** What the rules say, in another way than the code: the first word that ends it decides. */
function expectedState(words: readonly string[]): MessageState {
  const last = words.find((word) => word !== 'sent')
  if (last === undefined) return 'SENT'
  return last === 'failed' ? 'FAILED' : 'DELIVERED'
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]),
  )
}

describe('reports', () => {
  test.each([...permutations(['sent', 'delivered', 'read']), ...permutations(['sent', 'failed'])])(
    'in the order %s %s %s end in one state, each repeated, also as one batch',
    async (...words) => {
      const end = words.includes('failed') ? 'FAILED' : 'DELIVERED'
      const [one, other] = [await sendMessage(), await sendMessage()]
      for (const status of words) {
        const body = webhookWith({ id: one.wamid, status, code: 131_026 })
        expect([await api.webhook(body), await api.webhook(body)]).toEqual([200, 200])
      }
      const statuses = words.map((status) => ({ id: other.wamid, status, code: 131_026 }))
      expect(await api.webhook(webhookWith(...statuses, ...statuses))).toBe(200)
      expect((await show(one.id)).status).toBe(end)
      expect((await show(other.id)).status).toBe(end)
      expect(await actionsOf(one.id)).toEqual(await actionsOf(other.id))
    },
  )

  test('of any kind, in any order and number, before or after the answer: the first end stands', async () => {
    const series = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(series, fc.boolean(), async (words, early) => {
        const id = early ? await abandonMessage() : await queueMessage()
        if (!early) await api.relay.runOnce()
        const wamid = early ? `wamid.early-${id}` : String((await show(id))['providerMessageId'])
        for (const status of words) {
          await api.webhook(webhookWith({ id: wamid, status, opaque: id, code: 131_026 }))
        }
        expect(await show(id)).toMatchObject({
          ...{ status: expectedState(words), providerMessageId: wamid, outcomeUnknown: false },
        })
        const isBoth =
          words.includes('failed') && words.some((word) => word === 'delivered' || word === 'read')
        if (isBoth) expect(await actionsOf(id)).toContain('IGNORED')
        // A report counts once, however often it came.
        const updates = (await actionsOf(id)).filter((action) => action === 'UPDATED')
        expect(updates.length).toBeLessThanOrEqual(new Set(words).size)
      }),
      { numRuns: process.env['PROOF'] === 'full' ? 60 : 20 },
    )
  })

  test('that come at the same time, a hundred times over, count once', async () => {
    const { id, wamid } = await sendMessage()
    const bodies = Array.from({ length: 100 }, (_, i) =>
      webhookWith(
        ...(['sent', 'delivered', 'read'] as const)
          .map((status) => ({ id: wamid, status }))
          .toSorted(() => (i % 2 === 0 ? 1 : -1)),
      ),
    )
    const answers = await Promise.all(bodies.map((body) => api.webhook(body)))
    expect(new Set(answers)).toEqual(new Set([200]))
    expect((await show(id)).status).toBe('DELIVERED')
    expect(
      (await actionsOf(id)).filter((action) => action === 'UPDATED').length,
    ).toBeLessThanOrEqual(3)
  })

  test('that beat the answer to the request settle it, and the answer changes nothing', async () => {
    await api.sim('POST', '/whatsapp/faults', {
      mode: 'slow',
      delayMs: 600,
      times: 1,
      effect: true,
    })
    const id = await queueMessage()
    const ticking = api.relay.runOnce()
    await expect.poll(async () => (await show(id)).status).toBe('SENDING')
    const wamid = 'wamid.the-first'
    await api.webhook(webhookWith({ id: wamid, status: 'delivered', opaque: id }))
    expect((await show(id)).status).toBe('DELIVERED')
    await ticking
    expect(await show(id)).toMatchObject({
      status: 'DELIVERED',
      providerMessageId: wamid,
      attemptCount: 1,
    })
    const { body } = await api.call<{ items: object[] }>('GET', `${MESSAGES}/${id}/attempts`)
    expect(body.items).toMatchObject([{ status: 'SUCCESS', attemptNo: 1 }])
  })

  test('of a message that is not known yet are parked, and dropped after ten minutes', async () => {
    const { id, wamid } = await sendMessage()
    await pool.query(
      `update messages.outbound_message set provider_message_id = null where id = $1`,
      [id],
    )
    const outbox = api.system.outboxes[0]
    const warned: object[] = []
    const log = { ...console, warn: (details: object) => void warned.push(details) }
    const intake = { outbox, log, providers } as unknown as Parameters<typeof placeParked>[1]
    await api.webhook(
      webhookWith({ id: wamid, status: 'delivered' }, { id: 'wamid.unknown', status: 'sent' }),
    )
    expect(await placeParked(pool, intake, all)).toEqual({ placed: 0, last: undefined })
    expect((await show(id)).status).toBe('SENT')
    await pool.query(
      `update messages.outbound_message set provider_message_id = $2 where id = $1`,
      [id, wamid],
    )
    expect((await placeParked(pool, intake, all)).placed).toBe(1)
    expect((await show(id)).status).toBe('DELIVERED')
    await dropOld(pool, log)
    expect(warned).toEqual([])
    await pool.query(
      `update messages.delivery_status set received_at = now() - interval '11 minutes' where message_id is null`,
    )
    await dropOld(pool, log)
    expect(warned).toEqual([{ providerMessageId: 'wamid.unknown', status: 'sent' }])
  })

  test('of a message that a worker has locked do not wait for it: they are parked', async () => {
    const [held, free] = [await sendMessage(), await sendMessage()]
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select from messages.outbound_message where id = $1 for update', [held.id])
    const body = webhookWith(
      { id: held.wamid, status: 'delivered' },
      { id: free.wamid, status: 'delivered' },
    )
    expect(await api.webhook(body)).toBe(200)
    expect((await show(free.id)).status).toBe('DELIVERED')
    expect((await show(held.id)).status).toBe('SENT')
    await client.query('commit')
    client.release()
    const intake = { outbox: api.system.outboxes[0], log: silentLog, providers }
    const taken = await placeParked(
      pool,
      intake as unknown as Parameters<typeof placeParked>[1],
      all,
    )
    expect(taken.placed).toBe(1)
    expect((await show(held.id)).status).toBe('DELIVERED')
  })

  test('of messages that are locked are looked at once in a pass, and hold up no others', async () => {
    const free = await sendMessage()
    await pool.query(
      `insert into messages.outbound_message
              (id, org_id, channel, to_recipient, template_code, payload_json, status,
               idempotency_key, request_fingerprint, provider_message_id)
       select gen_random_uuid(), 'acme', 'whatsapp', '+16505550001', 't', '{}', 'SENT',
              'busy ' || n, 'f', 'wamid.busy-' || n from generate_series(1, 250) as n`,
    )
    const park = (ids: string) =>
      pool.query(
        `insert into messages.delivery_status (provider_message_id, status, report, received_at)
         select id, 'delivered', jsonb_build_object('providerMessageId', id, 'status', 'delivered'),
                now() - interval '1 minute'
           from ${ids}`,
      )
    await park(`(select 'wamid.busy-' || n as id from generate_series(1, 250) as n) as busy`)
    await park(`(select '${free.wamid}' as id) as free`)
    const client = await pool.connect()
    await client.query('begin')
    await client.query(
      `select from messages.outbound_message where provider_message_id like 'wamid.busy-%' for update`,
    )
    const sweep = parkedReports(pool, {
      outbox: api.system.outboxes[0],
      log: silentLog,
      providers,
    } as unknown as Parameters<typeof parkedReports>[1])
    const { signal } = new AbortController()
    expect(await sweep.step(signal)).toBe('more')
    expect(await sweep.step(signal)).toBeUndefined()
    expect((await show(free.id)).status).toBe('DELIVERED')
    await client.query('commit')
    client.release()
    const countParked = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::integer from messages.delivery_status
          where message_id is null and provider_message_id like 'wamid.busy-%'`,
      )
      return rows[0]?.count
    }
    // They are a minute old: not in every pass.
    expect(await sweep.step(signal)).toBeUndefined()
    expect(await countParked()).toBe(250)
    for (let step = 0; step < 20; step += 1) await sweep.step(signal)
    expect(await countParked()).toBe(0)
  })

  test('of an attempt before the last do not undo what came since', async () => {
    const { id, wamid } = await sendMessage()
    const opaque = `${id}:1`
    await api.webhook(webhookWith({ id: wamid, status: 'failed', opaque, code: 131_026 }))
    await api.call('POST', `${MESSAGES}/${id}/retry`)
    await api.webhook(webhookWith({ id: wamid, status: 'failed', opaque, code: 131_026 }))
    await api.webhook(webhookWith({ id: wamid, status: 'sent', opaque }))
    await api.webhook(webhookWith({ id: 'wamid.twin', status: 'failed', opaque, code: 131_026 }))
    expect((await show(id)).status).toBe('QUEUED')
    await api.relay.runOnce()
    await api.webhook(webhookWith({ id: wamid, status: 'failed', opaque: id, code: 131_000 }))
    expect((await show(id)).status).toBe('SENT')
    await api.webhook(webhookWith({ id: wamid, status: 'read', opaque }))
    expect((await show(id)).status).toBe('DELIVERED')
  })

  test('of an attempt without an answer do not end the next one, in any order', async () => {
    const cases = [
      { reports: ['1 failed', '2 sent'], end: { status: 'SENT', errorCode: null } },
      { reports: ['1 failed', '2 sent', '2 read'], end: { status: 'DELIVERED', errorCode: null } },
      { reports: ['1 failed', '2 sent', '2 failed'], end: { errorCode: '131026' } },
      // However it got there, it got there.
      { reports: ['1 failed', '1 delivered', '2 sent'], end: { status: 'DELIVERED' } },
    ]
    for (const { reports, end } of cases) {
      for (const order of permutations(reports)) {
        const id = await abandonMessage()
        await abandonAgain(id)
        for (const [at, report] of order.entries()) {
          const [attempt = '', status = ''] = report.split(' ')
          const code = attempt === '1' ? 131_000 : 131_026
          const opaque = `${id}:${attempt}`
          await api.webhook(webhookWith({ id: `wamid.${opaque}`, status, opaque, code }))
          if (at === 0 && report === '1 failed') expect((await show(id)).status).toBe('SENDING')
        }
        expect(await show(id), order.join()).toMatchObject(end)
        expect(await actionsOf(id)).toContain('IGNORED')
      }
    }
  })

  test('of an earlier attempt that arrived say which one it was', async () => {
    const id = await abandonMessage()
    await abandonAgain(id)
    await api.webhook(webhookWith({ id: 'wamid.x', status: 'delivered', opaque: `${id}:1` }))
    const { body } = await api.call<{ items: object[] }>('GET', `${MESSAGES}/${id}/attempts`)
    expect(body.items).toMatchObject([
      { attemptNo: 2, status: 'FAILED', errorCode: 'OUTCOME_UNKNOWN' },
      { attemptNo: 1, status: 'SUCCESS', errorCode: null },
    ])
  })

  test("of another organisation's message are left alone", async () => {
    const { id, wamid } = await sendMessage()
    const body = webhookWith({ id: wamid, status: 'delivered' })
    expect(await api.webhook(body, { ...signHeaders(body), 'x-org-id': 'other' })).toBe(200)
    expect((await show(id)).status).toBe('SENT')
    expect(await api.webhook(body, { ...signHeaders(body), 'x-org-id': 'acme' })).toBe(200)
    expect((await show(id)).status).toBe('DELIVERED')
  })
})

describe('a webhook', () => {
  test.each<[string, (text: string) => [string, Record<string, string>]]>([
    ['without a signature', (text) => [text, {}]],
    ['with a forged one', (text) => [text, signHeaders(text, 'another secret')]],
    ['with one of another body', (text) => [text, signHeaders(`${text} `)]],
    [
      'with one in upper case',
      (text) => [
        text,
        { 'x-hub-signature-256': (signHeaders(text)['x-hub-signature-256'] ?? '').toUpperCase() },
      ],
    ],
    [
      'with half of one',
      (text) => [
        text,
        { 'x-hub-signature-256': (signHeaders(text)['x-hub-signature-256'] ?? '').slice(0, 40) },
      ],
    ],
    ['cut in the middle', (text) => [text.slice(0, 80), signHeaders(text)]],
    ['cut and signed', (text) => [text.slice(0, 80), signHeaders(text.slice(0, 80))]],
    ['with nothing in it', () => ['{}', signHeaders('{}')]],
    ['that is a list', () => ['[]', signHeaders('[]')]],
    [
      'larger than any',
      (text) => {
        const large = text + ' '.repeat(5 * 1_048_576)
        return [large, signHeaders(large)]
      },
    ],
  ])('%s is refused and changes nothing', async (_, make) => {
    const { id, wamid } = await sendMessage()
    const [text, headers] = make(JSON.stringify(webhookWith({ id: wamid, status: 'delivered' })))
    const status = await api.webhook(text, headers)
    expect([400, 401, 413]).toContain(status)
    expect((await show(id)).status).toBe('SENT')
  })

  test('is believed byte by byte, with what Meta escapes', async () => {
    const { id, wamid } = await sendMessage()
    const error = '{"code":131026,"title":"Nicht m\\u00f6glich \\ud83d\\ude00"}'
    const text = `{"entry":[{"changes":[{"value":{"statuses":[{"id":"${wamid}","status":"failed","timestamp":"1","recipient_id":"1","errors":[${error}]}]}}]}]}`
    expect(await api.webhook(text)).toBe(200)
    expect(await show(id)).toMatchObject({ status: 'FAILED', errorMessage: 'Nicht möglich 😀' })
  })

  test('with statuses of other kinds is taken, and they are passed over', async () => {
    const { id, wamid } = await sendMessage()
    const strange = [
      { id: wamid, status: 'played' },
      { id: '', status: 'sent' },
    ] as TestStatus[]
    expect(await api.webhook(webhookWith(...strange, { id: wamid, status: 'read' }))).toBe(200)
    expect(await api.webhook({ object: 'whatsapp_business_account', entry: [{ id: '1' }] })).toBe(
      200,
    )
    expect((await show(id)).status).toBe('DELIVERED')
  })

  test('answers the handshake of a caller with the verify token', async () => {
    const ask = (query: string) => fetch(`${api.url}/api/v1/webhooks/whatsapp/inbound?${query}`)
    const word = 'hub.verify_token=simulated-verify-token'
    const good = await ask(`hub.mode=subscribe&${word}&hub.challenge=115%3Cb%3E`)
    expect([good.status, await good.text()]).toEqual([200, '115<b>'])
    expect(good.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const refused = [
      `hub.mode=subscribe&hub.verify_token=no&hub.challenge=1`,
      `hub.mode=other&${word}&hub.challenge=1`,
      '',
      `hub.mode=subscribe&${word}`,
    ]
    for (const query of refused) expect((await ask(query)).status).toBe(403)
  })
})

test('unsigned webhooks are refused without WHATSAPP_ALLOW_UNSIGNED; with it, only wrong signatures are', async () => {
  const open = await startApi(database, { WHATSAPP_ALLOW_UNSIGNED: 'true' })
  try {
    const { id, wamid } = await sendMessage()
    const body = webhookWith({ id: wamid, status: 'delivered' })
    expect(await open.webhook(body, signHeaders(body, 'wrong'))).toBe(401)
    expect((await show(id)).status).toBe('SENT')
    expect(await open.webhook(body, {})).toBe(200)
    expect((await show(id)).status).toBe('DELIVERED')
  } finally {
    await open.close()
  }
})

test('a user of another organisation sees and changes nothing', async () => {
  const id = await queueMessage()
  const paths: [string, string][] = [
    ['GET', `${MESSAGES}/${id}`],
    ['GET', `${MESSAGES}/${id}/attempts`],
    ['GET', `${MESSAGES}/${id}/audit`],
    ['POST', `${MESSAGES}/${id}/cancel`],
    ['POST', `${MESSAGES}/${id}/retry`],
  ]
  for (const [method, path] of paths) {
    const { status } = await api.call(method, path, { org: 'stranger' })
    expect([path, status]).toEqual([path, 404])
  }
  const mine = await api.call<{ items: object[] }>('GET', MESSAGES, { org: 'stranger' })
  expect(mine.body.items).toEqual([])
  const { body } = await api.call<{ counts: Record<string, number> }>('GET', `${MESSAGES}/stats`, {
    org: 'stranger',
  })
  expect(Object.values(body.counts).every((count) => count === 0)).toBe(true)
  expect((await show(id)).status).toBe('QUEUED')
  expect((await fetch(`${api.url}${MESSAGES}/${id}`)).status).toBe(401)
})
