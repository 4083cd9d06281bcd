import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  defineSimulator,
  type Simulator,
  ownOrigin,
  type SimulatorWorld,
  webhookControls,
} from '@posthorn/simulators'
import { Type, type Static } from 'typebox'
import { receiverUrl, type SimulatedGatewayOptions } from '../receiver.ts'
import { Disputes } from './disputes.ts'
import { Ledger, type Changing, type Refunding } from './ledger.ts'
import { Webhooks } from './webhooks.ts'
import { ChargeOrder, PartOrder, fateOf, type Charge, Refusal, refuse } from './charge.ts'

/** A payment gateway with idempotent charges, a lookup by key, refunds and signed webhooks. */
export function gateway({ webhooks: receiver }: SimulatedGatewayOptions = {}): Simulator {
  return defineSimulator({
    standIn: receiver === undefined,
    name: 'gateway',
    about: 'A payment gateway: charges once for each key, and tells the outcome by webhook.',
    open(world) {
      const ledger = new Ledger()
      let server: FastifyInstance['server'] | undefined
      const url = () => receiverUrl(receiver, () => ownOrigin(server))
      const webhooks = new Webhooks(world, { secret: receiver?.secret ?? '', url })
      const disputes = new Disputes(ledger, webhooks)
      const show = (charge: Charge): ShownCharge => {
        if (charge.status !== 'requires_action') return charge
        const page = `${ownOrigin(server)}/sim/gateway/authenticate/${charge.id}`
        return { ...charge, nextAction: { type: 'redirect', url: page } }
      }
      return {
        routes(app) {
          server = app.server
          gatewayRoutes(app, { world, ledger, webhooks, show })
        },
        control(app) {
          gatewayControls(app, { ledger, webhooks, show })
          disputes.controls(app)
        },
        failure: ({ code }) => ({
          body: {
            error: { code: code ?? 'gateway_error', message: 'The simulator was set to fail.' },
          },
        }),
        forget() {
          ledger.forget()
          disputes.forget()
          webhooks.sender.forget()
        },
      }
    },
  })
}

/** A charge, with the page where its customer authenticates. */
type ShownCharge = Charge & {
  readonly nextAction?: { readonly type: string; readonly url: string }
}

interface Gateway {
  readonly world: SimulatorWorld
  readonly ledger: Ledger
  readonly webhooks: Webhooks
  show(charge: Charge): ShownCharge
}

const Lookup = Type.Object({ idempotencyKey: Type.Optional(Type.String({ maxLength: 255 })) })
type Lookup = Static<typeof Lookup>

type Kind = (Refunding | Changing)['kind'] | 'not-waiting' | 'no-refund'

const REFUSALS: Readonly<Record<string, { status: number; message: string }>> = {
  reused: { status: 409, message: 'The key stands for another request.' },
  'no-charge': { status: 404, message: 'There is no such charge.' },
  'not-charged': { status: 422, message: 'The charge was declined: there is nothing to refund.' },
  'refunded-before': { status: 422, message: 'The charge was refunded before.' },
  'not-authorised': { status: 422, message: 'The charge does not stand authorised.' },
  'too-much': { status: 422, message: 'That is more than is left of the charge.' },
  'not-waiting': { status: 422, message: 'The charge does not wait for its customer.' },
  'no-refund': { status: 422, message: 'There is no such refund that was made.' },
} satisfies Partial<Record<Kind, { status: number; message: string }>>

/** What `POST /sim/gateway/expire` takes. */
const Expiry = Type.Object({ chargeId: Type.String() }, { additionalProperties: false })
type Expiry = Static<typeof Expiry>

const Authentication = Type.Object({ outcome: Type.Optional(Type.Enum(['succeeds', 'fails'])) })
type Authentication = Static<typeof Authentication>

const PAGE = `<!doctype html><title>Your bank</title><p>Did you order this?
<p><a href="?outcome=succeeds">Yes, pay</a> <a href="?outcome=fails">No</a>`

const PAGE_OR_CHARGE = {
  description: 'The authentication page, or the charge',
  content: {
    'text/html': { schema: Type.String() },
    'application/json': { schema: Type.Unknown() },
  },
}

/** What `POST /sim/gateway/refund-failures` takes. */
const RefundFailure = Type.Object({ refundId: Type.String() }, { additionalProperties: false })

/** The protocol: charges and refunds under the caller's keys, and what stands under a key. */
function gatewayRoutes(app: FastifyInstance, parts: Gateway): void {
  const { world, ledger, webhooks, show } = parts

  app.post<{ Body: ChargeOrder }>(
    '/charges',
    { schema: { summary: 'Take or hold money, once per Idempotency-Key', body: ChargeOrder } },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const fate = fateOf(request.body.amount)
      if (fate.breaks) return refuse(reply, 500, BROKEN)
      const charging = ledger.charge(key, request.body)
      if (charging.kind === 'reused') return refuseAs(reply, charging.kind)
      const { kind, charge } = charging
      const isDeclined = charge.status === 'declined'
      if (kind === 'new') webhooks.tell(charge)
      if (fate.mishap) world.fail(request, fate.mishap)
      if (isDeclined) {
        return reply.code(402).send({ error: DECLINED, charge })
      }
      return reply.code(kind === 'new' ? 201 : 200).send(show(charge))
    },
  )

  app.get<{ Querystring: Lookup }>(
    '/charges',
    { schema: { summary: 'The charges, or the one under a key', querystring: Lookup } },
    async (request) => ({ items: ledger.charges(request.query.idempotencyKey).map(show) }),
  )

  app.get<{ Params: { id: string } }>(
    '/charges/:id',
    { schema: { summary: 'A charge' } },
    async (request, reply) => {
      const charge = ledger.find(request.params.id)
      return charge ? show(charge) : refuseAs(reply, 'no-charge')
    },
  )

  app.post<{ Params: { id: string }; Body: PartOrder }>(
    '/charges/:id/captures',
    {
      schema: {
        summary: 'Capture a hold or a part of it, once per Idempotency-Key',
        body: PartOrder,
      },
    },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const amount = request.body?.amount
      const fate = fateOf(amount ?? 0)
      if (fate.breaks) return refuse(reply, 500, BROKEN)
      if (fate.declines) return refuse(reply, 402, DECLINED)
      const capturing = ledger.capture(key, request.params.id, amount)
      if (!('charge' in capturing)) return refuseAs(reply, capturing.kind)
      if (fate.mishap) world.fail(request, fate.mishap)
      return answerChanged(reply, capturing, webhooks)
    },
  )

  app.post<{ Params: { id: string } }>(
    '/charges/:id/void',
    { schema: { summary: 'Void a hold, once per Idempotency-Key' } },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const voiding = ledger.void(key, request.params.id)
      if (!('charge' in voiding)) return refuseAs(reply, voiding.kind)
      return answerChanged(reply, voiding, webhooks)
    },
  )

  app.post<{ Params: { id: string }; Body: PartOrder }>(
    '/charges/:id/refunds',
    {
      schema: {
        summary: 'Refund an amount, or the rest, once per Idempotency-Key',
        body: PartOrder,
      },
    },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 400, NO_KEY)
      const refunding = ledger.refund(key, request.params.id, request.body?.amount)
      if (!('refund' in refunding)) return refuseAs(reply, refunding.kind)
      const { kind, refund, charge } = refunding
      if (kind === 'new') webhooks.tell(charge, refund)
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
function gatewayControls(
  app: FastifyInstance,
  { ledger, webhooks, show }: Omit<Gateway, 'world'>,
): void {
  app.get('/ledger', { schema: { summary: 'Charges and refunds' } }, async () => ({
    charges: ledger.charges().map(show),
    refunds: ledger.refunds(),
  }))
  app.get<{ Params: { id: string }; Querystring: Authentication }>(
    '/authenticate/:id',
    {
      schema: {
        summary: 'Authenticate a customer: `outcome` sets the result; without it, a page asks',
        querystring: Authentication,
        response: { 200: PAGE_OR_CHARGE, 422: Refusal },
      },
    },
    async ({ params, query: { outcome } }, reply) => {
      if (outcome === undefined) return reply.type('text/html').send(PAGE)
      const charge = ledger.authenticate(params.id, outcome)
      if (!charge) return refuseAs(reply, 'not-waiting')
      webhooks.tell(charge)
      return charge
    },
  )
  app.post<{ Body: Static<typeof RefundFailure> }>(
    '/refund-failures',
    {
      schema: {
        summary: 'Let a completed refund fail at the bank',
        body: RefundFailure,
        response: { 200: Type.Unknown(), 422: Refusal },
      },
    },
    async ({ body }, reply) => {
      const refund = ledger.failRefund(body.refundId)
      const charge = refund && ledger.find(refund.chargeId)
      if (!charge) return refuseAs(reply, 'no-refund')
      webhooks.tell(charge, refund)
      return refund
    },
  )
  app.post<{ Body: Expiry }>(
    '/expire',
    {
      schema: {
        summary: 'Let the authorisation of a charge expire',
        body: Expiry,
        response: { 200: Type.Unknown(), 422: Refusal },
      },
    },
    async (request, reply) => {
      const expired = ledger.expire(request.body.chargeId)
      if (!expired) return refuseAs(reply, 'not-authorised')
      webhooks.tell(expired)
      return expired
    },
  )
  webhookControls(app, webhooks.sender)
}

const NO_KEY = { code: 'key_missing', message: 'The header Idempotency-Key is required.' }

const BROKEN = { code: 'gateway_error', message: 'The gateway is broken.' }
const DECLINED = { code: 'card_declined', message: 'The card was declined.' }

function answerChanged(
  reply: FastifyReply,
  { kind, charge }: { readonly kind: 'new' | 'repeated'; readonly charge: Charge },
  webhooks: Webhooks,
): FastifyReply {
  if (kind === 'new') webhooks.tell(charge)
  return reply.code(kind === 'new' ? 201 : 200).send(charge)
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

function refuseAs(reply: FastifyReply, kind: Kind): FastifyReply {
  const { status, message } = REFUSALS[kind] ?? { status: 400, message: 'The request is refused.' }
  return refuse(reply, status, { code: kind.replaceAll('-', '_'), message })
}
