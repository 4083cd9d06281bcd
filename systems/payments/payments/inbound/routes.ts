import { transaction } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import { rawBodyOf } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../../problems.ts'
import { GatewayEvent, receiveEvent } from './event.ts'
import { isRecent } from './queries.ts'
import { checkSignature } from './signature.ts'

export interface InboundOptions {
  readonly pool: Pool
  readonly secret: string
}

/** A recorded webhook is worth nothing after this. */
const TOLERANCE_SECONDS = 300

const receiving = {
  tags: ['payments'],
  summary:
    'Take an event of the payment gateway, signed by x-webhook-signature or Standard Webhooks',
  body: GatewayEvent,
  response: { 200: Type.Object({ received: Type.Boolean(), duplicate: Type.Boolean() }) },
}

export function inboundRoutes(app: App, { pool, secret }: InboundOptions): void {
  async function verify(request: FastifyRequest): Promise<void> {
    const checked = checkSignature(secret, request.headers, rawBodyOf(request))
    if (checked.kind === 'invalid') {
      throw problem('WEBHOOK_SIGNATURE_INVALID', { detail: checked.reason })
    }
    const { timestamp } = checked
    if (timestamp === undefined) return
    if (await isRecent(pool, { timestamp, toleranceSeconds: TOLERANCE_SECONDS })) return
    const detail = 'webhook-timestamp is more than five minutes away from now.'
    throw problem('WEBHOOK_SIGNATURE_INVALID', { detail })
  }

  app.post(
    '/api/v1/webhooks/payments',
    {
      schema: receiving,
      // The gateway calls from a few addresses, and as often as there are payments.
      config: { access: 'public', rateLimit: false, rawBody: true },
      // Before the schema: who cannot sign learns nothing of it.
      preValidation: verify,
    },
    async (request) => {
      const outcome = await transaction(pool, (tx) => receiveEvent(tx, request.body))
      return { received: true, duplicate: outcome === undefined }
    },
  )
}
