import { transaction } from '@posthorn/engine'
import { rawBodyOf, type App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { translateStripe, verifyStripe } from '@posthorn/gateway'
import { problem } from '../../problems.ts'
import { receiveEvent } from './event.ts'
import { isRecent } from './queries.ts'

/** A recorded webhook is worth nothing after this; Stripe's own libraries say the same. */
const TOLERANCE_SECONDS = 300

const REASONS = {
  missing: 'The header Stripe-Signature is missing.',
  malformed: 'Stripe-Signature has no t and v1.',
  signature: 'The signature is not one of this webhook.',
}

const Event = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
    created: Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
    data: Type.Object({ object: Type.Unknown() }, { additionalProperties: true }),
  },
  { additionalProperties: true },
)

const receiving = {
  tags: ['payments'],
  summary: 'Take an event of Stripe, signed by Stripe-Signature',
  body: Event,
  response: {
    200: Type.Object({
      received: Type.Boolean(),
      duplicate: Type.Boolean(),
      ignored: Type.Boolean({ description: 'it says nothing of the state of a payment' }),
    }),
  },
}

/** What Stripe tells, said in our words; its own bytes are kept beside them. */
export function stripeRoutes(
  app: App,
  { pool, secrets }: { readonly pool: Pool; readonly secrets: readonly string[] },
): void {
  async function verify({ headers }: FastifyRequest, body: Buffer): Promise<void> {
    const header = headers['stripe-signature']
    const verified = verifyStripe(typeof header === 'string' ? header : undefined, body, secrets)
    if (!verified.ok) {
      throw problem('WEBHOOK_SIGNATURE_INVALID', { detail: REASONS[verified.reason] })
    }
    // By the database's clock: no process decides by its own.
    const signedAt = { timestamp: verified.timestamp, toleranceSeconds: TOLERANCE_SECONDS }
    if (await isRecent(pool, signedAt)) return
    const detail = 'Stripe-Signature is more than five minutes away from now.'
    throw problem('WEBHOOK_SIGNATURE_INVALID', { detail })
  }

  app.post(
    '/api/v1/webhooks/stripe',
    {
      schema: receiving,
      // Stripe calls from a few addresses, and as often as there are payments.
      config: { access: 'public', rateLimit: 'refusals', signed: verify },
    },
    async (request) => {
      const event = translateStripe(request.body)
      if (!event) return { received: true, duplicate: false, ignored: true }
      const received = { event, text: JSON.stringify(event), original: rawBodyOf(request) }
      const outcome = await transaction(pool, (tx) => receiveEvent(tx, received))
      return { received: true, duplicate: outcome === undefined, ignored: false }
    },
  )
}
