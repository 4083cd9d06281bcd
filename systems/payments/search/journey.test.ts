import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { testServer } from '@posthorn/server/testing'
import { expect, test } from 'vitest'
import { payments } from '../index.ts'
import { writeJourney } from '../testing/server-seeds.ts'

const database = await testDatabase()
const server = await testServer(database, { systems: [payments], env: { POSTHORN_ROLES: 'api' } })
const operator = await server.tokenFor({ org: 'acme', role: 'operator' })
const acme = await writeJourney(database.pool, { org: 'acme', case: 'CASE-1', reference: 'pay_77' })
await writeJourney(database.pool, { org: 'rival', case: 'CASE-1', reference: 'pay_88' })

interface Answer {
  readonly things: readonly { readonly kind: string; readonly id: string }[]
  readonly timeline: readonly { readonly at: string; readonly what: string }[]
}

async function journey(id: string): Promise<Answer> {
  const path = `/api/v1/journey?id=${encodeURIComponent(id)}`
  const { status, body } = await server.call(path, { token: operator })
  expect(status).toBe(200)
  return body as unknown as Answer
}

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
    const { timeline } = await journey(acme.payment)
    return timeline.find(({ what }) => what === 'Gateway says payment.refunded')?.at ?? ''
  }
  const first = await at()
  expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000)
  // It does not follow the clock of whoever looks.
  await sleep(5)
  expect(await at()).toBe(first)
})

test('a line that settles several payments is on the journey of each, and joins none of them', async () => {
  const [line, other, further] = [`${acme.bank}/2`, acme.other, uuid()]
  await database.pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1::uuid, 'acme', 'ada', 500, 'EUR')`,
    [further],
  )
  await database.pool.query(
    `insert into payments.reconciliation_links (payment_id, run_id, line_number)
     values ($1::uuid, $2::uuid, 2)`,
    [further, acme.bank],
  )
  const kindsOf = async (id: string) => {
    const { things } = await journey(id)
    return things.map((thing) => `${thing.kind} ${thing.id}`).toSorted()
  }
  expect(await kindsOf(other)).toEqual([`payment ${other}`, `statement line ${line}`])
  expect(await kindsOf(further)).toEqual([`payment ${further}`, `statement line ${line}`])
  expect(await kindsOf(line)).toEqual(
    [`payment ${other}`, `payment ${further}`, `statement line ${line}`].toSorted(),
  )
})

test.each([
  ['its payment', acme.payment],
  ['the bank’s id', 'BANK-1'],
  ['its key', acme.line],
])('a line of a statement is found by %s, by its organisation only', async (_what, text) => {
  const found = async (token: string) => {
    const path = `/api/v1/search?q=${encodeURIComponent(text)}`
    const { items } = (await server.call(path, { token })).body as unknown as {
      items: { kind: string; id: string; to: string }[]
    }
    return items.filter(({ kind }) => kind === 'statement line')
  }
  expect(await found(operator)).toMatchObject([
    { id: acme.line, to: `/reconciliation/${acme.bank}?open=1` },
  ])
  const foreign = await found(await server.tokenFor({ org: 'rival', role: 'operator' }))
  expect(foreign.map(({ id }) => id)).not.toContain(acme.line)
})

test('an amount is found in the digits of its currency', async () => {
  const id = uuid()
  await database.pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1::uuid, 'yen', 'ada', 1200, 'JPY')`,
    [id],
  )
  const token = await server.tokenFor({ org: 'yen', role: 'member' })
  const found = async (text: string) =>
    (await server.call(`/api/v1/search?q=${text}`, { token })).body['items']
  expect(await found('1200')).toMatchObject([{ id, title: 'Payment of 1200 JPY' }])
  expect(await found('12.00')).toEqual([])
})
