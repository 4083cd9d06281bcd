import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { fateOf } from '../posthorn/charge.ts'
import { type SimulatorWorld, webhookControls } from '@posthorn/simulators'
import type { Books } from './books.ts'
import { invalid, missingError, StripeRefusal, type Keys } from './answers.ts'
import { checkAmount } from './rules.ts'
import { DISPUTE_STATES, newId, newIntent, type PaymentIntent } from './objects.ts'
import {
  booleanOf,
  checkKnown,
  choiceOf,
  integerOf,
  metadataOf,
  parseParams,
  requireText,
  textOf,
  type Params,
  type SearchIndex,
} from './params.ts'
import { API_VERSION, type StripeWebhooks } from './webhooks.ts'

export interface Stripe {
  readonly world: SimulatorWorld
  readonly books: Books
  readonly keys: Keys
  readonly webhooks: StripeWebhooks
  readonly search: SearchIndex
}

type Work = (params: Params, id: string) => unknown
type Request = FastifyRequest<{ Params: { id?: string } }>

const CREATE =
  `amount automatic_payment_methods capture_method confirm currency customer description
  error_on_requires_action metadata off_session payment_method payment_method_types receipt_email
  return_url statement_descriptor use_stripe_sdk`.split(/\s+/)
const CONFIRM =
  'capture_method error_on_requires_action off_session payment_method return_url use_stripe_sdk'.split(
    ' ',
  )
const CAPTURE =
  'amount_to_capture final_capture metadata statement_descriptor application_fee_amount'.split(' ')

/** The protocol: PaymentIntents, charges, refunds and events, below `/v1`. */
export function stripeRoutes(app: FastifyInstance, stripe: Stripe): void {
  const { books, webhooks } = stripe
  const post = (path: string, work: Work) =>
    app.post(path, (request: Request, reply) => answerPost(stripe, { request, reply, work }))
  const get = (path: string, work: Work) =>
    app.get(path, (request: Request, reply) => answerGet({ request, reply, work }))

  post('/v1/payment_intents', (params) => {
    checkKnown(params, CREATE)
    const amount = integerOf(params, 'amount')
    if (amount === undefined) requireText(params, 'amount')
    const currency = requireText(params, 'currency').toLowerCase()
    checkAmount(amount ?? 0, currency)
    const order = {
      ...{ amount: amount ?? 0, currency, metadata: metadataOf(params) },
      capture_method: choiceOf(params, 'capture_method', ['automatic', 'manual']),
      description: textOf(params, 'description'),
      customer: textOf(params, 'customer'),
      types: (params['payment_method_types'] as readonly string[] | undefined) ?? ['card'],
      isAutomatic: params['automatic_payment_methods'] !== undefined,
    }
    const isConfirmed = booleanOf(params, 'confirm')
    const paymentMethod = textOf(params, 'payment_method')
    const intent = newIntent(order)
    if (paymentMethod !== undefined) {
      intent.payment_method = paymentMethod
      intent.status = 'requires_confirmation'
    }
    books.add(intent)
    const isActionRefused = booleanOf(params, 'error_on_requires_action')
    return isConfirmed ? books.confirm(intent, { paymentMethod, isActionRefused }) : intent
  })
  post('/v1/payment_intents/:id/confirm', (params, id) => {
    checkKnown(params, CONFIRM)
    const intent = books.intent(id)
    const manner = textOf(params, 'capture_method')
    if (manner !== undefined) {
      intent.capture_method = choiceOf(params, 'capture_method', ['automatic', 'manual'])
    }
    return books.confirm(intent, {
      paymentMethod: textOf(params, 'payment_method'),
      isActionRefused: booleanOf(params, 'error_on_requires_action'),
    })
  })
  post('/v1/payment_intents/:id/capture', (params, id) => {
    checkKnown(params, CAPTURE)
    const amount = integerOf(params, 'amount_to_capture')
    return books.capture(books.intent(id), { amount, metadata: metadataOf(params) })
  })
  post('/v1/payment_intents/:id/cancel', (params, id) => {
    checkKnown(params, ['cancellation_reason'])
    return books.cancel(books.intent(id), textOf(params, 'cancellation_reason') ?? null)
  })
  post('/v1/refunds', (params) => {
    checkKnown(params, ['amount', 'charge', 'metadata', 'payment_intent', 'reason'])
    const charge = textOf(params, 'charge')
    const id = charge === undefined ? undefined : books.charge(charge).payment_intent
    const intent = books.intent(id ?? requireText(params, 'payment_intent'))
    const reason = textOf(params, 'reason') ?? null
    return books.refund({
      ...{ intent, amount: integerOf(params, 'amount'), reason },
      metadata: metadataOf(params),
    })
  })

  get('/v1/payment_intents', (params) =>
    listOf('/v1/payment_intents', [...books.intents.values()], params),
  )
  get('/v1/payment_intents/search', (params) => stripe.search.find(requireText(params, 'query')))
  get('/v1/payment_intents/:id', (_, id) => books.intent(id))
  get('/v1/charges/:id', (_, id) => books.charge(id))
  get('/v1/refunds', (params) => {
    const intent = textOf(params, 'payment_intent')
    const all = [...books.refunds.values()]
    const chosen = all.filter((each) => intent === undefined || each.payment_intent === intent)
    return listOf('/v1/refunds', chosen, params)
  })
  get('/v1/refunds/:id', (_, id) => books.refunds.get(id) ?? missingThing('refund', id))
  get('/v1/events/:id', (_, id) => webhooks.events.get(id) ?? missingThing('event', id))
}

const Expiry = Type.Object({ paymentIntent: Type.String() }, { additionalProperties: false })
const Authentication = Type.Object(
  { paymentIntent: Type.String(), outcome: Type.Enum(['succeeds', 'fails']) },
  { additionalProperties: false },
)
const Dispute = Type.Object(
  {
    paymentIntent: Type.String(),
    status: Type.Optional(Type.Enum([...DISPUTE_STATES])),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Amount in minor units; default: all that was captured',
      }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[a-z]{3}$' })),
    another: Type.Optional(
      Type.Boolean({ description: 'true: add a dispute to the existing one' }),
    ),
  },
  { additionalProperties: false },
)

/** For people and tests: what the account has, what time and customers do to it. */
export function stripeControls(app: FastifyInstance, stripe: Omit<Stripe, 'world'>): void {
  const { books, keys, webhooks, search } = stripe
  app.get('/books', { schema: { summary: 'The balance of the account' } }, async () => ({
    paymentIntents: [...books.intents.values()],
    charges: [...books.charges.values()],
    refunds: [...books.refunds.values()],
    disputes: [...books.disputes.values()],
  }))
  app.post<{ Body: Static<typeof Expiry> }>(
    '/expire',
    { schema: { summary: 'Let the hold of a PaymentIntent expire', body: Expiry } },
    async (request, reply) => refusable(reply, () => books.expire(request.body.paymentIntent)),
  )
  app.post<{ Body: Static<typeof Dispute> }>(
    '/disputes',
    { schema: { summary: 'Dispute a payment, or decide its dispute', body: Dispute } },
    async (request, reply) =>
      refusable(reply, () => books.dispute(request.body.paymentIntent, request.body)),
  )
  app.post<{ Body: Static<typeof Authentication> }>(
    '/authenticate',
    { schema: { summary: "Answer the bank's question as the customer", body: Authentication } },
    async ({ body: { paymentIntent, outcome } }, reply) =>
      refusable(reply, () => books.authenticate(paymentIntent, outcome)),
  )
  app.post(
    '/day',
    { schema: { summary: 'End a day: idempotency keys are deleted and the search is updated' } },
    async () => {
      keys.forget()
      search.catchUp()
      return { forgotten: 'keys' }
    },
  )
  webhookControls(app, webhooks.sender)
}

async function answerPost(
  { world, keys }: Stripe,
  { request, reply, work }: { request: Request; reply: FastifyReply; work: Work },
): Promise<FastifyReply> {
  const text = world.rawBody(request).toString()
  const header = request.headers['idempotency-key']
  const key = typeof header === 'string' && header !== '' ? header : undefined
  const requestId = newId('req')
  const id = request.params.id ?? ''
  const path = request.url.split('?', 1)[0] ?? ''
  return refusable(reply, () => {
    authorise(request)
    const params = parseParams(text)
    const keyed = { key, requestId, request: `${path} ${canonical(params)}` }
    const { status, body, original } = keys.answer(keyed, () => work(params, id))
    const mishap = mishapOf(path, body)
    if (mishap && original === undefined) world.fail(request, mishap)
    void reply.code(status).headers({
      ...headersOf(requestId),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(original !== undefined && {
        'idempotent-replayed': 'true',
        'original-request': original,
      }),
    })
    return body
  })
}

async function answerGet({
  request,
  reply,
  work,
}: {
  request: Request
  reply: FastifyReply
  work: Work
}): Promise<FastifyReply> {
  return refusable(reply, () => {
    authorise(request)
    void reply.headers(headersOf(newId('req')))
    return work(parseParams(request.url.split('?')[1] ?? ''), request.params.id ?? '')
  })
}

/** Answers what the work returns; a refusal becomes Stripe's answer. */
function refusable(reply: FastifyReply, work: () => unknown): FastifyReply {
  try {
    return reply.send(work())
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error
    const { status, error: body } = error.refusal
    return reply
      .code(status)
      .headers(headersOf(newId('req')))
      .send({ error: body })
  }
}

/** The request did its work, and its amount means that no answer comes. */
function mishapOf(path: string, body: unknown) {
  if (!/\/(confirm|capture)$/.test(path)) return undefined
  const { amount, amount_received: received, status } = body as Partial<PaymentIntent>
  const isDone = status === 'succeeded' || status === 'requires_capture'
  return isDone
    ? fateOf(path.endsWith('capture') ? (received ?? 0) : (amount ?? 0)).mishap
    : undefined
}

/** `Bearer sk_…`, or the key as the user name of Basic. */
function authorise({ headers }: FastifyRequest): void {
  const [scheme, given = ''] = (headers.authorization ?? '').split(' ')
  const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString() : given
  if (/^(sk|rk)_/.test(key)) return
  const message =
    given === ''
      ? 'You did not provide an API key. You need to provide your API key in the Authorization header.'
      : `Invalid API Key provided: ${key.slice(0, 8)}…`
  const error = { type: 'invalid_request_error', message }
  throw new StripeRefusal({ status: 401, error }, { isExecuted: false })
}

function headersOf(requestId: string): Record<string, string> {
  return { 'request-id': requestId, 'stripe-version': API_VERSION }
}

function canonical(params: Params): string {
  const sorted = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(
    sorted.map(([name, value]) => [
      name,
      typeof value === 'object' && !Array.isArray(value) ? canonical(value as Params) : value,
    ]),
  )
}

/** Newest first; `limit` (1 to 100, 10), `starting_after` and `created[gte]` choose. */
function listOf<Item extends { readonly id: string; readonly created: number }>(
  url: string,
  all: readonly Item[],
  params: Params,
) {
  const limit = integerOf(params, 'limit') ?? 10
  if (limit < 1 || limit > 100) throw invalid('limit must be from 1 to 100', { param: 'limit' })
  const created = params['created']
  const since = typeof created === 'object' ? (integerOf(created as Params, 'gte') ?? 0) : 0
  const newest = all.toReversed().filter((item) => item.created >= since)
  const after = textOf(params, 'starting_after')
  const begin = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
  const data = newest.slice(begin, begin + limit)
  return { object: 'list', url, has_more: newest.length > begin + limit, data }
}

function missingThing(what: string, id: string): never {
  throw missingError(what, id, 'id')
}
