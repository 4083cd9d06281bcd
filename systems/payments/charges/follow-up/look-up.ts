import { transaction, type Log } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { FoundCharge, FoundRefund, Gateway, VoidOutcome } from '@posthorn/gateway'
import { alertOverdue, partOf } from '../alerts.ts'
import { receiveEvent, type GatewayEvent } from '../inbound/event.ts'
import { REFUND_FAILED } from '../inbound/parts.ts'
import type { Overdue } from './queries.ts'

type Asked = Pick<Gateway, 'find' | 'findRefund' | 'void'>

export interface LookUpOptions {
  readonly pool: Pool
  readonly gateway: Asked
  readonly log: Log
}

/** Questions without an answer before an alert is raised: about a quarter of an hour. */
const ALERT_AFTER = 3

/** Asks the gateway about a payment or a refund whose webhook does not come. Returns what came of it. */
export async function lookUp(
  { pool, gateway, log }: LookUpOptions,
  overdue: Overdue,
): Promise<string> {
  const { type, payment } = overdue
  const answer = await (type === 'charge'
    ? askCharge(gateway, overdue)
    : askRefund(gateway, overdue))
  const outcome = await transaction(pool, async (tx) => {
    if (answer.event) {
      // As if its webhook had come: the same decision, audit, alerts and deliveries.
      const { event } = answer
      return receiveEvent(tx, { event, text: JSON.stringify(event), source: 'lookup' })
    }
    if (overdue.lookups >= ALERT_AFTER) {
      const { id } = payment
      const subject = type === 'charge' ? id : partOf(id, overdue.transactionId)
      const detail = `${SINCE[type]} ${overdue.since.toISOString()}: no webhook came, and the gateway was asked ${overdue.lookups} times. ${answer.said}`
      await alertOverdue(tx, { subject, tenant: payment.org_id, detail })
    }
    return 'open'
  })
  log.info({ paymentId: payment.id, type, outcome }, 'gateway asked about an overdue payment')
  return answer.said ?? `What it says of the ${type} is ${outcome ?? 'known'}.`
}

const SINCE = { charge: 'Pending since', refund: 'A refund is not confirmed since' }

/** What the gateway's webhook would have said, or why it cannot tell. */
type Answer =
  | { readonly event: GatewayEvent; readonly said?: undefined }
  | { readonly event?: undefined; readonly said: string }

async function askCharge(gateway: Asked, overdue: Overdue): Promise<Answer> {
  const { gatewayKey: key, amount, payment, ref } = overdue
  const { id: paymentId, currency } = payment
  const found = await gateway.find({ key, amount, currency, reference: paymentId, ref })
  if (payment.next_action !== null && isUnauthenticated(found)) {
    return giveUp(gateway, overdue, found)
  }
  if (found.kind !== 'charged' && found.kind !== 'declined' && found.kind !== 'voided') {
    return { said: sentenceOf(found) }
  }
  const status = STATUSES[found.kind]
  const data = {
    ...{ status, amount: found.kind === 'charged' ? found.amount : Number(payment.amount) },
    ...(found.ref !== undefined && { gatewayRef: found.ref }),
  }
  return { event: eventOf(payment, { type: `payment.${status}`, about: paymentId, data }) }
}

function isUnauthenticated(found: FoundCharge): boolean {
  const isWaiting = found.kind === 'pending' && found.nextAction !== undefined
  return isWaiting || found.kind === 'none' || found.kind === 'declined'
}

/** Makes a gateway unable to take the money of a customer who has not authenticated. */
export function callOff(gateway: Asked, { ref, transactionId }: Overdue): Promise<VoidOutcome> {
  return gateway.void({ key: `call-off-${transactionId}`, chargeRef: ref ?? '' })
}

/** The customer has not authenticated: called off, so that no later answer takes the money. */
async function giveUp(gateway: Asked, overdue: Overdue, found: FoundCharge): Promise<Answer> {
  const { payment, ref } = overdue
  // Called off before, by a process that died.
  if (found.kind !== 'none') {
    const voided = await callOff(gateway, overdue)
    const isOver = found.kind === 'declined' && voided.kind === 'refused'
    if (voided.kind !== 'voided' && !isOver) return { said: voided.error.message }
  }
  const data = { status: 'failed', amount: Number(payment.amount), gatewayRef: ref }
  const reason =
    found.kind === 'declined' ? found.error.message : 'The customer did not authenticate in time.'
  return {
    event: eventOf(payment, {
      type: 'payment.failed',
      about: payment.id,
      data: { ...data, reason },
    }),
  }
}

const STATUSES = { charged: 'succeeded', declined: 'failed', voided: 'voided' } as const

async function askRefund(gateway: Asked, overdue: Overdue): Promise<Answer> {
  const { gatewayKey: key, amount, payment, ref: refundId, transactionId: about } = overdue
  const { gateway_ref: gatewayRef } = payment
  const found = await gateway.findRefund({ key, chargeRef: gatewayRef ?? '' })
  if (found.kind === 'refused') {
    const data = { status: 'failed', amount, gatewayRef, refundId, reason: found.error.message }
    return { event: eventOf(payment, { type: REFUND_FAILED, about, data }) }
  }
  if (found.kind !== 'refunded') return { said: sentenceOf(found) }
  if (found.ref !== refundId) return { said: `It says ${found.ref}, not ${refundId}.` }
  const data = { status: 'refunded', amount, gatewayRef, refundId }
  return { event: eventOf(payment, { type: 'payment.refunded', about, data }) }
}

interface Said {
  readonly type: string
  /** Our id of what was asked about. */
  readonly about: string
  readonly data: object
}

function eventOf(
  { id: paymentId, currency }: Overdue['payment'],
  { type, about, data }: Said,
): GatewayEvent {
  return {
    // One for each answer, in whichever process: asked again, it is known.
    id: `lookup_${about}_${type.replace(/^.*\./, '')}`,
    type,
    createdAt: new Date().toISOString(),
    data: { ...{ paymentId, currency }, ...data },
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  none: 'It knows nothing of it.',
  pending: 'It has not decided about it.',
  authorised: 'It holds the money: capture or void it.',
}

function sentenceOf(found: FoundCharge | FoundRefund): string {
  if (found.kind === 'unknown') return found.error.message
  return SENTENCES[found.kind] ?? `It says ${found.kind}.`
}
