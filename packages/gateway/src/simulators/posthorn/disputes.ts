import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type, type Static } from 'typebox'
import { type Charge, Refusal, refuse } from './charge.ts'
import type { Ledger } from './ledger.ts'
import type { Webhooks } from './webhooks.ts'

/** Money of a charge that the cardholder's bank claims back. */
export interface Dispute {
  readonly id: string
  readonly chargeId: string
  readonly status: 'inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn'
  readonly amount: number
  readonly currency: string
  readonly reason: string
  readonly evidenceDueAt: string
}

/** What `POST /sim/gateway/disputes` takes. */
const Opening = Type.Object(
  {
    chargeId: Type.String(),
    status: Type.Optional(
      Type.Enum(['inquiry', 'opened'], {
        description: '`opened` (default), or `inquiry`, which takes no money yet',
      }),
    ),
    amount: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Amount in minor units; default: the whole charge' }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
)

const Ending = Type.Object(
  { status: Type.Enum(['opened', 'won', 'lost', 'withdrawn']) },
  { additionalProperties: false },
)

const EVIDENCE_MS = 7 * 24 * 3_600_000

/** For people and tests: what cardholders' banks do, which no merchant asks for. */
export class Disputes {
  readonly #disputes = new Map<string, Dispute>()
  readonly #ledger: Ledger
  readonly #webhooks: Webhooks

  constructor(ledger: Ledger, webhooks: Webhooks) {
    this.#ledger = ledger
    this.#webhooks = webhooks
  }

  controls(app: FastifyInstance): void {
    app.get('/disputes', { schema: { summary: 'The disputes, newest first' } }, async () => ({
      items: [...this.#disputes.values()].toReversed(),
    }))
    app.post<{ Body: Static<typeof Opening> }>(
      '/disputes',
      {
        schema: {
          summary: 'Open a dispute about a charge',
          body: Opening,
          response: { 201: Type.Unknown(), 404: Refusal, 422: Refusal },
        },
      },
      async ({ body }, reply) => {
        const charge = this.#ledger.find(body.chargeId)
        if (!charge) return refuseDispute(reply, 404, 'There is no such charge.')
        if (charge.capturedAmount === 0) {
          return refuseDispute(reply, 422, 'Only what was taken can be disputed.')
        }
        return reply.code(201).send(this.#open(charge, body))
      },
    )
    app.post<{ Params: { id: string }; Body: Static<typeof Ending> }>(
      '/disputes/:id',
      {
        schema: {
          summary: 'End a dispute, or turn an inquiry into one',
          body: Ending,
          response: { 200: Type.Unknown(), 404: Refusal, 422: Refusal },
        },
      },
      async ({ params, body }, reply) => {
        const dispute = this.#disputes.get(params.id)
        if (!dispute) return refuseDispute(reply, 404, 'There is no such dispute.')
        const { status } = dispute
        const isSame = status === body.status
        if (isSame || (status !== 'opened' && status !== 'inquiry')) {
          return refuseDispute(reply, 422, `The dispute is ${status}.`)
        }
        return this.#keep({ ...dispute, status: body.status })
      },
    )
  }

  forget(): void {
    this.#disputes.clear()
  }

  #open(charge: Charge, order: Static<typeof Opening>): Dispute {
    const { status = 'opened', reason = 'fraudulent' } = order
    const { amount = charge.capturedAmount, currency = charge.currency } = order
    return this.#keep({
      id: `dp_${randomBytes(12).toString('hex')}`,
      ...{ chargeId: charge.id, status, amount, currency, reason },
      evidenceDueAt: new Date(Date.now() + EVIDENCE_MS).toISOString(),
    })
  }

  #keep(dispute: Dispute): Dispute {
    this.#disputes.set(dispute.id, dispute)
    const charge = this.#ledger.find(dispute.chargeId)
    if (charge) this.#webhooks.tellDispute(charge, dispute)
    return dispute
  }
}

function refuseDispute(reply: FastifyReply, status: number, message: string): FastifyReply {
  return refuse(reply, status, { code: 'dispute_refused', message })
}
