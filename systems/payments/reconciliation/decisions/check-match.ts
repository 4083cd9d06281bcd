import type { Transaction } from '@posthorn/engine'
import type { Owner } from '../request.ts'
import { problem } from '../../problems.ts'
import type { StatementRecord } from '../records/record.ts'
import type { Decision } from './decision.ts'
import {
  selectPaymentUse,
  selectReversalUse,
  type Decided,
  type PaymentUse,
  type ReversalUse,
} from './queries.ts'

interface Match {
  readonly record: StatementRecord
  readonly decision: Decision
}

/**
 * Checks that payments, refunds, disputes and adjustment add up to a record and that none of them belongs to
 * another. Gives the payment that the record shows, and what it stands for.
 */
export async function checkMatch(
  tx: Transaction,
  owner: Owner,
  { record, decision }: Match,
): Promise<NonNullable<Decided['matched']>> {
  const { paymentIds = [], refundIds = [], disputeIds = [], isPart = false } = decision
  const payments = await selectPaymentUse(tx, owner, paymentIds)
  const reversals = await selectReversalUse(tx, owner, { refundIds, disputeIds })
  requireAll(paymentIds, payments, 'payment')
  requireAll(refundIds, reversals, 'refund')
  requireAll(disputeIds, reversals, 'dispute')
  for (const use of [...payments, ...reversals]) requireFree(use)
  if ([...payments, ...reversals].some(({ currency }) => currency !== record.currency)) {
    throw problem('CURRENCIES_DIFFER')
  }
  const hasSucceeded = payments.every((payment) => payment.has_succeeded)
  if (isPart) {
    const [payment] = payments
    if (payment === undefined) throw problem('NOT_FOUND', { detail: 'There is no such payment.' })
    checkPart(payment, { record, decision })
    return { paymentId: payment.id, as: 'part', hasSucceeded }
  }
  for (const { id, parts } of payments) if (parts !== '0') throw taken({ paymentId: id })
  checkSum([...payments.map(({ amount }) => BigInt(amount)), ...reversals.map(outOf)], {
    record,
    decision,
  })
  const [first] = paymentIds
  if (first !== undefined) return { paymentId: first, as: null, hasSucceeded }
  const shown = reversals.find(({ id }) => id === (refundIds[0] ?? disputeIds[0]))
  if (shown === undefined) throw problem('NOT_FOUND', { detail: 'There is no such refund.' })
  return { paymentId: shown.payment_id, as: shown.kind, hasSucceeded }
}

function outOf({ amount }: ReversalUse): bigint {
  return -BigInt(amount)
}

function requireAll(
  ids: readonly string[],
  found: readonly { readonly id: string }[],
  what: string,
): void {
  const unknown = ids.find((id) => !found.some((each) => each.id === id))
  if (unknown !== undefined) {
    throw problem('NOT_FOUND', { detail: `There is no ${what} ${unknown}.` })
  }
}

function requireFree(use: PaymentUse | ReversalUse): void {
  const { id, run_id: reconciliationId, line_number: line } = use
  if (reconciliationId === null) return
  const name = 'kind' in use ? { [`${use.kind}Id`]: id } : { paymentId: id }
  throw taken({ ...name, reconciliationId, recordId: String(line) })
}

function taken(extensions: Record<string, unknown>) {
  return problem('PAYMENT_TAKEN', { extensions })
}

function checkSum(amounts: readonly bigint[], { record, decision: { adjustment } }: Match): void {
  const sum = amounts.reduce((all, amount) => all + amount, 0n)
  const difference = BigInt(record.amount) - sum - BigInt(adjustment?.amount ?? 0)
  if (difference === 0n) return
  const detail = `The record is ${difference} more, in minor units: name it as an adjustment.`
  throw problem('AMOUNTS_DIFFER', { detail, extensions: { difference: Number(difference) } })
}

/** A part is something, and no more than what others leave of its payment. */
function checkPart(payment: PaymentUse, { record, decision: { adjustment } }: Match): void {
  const part = BigInt(record.amount) - BigInt(adjustment?.amount ?? 0)
  const left = BigInt(payment.amount) - BigInt(payment.parts)
  if (part > 0n && part <= left) return
  const detail = `Of the payment ${left} minor units are left; the record and its adjustment say ${part}.`
  throw problem('PART_TOO_LARGE', { detail, extensions: { left: Number(left) } })
}
