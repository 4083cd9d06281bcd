import { translateStripe, verifyStripe } from '@posthorn/gateway'
import { transaction } from '@posthorn/engine'
import { rawBodyOf, type App } from '@posthorn/http'
import { verifyWebhook } from '@posthorn/transports/webhook'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../../problems.ts'
import { GatewayEvent, receiveEvent } from './event.ts'
import { isRecent } from './queries.ts'

/** A recorded webhook is worth nothing after this; Stripe's own libraries say the same. */
const TOLERANCE_SECONDS = 300

/** The gateway calls from a few addresses, and as often as there are payments. */
const FROM_GATEWAY = { access: 'public', rateLimit: 'refusals' } as const

function refused(detail: string) {
  return problem('WEBHOOK_SIGNATURE_INVALID', { detail })
}

/** By the database's clock: no process decides by its own. */
async function requireRecent(pool: Pool, timestamp: number, detail: string): Promise<void> {
  if (await isRecent(pool, { timestamp, toleranceSeconds: TOLERANCE_SECONDS })) return
  throw refused(detail)
}

export interface InboundOptions {
  readonly pool: Pool
  /** One of them must have signed. */
  readonly secrets: readonly string[]
  /** `x-webhook-signature`, which has no time, does not suffice. */
  readonly isTimeRequired: boolean
}

const REASONS = {
  missing: 'The webhook is not signed.',
  timeless: 'webhook-id, webhook-timestamp and webhook-signature are required.',
  malformed: 'webhook-id, webhook-timestamp and webhook-signature belong together.',
  timestamp: 'webhook-timestamp is more than five minutes away from now.',
  signature: 'The signature is not one of this webhook.',
}

const receiving = {
  tags: ['payments'],
  summary:
    'Receive an event of the payment gateway, signed by x-webhook-signature or Standard Webhooks',
  body: GatewayEvent,
  response: { 200: Type.Object({ received: Type.Boolean(), duplicate: Type.Boolean() }) },
}

export function inboundRoutes(app: App, options: InboundOptions): void {
  const { pool, secrets, isTimeRequired } = options

  async function signed({ headers }: FastifyRequest, body: Buffer): Promise<void> {
    // The time is judged below.
    const verified = verifyWebhook({ headers, body, secrets, toleranceSeconds: Infinity })
    if (!verified.ok) throw refused(REASONS[verified.reason])
    const timestamp = headers['webhook-timestamp']
    if (timestamp !== undefined) await requireRecent(pool, Number(timestamp), REASONS.timestamp)
    else if (isTimeRequired) throw refused(REASONS.timeless)
  }

  const path = '/api/v1/webhooks/payments'
  app.post(path, { schema: receiving, config: { ...FROM_GATEWAY, signed } }, async (request) => {
    const received = { event: request.body, text: rawBodyOf(request).toString() }
    const outcome = await transaction(pool, (tx) => receiveEvent(tx, received))
    return { received: true, duplicate: outcome === undefined }
  })
}

const STRIPE_REASONS = {
  missing: 'The header Stripe-Signature is missing.',
  malformed: 'Stripe-Signature has no t and v1.',
  timestamp: 'Stripe-Signature is more than five minutes away from now.',
  signature: 'The signature is not one of this webhook.',
}

export const StripeEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
    created: Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
    data: Type.Object({ object: Type.Unknown() }, { additionalProperties: true }),
  },
  { additionalProperties: true },
)

const receivingStripe = {
  tags: ['payments'],
  summary: 'Receive an event of Stripe, signed by Stripe-Signature',
  body: StripeEvent,
  response: {
    200: Type.Object({
      received: Type.Boolean(),
      duplicate: Type.Boolean(),
      ignored: Type.Boolean({
        description: 'True if the event does not concern the state of a payment',
      }),
    }),
  },
}

/** Of a PaymentIntent: whoever has it can pay, or see what is paid. */
const SECRET = /("client_secret"\s*:\s*)"[^"]*"/g

/** What Stripe tells, said in our words; its own bytes are kept next to them, without their secrets. */
export function stripeRoutes(
  app: App,
  { pool, secrets }: { readonly pool: Pool; readonly secrets: readonly string[] },
): void {
  async function signed({ headers }: FastifyRequest, body: Buffer): Promise<void> {
    const header = headers['stripe-signature']
    const verified = verifyStripe(typeof header === 'string' ? header : undefined, body, secrets)
    if (!verified.ok) throw refused(STRIPE_REASONS[verified.reason])
    await requireRecent(pool, verified.timestamp, STRIPE_REASONS.timestamp)
  }

  const path = '/api/v1/webhooks/stripe'
  const config = { ...FROM_GATEWAY, signed }
  app.post(path, { schema: receivingStripe, config }, async (request) => {
    const event = translateStripe(request.body)
    if (!event) return { received: true, duplicate: false, ignored: true }
    const original = Buffer.from(rawBodyOf(request).toString().replaceAll(SECRET, '$1"redacted"'))
    const received = { event, text: JSON.stringify(event), original }
    const outcome = await transaction(pool, (tx) => receiveEvent(tx, received))
    return { received: true, duplicate: outcome === undefined, ignored: false }
  })
}
