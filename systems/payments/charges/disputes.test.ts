import { transaction, uuid } from '@posthorn/engine'
import { listAlerts } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../testing/running.ts'
import { receiveEvent } from './inbound/event.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
const ada = await running.as({})

const POLL = { timeout: 10_000 }
const DUE = '2030-01-02T00:00:00.000Z'

async function pay(): Promise<string> {
  const { body } = await ada.pay(uuid())
  const id = String(body['id'])
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('succeeded')
  return id
}

async function say(paymentId: string, type: string, data: object = {}): Promise<void> {
  const about = { paymentId, disputeId: `dp_${paymentId}`, amount: 1_000, currency: 'EUR' }
  const event = { id: uuid(), type, data: { ...about, ...data } }
  await transaction(db.pool, (tx) => receiveEvent(tx, { event, text: JSON.stringify(event) }))
}

const sums = async (id: string) => {
  const { refundedAmount, disputedAmount, netAmount, disputeStatus } = await ada.payment(id)
  return { refundedAmount, disputedAmount, netAmount, disputeStatus }
}
async function alertsOf(id: string) {
  const { items } = await listAlerts(db.pool)
  const mine = items.filter(({ subject, state }) => subject.startsWith(id) && state !== 'recovered')
  return mine.map(({ code, detail }) => `${code}: ${detail}`).toSorted()
}
const disputesOf = async (id: string) =>
  (await ada.send(`/api/v1/payments/${id}/disputes`)).body['items']

test.each([
  ['of more than the payment', { amount: 1_050 }, 1_050, -50],
  ['in another currency', { amount: 1_120, currency: 'USD' }, 1_000, 0],
  ['in another currency, without an amount that is known', { currency: 'JPY' }, 1_000, 0],
])('a dispute %s has its row, its alert and its deadline', async (_, claim, disputed, net) => {
  const id = await pay()
  await say(id, 'dispute.opened', { ...claim, reason: 'fraudulent', evidenceDueAt: DUE })
  expect(await disputesOf(id)).toMatchObject([
    { status: 'opened', amount: 1_000, currency: 'EUR', ...claim, evidenceDueAt: DUE },
  ])
  const [alert] = (await alertsOf(id)).filter((text) => text.startsWith('PAYMENT_DISPUTED'))
  expect(alert).toContain('(the payment is of 1000 EUR)')
  expect(alert).toContain(`until ${DUE}`)
  expect(await sums(id)).toMatchObject({ disputedAmount: disputed, netAmount: net })
  await say(id, 'dispute.won', claim)
  expect(await sums(id)).toMatchObject({ netAmount: 1_000, disputeStatus: 'won' })
  expect(await alertsOf(id)).toEqual([])
})

test.each([
  ['opened', 'dispute.opened'],
  ['lost', 'dispute.lost'],
])('what a dispute that is %s took is not refunded a second time', async (_, type) => {
  const id = await pay()
  await say(id, type)
  const refused = await ada.refund(id, undefined, 900)
  expect(refused).toMatchObject({ status: 409, body: { code: 'PAYMENT_DISPUTED' } })
  expect((await ada.refund(id)).status).toBe(409)
  expect(await sums(id)).toMatchObject({ refundedAmount: 0, netAmount: 0 })
})

test('beside a dispute of a part the rest can be refunded, and all of it once that is won', async () => {
  const id = await pay()
  await say(id, 'dispute.opened', { amount: 700 })
  expect(await ada.refund(id, undefined, 400)).toMatchObject({
    status: 409,
    body: { code: 'PAYMENT_DISPUTED', detail: expect.stringContaining('300 can') as string },
  })
  expect(await ada.refund(id)).toMatchObject({ status: 201, body: { amount: 300 } })
  await say(id, 'dispute.won', { amount: 700 })
  expect(await ada.refund(id)).toMatchObject({ status: 201, body: { amount: 700 } })
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
  expect(await sums(id)).toMatchObject({ netAmount: 0 })
})

test('where more goes back than was paid, the net says so, and an alert', async () => {
  const id = await pay()
  await say(id, 'dispute.opened')
  await say(id, 'dispute.opened', { disputeId: `dp_second_${id}` })
  expect(await sums(id)).toMatchObject({ disputedAmount: 2_000, netAmount: -1_000 })
  expect((await alertsOf(id)).map((text) => text.split(':', 1)[0])).toEqual([
    'PAYMENT_DISPUTED',
    'PAYMENT_DISPUTED',
    'PAYMENT_OVERDRAWN',
  ])
  await say(id, 'dispute.won', { disputeId: `dp_second_${id}` })
  expect(await sums(id)).toMatchObject({ netAmount: 0 })
  expect(await alertsOf(id)).toHaveLength(1)
})

test('an inquiry takes no money, lets a refund through, and may become a dispute', async () => {
  const id = await pay()
  await say(id, 'dispute.inquiry', { evidenceDueAt: DUE, reason: 'unrecognized' })
  expect(await sums(id)).toEqual({
    ...{ refundedAmount: 0, disputedAmount: 0, netAmount: 1_000, disputeStatus: 'inquiry' },
  })
  expect(await alertsOf(id)).toEqual([expect.stringMatching(/^PAYMENT_INQUIRY: .*2030-01-02/)])
  expect((await ada.refund(id, undefined, 100)).status).toBe(201)
  await say(id, 'dispute.opened', { amount: 1_000, evidenceDueAt: '2030-02-01T00:00:00.000Z' })
  expect(await alertsOf(id)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^PAYMENT_DISPUTED: .*2030-02-01/)]),
  )
  // What was said late says nothing new.
  await say(id, 'dispute.inquiry', { evidenceDueAt: DUE })
  expect(await disputesOf(id)).toMatchObject([
    { status: 'opened', evidenceDueAt: '2030-02-01T00:00:00.000Z' },
  ])
})

test('refunds and disputes of all payments are listed, with what is due first', async () => {
  const bob = await running.as({ org: 'lists' })
  const { body } = await bob.pay(uuid())
  const id = String(body['id'])
  await expect.poll(async () => (await bob.payment(id))['status'], POLL).toBe('succeeded')
  const due = ['2030-03-01T00:00:00.000Z', undefined, '2030-01-01T00:00:00.000Z']
  for (const [i, evidenceDueAt] of due.entries()) {
    await say(id, 'dispute.inquiry', { disputeId: `dp_${i} ${id}`, amount: 100, evidenceDueAt })
  }
  await say(id, 'dispute.withdrawn', { disputeId: `dp_1 ${id}`, amount: 100 })
  const namesAt = async (query: string) => {
    const names: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const at = cursor === '' ? '' : `&cursor=${cursor}`
      const page = (await bob.send(`/api/v1/disputes?${query}&limit=2${at}`)).body
      names.push(...(page['items'] as { gatewayRef: string }[]).map((each) => each.gatewayRef))
      cursor = page['nextCursor'] as string | null
    }
    return names.map((name) => name.slice(3, 4)).join('')
  }
  expect(await namesAt('')).toBe('210')
  expect(await namesAt('sort=evidenceDueAt')).toBe('201')
  expect(await namesAt('sort=-evidenceDueAt')).toBe('102')
  expect(await namesAt('open=true&sort=openedAt')).toBe('02')
  expect(await namesAt('status=withdrawn')).toBe('1')
  expect(await namesAt('dueBefore=2030-02-01T00:00:00Z')).toBe('2')
  expect((await ada.send('/api/v1/disputes?limit=200')).text).not.toContain(id)

  const [one, two] = [await bob.refund(id, undefined, 300), await bob.refund(id, undefined, 200)]
  expect(one.body).toMatchObject({ status: 'pending' })
  const refunds = async (query: string) =>
    (await bob.send(`/api/v1/refunds?${query}`)).body['items'] as Record<string, unknown>[]
  await expect.poll(async () => (await refunds('status=succeeded')).length, POLL).toBe(2)
  await running.gateway('refund-failures', { refundId: one.body['gatewayRef'] })
  await expect.poll(() => refunds('status=failed'), POLL).toMatchObject([{ id: one.body['id'] }])
  expect((await refunds('')).map((each) => each['id'])).toEqual([two.body['id'], one.body['id']])
  expect(await refunds('status=pending')).toEqual([])
  expect((await ada.send('/api/v1/refunds?limit=200')).text).not.toContain(id)
})

test('a refund that was made and fails days later is undone, told of, and can be made again', async () => {
  const id = await pay()
  const { body } = await ada.refund(id)
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
  await running.gateway('refund-failures', { refundId: body['gatewayRef'] })
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('succeeded')
  expect(await ada.payment(id)).toMatchObject({
    ...{ refundedAmount: 0, netAmount: 1_000, refundedAt: null },
  })
  const refund = await ada.send(`/api/v1/payments/${id}/refunds/${String(body['id'])}`)
  expect(refund.body).toMatchObject({ status: 'failed', confirmedAt: null })
  expect((await ada.refund(id)).status).toBe(201)
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
})
