import { transaction } from '@posthorn/engine'
import { rawBodyOf, type App } from '@posthorn/http'
import { verifyWebhook } from '@posthorn/transports/webhook'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../../problems.ts'
import { GatewayEvent, receiveEvent } from './event.ts'
import { isRecent } from './queries.ts'

export interface InboundOptions {
  readonly pool: Pool
  /** One of them must have signed. */
  readonly secrets: readonly string[]
  /** `x-webhook-signature`, which has no time, does not suffice. */
  readonly isTimeRequired: boolean
}

/** A recorded webhook is worth nothing after this. */
const TOLERANCE_SECONDS = 300

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
    'Take an event of the payment gateway, signed by x-webhook-signature or Standard Webhooks',
  body: GatewayEvent,
  response: { 200: Type.Object({ received: Type.Boolean(), duplicate: Type.Boolean() }) },
}

export function inboundRoutes(app: App, options: InboundOptions): void {
  const { pool, secrets, isTimeRequired } = options

  async function verify({ headers }: FastifyRequest, body: Buffer): Promise<void> {
    // The time is judged below, by the database's clock: no process decides by its own.
    const toleranceSeconds = Infinity
    const verified = verifyWebhook({ headers, body, secrets, toleranceSeconds })
    if (!verified.ok) {
      throw problem('WEBHOOK_SIGNATURE_INVALID', { detail: REASONS[verified.reason] })
    }
    const timestamp = headers['webhook-timestamp']
    if (timestamp === undefined) {
      if (!isTimeRequired) return
      throw problem('WEBHOOK_SIGNATURE_INVALID', { detail: REASONS.timeless })
    }
    const signedAt = { timestamp: Number(timestamp), toleranceSeconds: TOLERANCE_SECONDS }
    if (await isRecent(pool, signedAt)) return
    throw problem('WEBHOOK_SIGNATURE_INVALID', { detail: REASONS.timestamp })
  }

  app.post(
    '/api/v1/webhooks/payments',
    {
      schema: receiving,
      // The gateway calls from a few addresses, and as often as there are payments.
      config: { access: 'public', rateLimit: 'refusals', signed: verify },
    },
    async (request) => {
      const received = { event: request.body, text: rawBodyOf(request).toString() }
      const outcome = await transaction(pool, (tx) => receiveEvent(tx, received))
      return { received: true, duplicate: outcome === undefined }
    },
  )
}
