import { setTimeout as sleep } from 'node:timers/promises'
import { advanceClock, useMovableClock } from '@posthorn/engine/operate'
import { testDatabase } from '@posthorn/engine/testing'
import type { Stop } from '@posthorn/systems'
import { expect, test } from 'vitest'
import { loadSystems } from '../systems.ts'
import { testServer } from '../testing/test-server.ts'
import { followAll } from './business-journey.ts'

const NAMES = new Set(['payments', 'messages', 'orders', 'evidence'])
const systems = (await loadSystems({})).filter(({ name }) => NAMES.has(name))
const database = await testDatabase()
const server = await testServer(database, { systems, env: { POSTHORN_ROLES: 'api' } })
const operator = await server.tokenFor({ org: 'acme', role: 'operator' })

const CASE = 'CASE-2001'

/** An id of a kind, in an organisation's own range. */
const idOf = (org: number, kind: number) => `01890a5d-ac96-774b-bcce-${org}000000000${kind}0`

/** One business thing in every system, each linked to the next by what they both name. */
async function write(org: string, range: number, reference: string) {
  const id = (kind: number) => idOf(range, kind)
  const [order, saga, event, payment, endpoint, delivery, message, file, row] = [
    ...[id(1), id(2), id(3), id(4), id(5), id(6), id(7), id(8), id(9)],
  ]
  const run = (text: string, values: readonly unknown[]) =>
    database.pool.query(text, [...values] as unknown[])
  await run(
    `insert into sagas.saga (id, name, version, step_names, tenant, input)
     values ($1::uuid, 'order', 1, '{reserve}', $2, '{}')`,
    [saga, org],
  )
  await run(
    `insert into sagas.saga_step (saga_id, position, name, status)
     values ($1::uuid, 0, 'reserve', 'COMPLETED')`,
    [saga],
  )
  await run(
    `insert into sagas.orders (id, org_id, saga_id, items, amount, currency)
     values ($1::uuid, $2, $3, '[{}]', 1000, 'EUR')`,
    [order, org, saga],
  )
  await run(
    `insert into sagas.payment (order_id, org_id, status, amount, currency, gateway_key, gateway_ref)
     values ($1::uuid, $2, 'CHARGED', 1000, 'EUR', $1::text, $3)`,
    [order, org, reference],
  )
  await run(
    `insert into sagas.saga_outbox (id, saga_id, step, topic, event_type, key, tenant, payload)
     values ($1::uuid, $2::uuid, 'reserve', 'sagas.events', 'stock.reserve', $2::text, $3, '{}')`,
    [event, saga, org],
  )
  await run(
    `insert into payments.payments
       (id, org_id, user_id, amount, currency, external_payment_id, gateway_ref)
     values ($1::uuid, $2, 'ada', 1000, 'EUR', $3, $4)`,
    [payment, org, CASE, reference],
  )
  await run(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     values ($1::uuid, $2, 'https://shop.test/hook', '{payment.failed}')`,
    [endpoint, org],
  )
  await run(
    `insert into payments.webhook_deliveries
       (id, org_id, endpoint_id, event_id, event_type, payload, status, delivered_at)
     values ($1::uuid, $2, $3, 'evt_failed_' || $4::text, 'payment.failed',
             json_build_object('data', json_build_object('paymentId', $4::text)), 'delivered', now())`,
    [delivery, org, endpoint, payment],
  )
  await run(`insert into messages.dossier (id, org_id) values ($1, $2)`, [CASE, org])
  await run(
    `insert into messages.outbound_message
       (id, org_id, dossier_id, channel, to_recipient, template_code, payload_json,
        idempotency_key, request_fingerprint)
     values ($1::uuid, $2, $3, 'whatsapp', '+16505550001', 'hello_world', '{}', $1::text, 'x')`,
    [message, org, CASE],
  )
  await run(
    `insert into evidence.file_job (id, org_id, filename, storage_key, storage_etag, size_bytes)
     values ($1::uuid, $2, 'may.zip', $1::text, 'e', 1)`,
    [file, org],
  )
  await run(
    `insert into evidence.file_outbox_row
       (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files)
     values ($1::uuid, $2, $3, 1, 2, $4, 'a.pdf')`,
    [row, file, org, CASE],
  )
  const [bank, other] = [id(0), idOf(range + 4, 0)]
  await run(
    `insert into payments.reconciliation_runs
       (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
     select $1::uuid, $2, 'ada', 'bank.csv', sha256($1::text::bytea), 1, 2, 2, '{}'`,
    [bank, org],
  )
  await run(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1::uuid, $2, 'ada', 500, 'EUR')`,
    [other, org],
  )
  await run(
    `insert into payments.reconciliation_records
       (run_id, line_number, amount, booked_on, currency, external_transaction_id, status,
        matched_payment_id, decided_by, matched_as)
     select $1::uuid, n, 1000, '2026-03-07', 'EUR', 'BANK-' || n, 'matched', payment, 'manual', null
       from (values (1, $2::uuid), (2, $3::uuid)) as line (n, payment)`,
    [bank, payment, other],
  )
  await run(
    `insert into payments.reconciliation_details (run_id, line_number, run_no, reason, payment_id)
     select $1::uuid, n, 0, 'manual_match', null from generate_series(1, 2) as n`,
    [bank],
  )
  return { order, saga, event, payment, delivery, message, row, line: `${bank}/1` }
}

const acme = await write('acme', 1, 'pay_77')
const rival = await write('rival', 2, 'pay_88')

interface Answer {
  readonly isComplete: boolean
  readonly things: readonly {
    readonly kind: string
    readonly id: string
    readonly to: string
    readonly outbox: string | null
  }[]
  readonly timeline: readonly { readonly at: string; readonly what: string }[]
}

async function journey(id: string, token = operator): Promise<Answer> {
  const path = `/api/v1/journey?id=${encodeURIComponent(id)}`
  const { status, body } = await server.call(path, { token })
  expect(status).toBe(200)
  return body as unknown as Answer
}

const KINDS = [
  ...['file row', 'message', 'order', 'outbound message', 'payment', 'saga', 'statement line'],
  'webhook',
]

test.each([
  ['an order', acme.order],
  ['a saga', acme.saga],
  ['a message of the saga', acme.event],
  ['a payment', acme.payment],
  ['a webhook', acme.delivery],
  ['the event of a webhook', `evt_failed_${acme.payment}`],
  ['an outbound message', acme.message],
  ['a row of a file', acme.row],
  ['a line of a statement', acme.line],
  ['a case', CASE],
  ['a reference of the gateway', 'pay_77'],
])('%s leads to all others', async (_what, id) => {
  const { things, isComplete, timeline } = await journey(id as string)
  expect(things.map(({ kind }) => kind).toSorted()).toEqual(KINDS)
  const own = Object.values(acme)
  expect(things.filter((thing) => !own.includes(thing.id))).toEqual([])
  expect(isComplete).toBe(true)
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted())
  expect(timeline.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      ...['Order placed', 'Step reserve is COMPLETED', 'Payment created'],
      ...['Webhook payment.failed delivered', 'Row 1 of may.zip stored'],
      ...['Line 1 of bank.csv uploaded', 'Line 1 of bank.csv is manual match'],
    ]),
  )
})

test('what happened after the clock was moved is as long ago as it really was', async () => {
  await useMovableClock(database.pool)
  await advanceClock(database.pool, '6h')
  await database.pool.query(
    `insert into payments.webhook_events (event_id, type, payment_id, org_id, payload, outcome)
     values ('evt_moved', 'payment.refunded', $1::uuid, 'acme', '{}', 'kept')`,
    [acme.payment],
  )
  await advanceClock(database.pool, '1d')
  const at = async () => {
    const { timeline } = await journey(acme.payment as string)
    return timeline.find(({ what }) => what === 'Gateway says payment.refunded')?.at ?? ''
  }
  const first = await at()
  expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000)
  // It does not follow the clock of whoever looks.
  await sleep(5)
  expect(await at()).toBe(first)
})

test('another organisation finds its own things under the same case, and nothing by foreign ids', async () => {
  const token = await server.tokenFor({ org: 'rival', role: 'operator' })
  for (const id of [...Object.values(acme), 'pay_77', `evt_failed_${acme.payment}`]) {
    expect(await journey(id as string, token)).toEqual({
      isComplete: true,
      things: [],
      timeline: [],
    })
  }
  const own = Object.values(rival)
  const { things } = await journey(CASE, token)
  expect(things).toHaveLength(KINDS.length)
  expect(things.filter(({ id }) => !own.includes(id))).toEqual([])
})

test('a line that settles several payments is on the journey of each, and joins none of them', async () => {
  const [line, other, further] = [`${idOf(1, 0)}/2`, idOf(5, 0), idOf(9, 0)]
  await database.pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1::uuid, 'acme', 'ada', 500, 'EUR')`,
    [further],
  )
  await database.pool.query(
    `insert into payments.reconciliation_links (payment_id, run_id, line_number)
     values ($1::uuid, $2::uuid, 2)`,
    [further, idOf(1, 0)],
  )
  const kindsOf = async (id: string) => {
    const { things } = await journey(id)
    return things.map((thing) => `${thing.kind} ${thing.id}`).toSorted()
  }
  expect(await kindsOf(other)).toEqual([`payment ${other}`, `statement line ${line}`])
  expect(await kindsOf(further)).toEqual([`payment ${further}`, `statement line ${line}`])
  expect(await kindsOf(line)).toEqual([
    ...[`payment ${other}`, `payment ${further}`, `statement line ${line}`],
  ])
})

test.each([
  ['its payment', acme.payment],
  ['the bank’s id', 'BANK-1'],
  ['its key', acme.line],
])('a line of a statement is found by %s, by its organisation only', async (_what, text) => {
  const found = async (token: string) => {
    const path = `/api/v1/search?q=${encodeURIComponent(text as string)}`
    const { items } = (await server.call(path, { token })).body as unknown as {
      items: { kind: string; id: string; to: string }[]
    }
    return items.filter(({ kind }) => kind === 'statement line')
  }
  expect(await found(operator)).toMatchObject([
    { id: acme.line, to: `/reconciliation/${idOf(1, 0)}?open=1` },
  ])
  const foreign = await found(await server.tokenFor({ org: 'rival', role: 'operator' }))
  expect(foreign.map(({ id }) => id)).not.toContain(acme.line)
})

test('an amount is found in the digits of its currency', async () => {
  await database.pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1::uuid, 'yen', 'ada', 1200, 'JPY')`,
    [idOf(8, 0)],
  )
  const token = await server.tokenFor({ org: 'yen', role: 'member' })
  const found = async (text: string) =>
    (await server.call(`/api/v1/search?q=${text}`, { token })).body['items']
  expect(await found('1200')).toMatchObject([{ id: idOf(8, 0), title: 'Payment of 1200 JPY' }])
  expect(await found('12.00')).toEqual([])
})

test('who does not operate sees no messages of outboxes', async () => {
  const { things } = await journey(CASE, await server.tokenFor({ org: 'acme', role: 'viewer' }))
  expect(things.map(({ kind }) => kind)).not.toContain('message')
  expect(things.every(({ outbox }) => outbox === null)).toBe(true)
  const operated = await journey(CASE)
  const webhook = operated.things.find(({ kind }) => kind === 'webhook')
  expect(webhook).toMatchObject({ outbox: 'payments.webhook-deliveries', id: acme.delivery })
})

test('what is too short or unknown finds nothing', async () => {
  for (const id of ['1', 'no such thing']) {
    expect((await journey(id)).things).toEqual([])
  }
})

test('a way without an end is left, and says so', async () => {
  const stop = (n: number): Stop => ({
    ...{ kind: 'thing', id: `thing-${n}`, title: '', detail: '', to: '/' },
    ids: [`thing-${n + 1}`, null, `thing-${n}`],
    events: [],
  })
  const next = (ids: readonly string[]) => ids.map((id) => stop(Number(id.slice(6))))
  const endless = {
    follows: [async () => []],
    ask: async (_: unknown, ids: readonly string[]) => next(ids),
  }
  const { stops, isComplete } = await followAll(endless, 'thing-1')
  expect(isComplete).toBe(false)
  expect(stops.length).toBeLessThan(10)
  const many = { ...endless, ask: async () => Array.from({ length: 300 }, (_, n) => stop(n)) }
  const crowd = await followAll(many, 'thing-1')
  expect(crowd.isComplete).toBe(false)
  expect(crowd.stops).toHaveLength(100)
})
