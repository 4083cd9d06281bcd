import { DeliveryError, schedule, transaction } from '@posthorn/engine'
import { around } from '@posthorn/engine/inbox'
import type { ChargeOutcome, FoundCharge, Gateway } from '@posthorn/gateway'
import type { SystemConsumer } from '@posthorn/system'
import { COMMANDS, REPLIES, TakePayment, UNDONE_BEFORE } from '../events.ts'
import { reply } from '../outbox.ts'
import { participant, type ParticipantOptions } from '../participant.ts'
import {
  beginCharge,
  settleCharged,
  settleUncharged,
  type Payment,
  type PaymentOrder,
} from './queries.ts'
import { refundStray } from './refund.ts'

export const PAYMENTS = 'orders.payments'

/** Money is never given up: as long as its outcome is not known, the gateway is asked again. */
const RETRY = schedule(['1s', '2s', '5s', '15s', '1m', '5m'], { then: 'repeat-last' })

export interface CashierOptions extends ParticipantOptions {
  readonly gateway: Gateway
  /** How long one attempt may be under way at the most. */
  readonly callMs: number
}

/** What came of a payment. `cancelled`: its order is being undone, or was. */
type Charged =
  Exclude<ChargeOutcome, { kind: 'unknown' | 'pending' }> | { readonly kind: 'cancelled' }

/**
 * Takes payments. The gateway is called with no transaction open; the outcome, the inbox row and the
 * answer commit together. As long as the outcome is unknown the command comes again, with the same
 * key: it cannot charge twice.
 */
export function cashier(options: CashierOptions): SystemConsumer {
  const { pool, events } = options
  return participant(options, {
    group: PAYMENTS,
    command: COMMANDS.take,
    payload: TakePayment,
    refusal: REPLIES.notTaken,
    retry: RETRY,
    async handle({ message, orgId, payload, receipt }) {
      const { orderId } = payload
      const order = { ...payload, orgId, key: chargeKey(orderId) }
      await around(pool, receipt, {
        call: () => charge(order, options),
        async outcome(tx, charged) {
          const to = { events, to: message }
          if (charged.kind === 'cancelled') {
            const undone = { orderId, ...UNDONE_BEFORE }
            return reply(tx, to, { from: PAYMENTS, type: REPLIES.notTaken, payload: undone })
          }
          if (charged.kind === 'charged') {
            const { ref } = charged
            // The command comes again, finds it cancelled, and gives the money back.
            if (!(await settleCharged(tx, orderId, ref))) throw tooLate(order.key)
            const answer = { type: REPLIES.taken, payload: { orderId, ref } }
            return reply(tx, to, { from: PAYMENTS, ...answer })
          }
          const { status, code } = UNCHARGED[charged.kind]
          await settleUncharged(tx, orderId, { status, ...charged.error })
          const refusal = { orderId, code, message: charged.error.message }
          return reply(tx, to, { from: PAYMENTS, type: REPLIES.notTaken, payload: refusal })
        },
      })
    },
  })
}

/** The gateway charges once for it, whichever command or process asks. */
export function chargeKey(orderId: string): string {
  return `order-${orderId}`
}

const UNCHARGED = {
  declined: { status: 'DECLINED', code: 'PAYMENT_DECLINED' },
  failed: { status: 'FAILED', code: 'GATEWAY_ERROR' },
} as const

async function charge(
  order: PaymentOrder,
  { pool, gateway, callMs }: CashierOptions,
): Promise<Charged> {
  const begun = await transaction(pool, (tx) => beginCharge(tx, order, callMs))
  if (begun.status === 'CANCELLED') await refundStray(order, { pool, gateway })
  if (begun.cancelled) return { kind: 'cancelled' }
  if (begun.status !== 'CHARGING') return answerOfSettled(begun)
  const { key, amount, currency } = order
  // Not the bare id, which could be that of a payment: webhooks of the gateway name it.
  const wanted = { key, amount, currency, reference: key }
  if (begun.old) {
    // A gateway remembers keys for a day or so, and charges for longer.
    const before = await gateway.find(wanted)
    if (before.kind === 'charged' || before.kind === 'declined') return before
    if (before.kind !== 'none') throw undecidedError(key, before)
  }
  const charged = await gateway.charge(wanted)
  if (charged.kind !== 'unknown' && charged.kind !== 'pending') return charged
  const found = await gateway.find(wanted)
  if (found.kind === 'charged' || found.kind === 'declined') return found
  throw undecidedError(key, charged)
}

/** The command comes again. */
function undecidedError(key: string, said: FoundCharge | ChargeOutcome): DeliveryError {
  const why = 'error' in said ? said.error.message : `the gateway says ${said.kind}`
  return new DeliveryError(
    'PAYMENT_UNKNOWN',
    `it is not known yet whether ${key} was charged: ${why}`,
  )
}

function tooLate(key: string): DeliveryError {
  return new DeliveryError('PAYMENT_CANCELLED', `${key} was charged after it was cancelled`)
}

/** Another command for the same order was here first. */
function answerOfSettled({ status, gateway_ref: ref, error_code, error }: Payment): Charged {
  if (status === 'CHARGED' && ref !== null) return { kind: 'charged', ref }
  const why = { code: error_code ?? '', message: error ?? '' }
  return status === 'DECLINED'
    ? { kind: 'declined', ref: undefined, error: why }
    : { kind: 'failed', error: why }
}
