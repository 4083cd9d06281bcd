import { expect, test } from 'vitest'
import type { AuditEntry, GatewayTransaction, Payment } from './payment.ts'
import { storyOf } from './payment-story.ts'

const payment = { id: 'p', status: 'pending', authorisation: null } as Payment
const charge: GatewayTransaction = {
  id: 't',
  type: 'charge',
  status: 'succeeded',
  amount: 100,
  currency: 'EUR',
  gatewayKey: 'charge-p',
  gatewayRef: 'ch_1',
  errorCode: null,
  errorMessage: null,
  createdAt: '2026-11-15T12:00:00Z',
  updatedAt: '2026-11-15T12:00:01Z',
}

function booksOf(entries: readonly AuditEntry[], ...transactions: GatewayTransaction[]) {
  return { entries, transactions, refunds: [] }
}

let seq = 0
function entry(action: string, details: Record<string, unknown> = {}): AuditEntry {
  seq += 1
  return { id: String(seq), action, actor: 'ada', details, createdAt: '2026-11-15T12:00:00Z' }
}

const created = entry('payment.created')
const charged = entry('payment.charged', { gatewayRef: 'ch_1' })
const processed = entry('webhook.processed', {
  type: 'payment.succeeded',
  outcome: 'applied',
  to: 'succeeded',
  eventId: 'e',
})

test('a payment goes from its key to the gateway and its webhook', () => {
  const story = storyOf(
    { ...payment, status: 'succeeded' },
    { entries: [processed, charged, created], transactions: [charge], refunds: [] },
  )
  expect(story.map(({ what }) => what)).toEqual([
    'Idempotency key claimed and payment written, for ada',
    'The gateway was asked to charge',
    'The gateway charged it: ch_1',
    'The gateway’s webhook said payment.succeeded: the payment is succeeded',
  ])
})

test.each([
  ['Waiting for the gateway’s answer', 'pending'],
  ['Waiting for the gateway’s webhook, which decides', 'succeeded'],
] as const)('an open one says: %s', (sentence, status) => {
  const last = storyOf(payment, booksOf([created], { ...charge, status })).at(-1)
  expect(last).toMatchObject({ what: sentence, at: null })
})

test('an unknown outcome is distinguished from a refusal', () => {
  const open = entry('gateway_error', { code: 'TIMEOUT', message: 'no answer', retryable: true })
  const shut = entry('gateway_error', { code: 'DECLINED', message: 'no', retryable: false })
  const story = storyOf({ ...payment, status: 'failed' }, booksOf([shut, open]))
  expect(story).toMatchObject([
    { role: 'retry', details: expect.stringContaining('under the same key') },
    { role: 'dead', what: 'The gateway refused', details: 'DECLINED: no' },
  ])
})

test('each refund is its own, and one that is confirmed is not waited for', () => {
  const refund = (id: string, amount: number, confirmedAt: string | null) => ({
    ...{ ...charge, id, amount, confirmedAt, paymentId: 'p' },
    ...{ type: 'refund' as const, gatewayKey: `refund-${id}` },
    status: confirmedAt === null ? ('pending' as const) : ('succeeded' as const),
  })
  const refunds = [refund('r1', 40, '2026-11-15T12:01:00Z'), refund('r2', 60, null)]
  const asked = ['r2', 'r1'].map((refundId) => entry('payment.refund_requested', { refundId }))
  // Requests that the gateway has answered.
  const answered = refunds.map((each) => ({ ...each, status: 'succeeded' as const }))
  const books = { entries: asked, transactions: [charge, ...answered], refunds }
  const succeeded = { ...payment, status: 'succeeded' as const }
  const details = storyOf(succeeded, books).flatMap((phase) => phase.details ?? [])
  expect(details.map((text) => /refund-r\d/.exec(text)?.[0])).toEqual(['refund-r1', 'refund-r2'])
  expect(storyOf(succeeded, books).at(-1)).toMatchObject({ at: null })
  const confirmed = { ...books, refunds: refunds.slice(0, 1) }
  expect(storyOf(succeeded, confirmed).at(-1)?.at).not.toBeNull()
})
