import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { SimulatorWorld } from '../simulator.ts'
import { ChargeOrder, RefundOrder, fateOf } from './charge.ts'
import type { Ledger, Refunding } from './ledger.ts'
import { WebhookHabits, type Webhooks } from './webhooks.ts'

interface Gateway {
  readonly world: SimulatorWorld
  readonly ledger: Ledger
  readonly webhooks: Webhooks
}

const Lookup = Type.Object({ idempotencyKey: Type.Optional(Type.String({ maxLength: 255 })) })
type Lookup = Static<typeof Lookup>

const REFUSALS: Readonly<Record<string, { status: number; message: string }>> = {
  reused: { status: 409, message: 'The key stands for another request.' },
  'no-charge': { status: 404, message: 'There is no such charge.' },
  'not-charged': { status: 422, message: 'The charge was declined: there is nothing to refund.' },
  'refunded-before': { status: 422, message: 'The charge was refunded before.' },
  'too-much': { status: 422, message: 'That is more than is left of the charge.' },
} satisfies Partial<Record<Refunding['kind'], { status: number; message: string }>>

/** The protocol: charges and refunds under the caller's keys, and what stands under a key. */
export function gatewayRoutes(app: FastifyInstance, { world, ledger, webhooks }: Gateway): void {
  app.post<{ Body: ChargeOrder }>(
    '/charges',
    { schema: { summary: 'Take money, once for each Idempotency-Key', body: ChargeOrder } },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const fate = fateOf(request.body.amount)
      if (fate.breaks) {
        return refuse(reply, 500, { code: 'gateway_error', message: 'The gateway is broken.' })
      }
      const charging = ledger.charge(key, request.body)
      if (charging.kind === 'reused') return refuseAs(reply, charging.kind)
      const { kind, charge } = charging
      const isDeclined = charge.status === 'declined'
      if (kind === 'new') webhooks.tell(isDeclined ? 'payment.failed' : 'payment.succeeded', charge)
      if (fate.mishap) world.fail(request, fate.mishap)
      if (isDeclined) {
        const error = { code: 'card_declined', message: 'The card was declined.' }
        return reply.code(402).send({ error, charge })
      }
      return reply.code(kind === 'new' ? 201 : 200).send(charge)
    },
  )

  app.get<{ Querystring: Lookup }>(
    '/charges',
    { schema: { summary: 'The charges, or the one under a key', querystring: Lookup } },
    async (request) => ({ items: ledger.charges(request.query.idempotencyKey) }),
  )

  app.post<{ Params: { id: string }; Body: RefundOrder }>(
    '/charges/:id/refunds',
    {
      schema: {
        summary: 'Give an amount back, or all that is left, once for each Idempotency-Key',
        body: RefundOrder,
      },
    },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const refunding = ledger.refund(key, request.params.id, request.body?.amount)
      if (!('refund' in refunding)) return refuseAs(reply, refunding.kind)
      const { kind, refund, charge } = refunding
      if (kind === 'new') webhooks.tell('payment.refunded', charge, refund)
      return reply.code(kind === 'new' ? 201 : 200).send(refund)
    },
  )

  app.get<{ Querystring: Lookup }>(
    '/refunds',
    { schema: { summary: 'The refunds, or the one under a key', querystring: Lookup } },
    async (request) => ({ items: ledger.refunds(request.query.idempotencyKey) }),
  )
}

/** For people and tests: what was charged, and how its webhooks go out. */
export function gatewayControls(
  app: FastifyInstance,
  { ledger, webhooks }: Pick<Gateway, 'ledger' | 'webhooks'>,
): void {
  app.get('/ledger', { schema: { summary: 'What was charged and refunded' } }, async () => ({
    charges: ledger.charges(),
    refunds: ledger.refunds(),
  }))
  app.get('/webhooks', { schema: { summary: 'How webhooks go out' } }, async () => webhooks.habits)
  app.post<{ Body: WebhookHabits }>(
    '/webhooks',
    { schema: { summary: 'Send webhooks late, twice or out of order', body: WebhookHabits } },
    async (request) => {
      webhooks.change(request.body)
      return webhooks.habits
    },
  )
}

const NO_KEY = { code: 'key_missing', message: 'The header Idempotency-Key is required.' }

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

function refuseAs(reply: FastifyReply, kind: Refunding['kind']): FastifyReply {
  const { status, message } = REFUSALS[kind] ?? { status: 400, message: 'The request is refused.' }
  return refuse(reply, status, { code: kind.replaceAll('-', '_'), message })
}

function refuse(
  reply: FastifyReply,
  status: number,
  error: { readonly code: string; readonly message: string },
): FastifyReply {
  return reply.code(status).send({ error })
}
