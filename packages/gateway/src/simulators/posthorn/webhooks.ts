import { createHmac, randomBytes } from 'node:crypto'
import { WebhookSender, type Unsigned, type World } from '@posthorn/simulators'
import type { Charge, Refund } from './charge.ts'
import type { Dispute } from './disputes.ts'

export type EventType =
  | 'payment.authorised'
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.voided'
  | 'payment.expired'
  | 'payment.refunded'
  | 'payment.refund_failed'
  | `dispute.${Dispute['status']}`

/** The event of a charge, by what became of it. */
const EVENT_OF: Readonly<Record<Exclude<Charge['status'], 'requires_action'>, EventType>> = {
  authorised: 'payment.authorised',
  succeeded: 'payment.succeeded',
  declined: 'payment.failed',
  voided: 'payment.voided',
  expired: 'payment.expired',
}

export interface WebhooksOptions {
  readonly secret: string
  /** Where they go, asked for at every attempt. */
  url(): string | undefined
}

/** Tells the merchant's server of charges and refunds. */
export class Webhooks {
  readonly sender: WebhookSender

  constructor(world: World, { secret, url }: WebhooksOptions) {
    const sign = (webhook: Unsigned) => signatureHeaders(secret, webhook)
    this.sender = new WebhookSender(world, { url, sign })
  }

  /** A refund is reported by its own id and amount, beside the charge that it belongs to. */
  tell(charge: Charge, refund?: Refund): void {
    // The caller was answered that it waits for the customer.
    if (charge.status === 'requires_action') return
    const ofRefund = refund?.status === 'failed' ? 'payment.refund_failed' : 'payment.refunded'
    const type = refund ? ofRefund : EVENT_OF[charge.status]
    const { currency, reference: paymentId, id: gatewayRef } = charge
    const taken = charge.status === 'succeeded' ? charge.capturedAmount : charge.amount
    const amount = refund?.amount ?? taken
    const status = type.replace(/^payment.(refund_)?/, '')
    this.#send(type, {
      ...{ paymentId, gatewayRef, ...(refund && { refundId: refund.id }) },
      ...{ status, amount, currency },
    })
  }

  tellDispute({ reference: paymentId, id: gatewayRef }: Charge, dispute: Dispute): void {
    const { id: disputeId, chargeId: _chargeId, ...facts } = dispute
    this.#send(`dispute.${dispute.status}`, { paymentId, gatewayRef, disputeId, ...facts })
  }

  #send(type: EventType, data: object): void {
    const id = `evt_${randomBytes(12).toString('hex')}`
    const body = JSON.stringify({ id, type, createdAt: new Date().toISOString(), data })
    this.sender.send({ id, body })
  }
}

/**
 * The headers of both schemes: `x-webhook-signature` over the raw body, and the three of Standard
 * Webhooks. A secret that begins with `whsec_` is base64 for the latter, as its specification says.
 */
function signatureHeaders(
  secret: string,
  { id, body, timestamp }: Unsigned,
): Record<string, string> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signed}`,
  }
}
