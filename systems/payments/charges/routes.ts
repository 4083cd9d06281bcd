import type { IdempotencyStore } from '@posthorn/engine/inbox'
import { transaction, uuid } from '@posthorn/engine'
import {
  answerRepeat,
  callerOf,
  decodeCursor,
  invalid,
  keyedRequest,
  pageOf,
  PageQuery,
  requireKey,
  sendStored,
  sortable,
  toPage,
  type App,
  type Caller,
} from '@posthorn/http'
import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { exponentOf, Id } from '@posthorn/system'
import type { Gateway } from '@posthorn/gateway'
import type { FourEyes } from '../approvals/four-eyes.ts'
import { ProposalResource, proposalResource } from '../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../approvals/propose.ts'
import { drive, openProblem } from './drive.ts'
import { DisputeResource, toDispute } from './disputes/dispute.ts'
import { selectDisputes } from './disputes/queries.ts'
import {
  Minor,
  NewPayment,
  PaymentResource,
  PaymentState,
  Receipt,
  toResource,
  type PaymentWithSums,
} from './payment.ts'
import { problem } from '../problems.ts'
import { findPayment, selectAudit, selectPayments, selectTransactions } from './queries.ts'
import { beginDecision, beginPayment, beginRefund, type Begun } from './work.ts'
import {
  Refunded,
  RefundResource,
  TransactionResource,
  toRefundResource,
  toTransaction,
} from './transaction.ts'

/** Grows by one or more; text, since it may be larger than a number can say. */
const AuditId = Type.String({ pattern: '^[1-9]\\d{0,17}$' })

const Audit = Type.Object({
  id: AuditId,
  action: Type.String(),
  actor: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Type.String(),
})

const tags = ['payments']
const params = Type.Object({ id: Id })
const key = (description: string) =>
  Type.Object({ 'idempotency-key': Type.Optional(Type.String({ description })) })

/** A part of the money; without a body: all of it. */
const partOf = (all: string) =>
  Type.Union([
    Type.Object({
      amount: Type.Optional(
        Type.Integer({ ...Minor, description: `in minor units; left out: ${all}` }),
      ),
    }),
    Type.Null(),
  ])

const PROPOSED =
  'Above the limit for four eyes it is proposed instead (202), and done when another user approves it.'

const createPayment = {
  tags,
  summary: 'Take a payment, once for each Idempotency-Key',
  headers: key(
    'required; 1 to 255 printable ASCII characters, yours and this route’s for 24 hours',
  ),
  body: NewPayment,
  // 200: the key was used for the same request before, and this is its answer.
  response: { 201: Receipt, 200: Receipt },
}

const capturePayment = {
  tags,
  summary: 'Take what is authorised, or a part of it; the rest is set free',
  description: PROPOSED,
  headers: key('optional'),
  params,
  body: partOf('all that is authorised'),
  response: { 200: Receipt, 202: ProposalResource },
}

const voidPayment = {
  tags,
  summary: 'Set free what is authorised: nothing is taken, and the payment has failed',
  description: PROPOSED,
  headers: key('optional'),
  params,
  response: { 200: Receipt, 202: ProposalResource },
}

const refundPayment = {
  tags,
  summary: 'Give an amount of a payment back, or all that is left of it',
  description: PROPOSED,
  headers: key('optional'),
  params,
  body: partOf('all that is left'),
  response: { 201: Refunded, 200: Refunded, 202: ProposalResource },
}

const Amount = Type.Integer({ ...Minor, description: 'minor units' })

/** By id, which has its time in it, and by amount in minor units. */
const AmountPlace = Type.Tuple([Type.Integer(), Id])
const PAYMENT_SORTS = sortable(['-createdAt', 'createdAt', '-amount', 'amount'])

const ListQuery = Type.Object({
  ...PageQuery.properties,
  sort: PAYMENT_SORTS.parameter,
  status: Type.Optional(PaymentState),
  externalPaymentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  gatewayRef: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amount: Type.Optional(Amount),
  amountFrom: Type.Optional(Amount),
  amountTo: Type.Optional(Amount),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'created then or later' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'created before' })),
  disputed: Type.Optional(Type.Boolean({ description: 'with a dispute, open or not; or without' })),
})
const AuditQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: PageQuery.properties.cursor,
})

const listPayments = {
  tags,
  summary: 'Payments, newest first; every filter narrows the list further',
  querystring: ListQuery,
  response: { 200: pageOf(PaymentResource) },
}
const readPayment = {
  tags,
  summary: 'A payment',
  params,
  response: { 200: PaymentResource },
}
const listRefunds = {
  tags,
  summary: 'The refunds of a payment as they stand now, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(RefundResource) }) },
}
const readRefund = {
  tags,
  summary: 'A refund as it stands now',
  params: Type.Object({ id: Id, refundId: Id }),
  response: { 200: RefundResource },
}
const listDisputes = {
  tags,
  summary: 'The disputes of a payment, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(DisputeResource) }) },
}
const readTransactions = {
  tags,
  summary: 'What the gateway was asked to do for a payment, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(TransactionResource) }) },
}
const readAudit = {
  tags,
  summary: 'What happened to a payment, newest first',
  params,
  querystring: AuditQuery,
  response: { 200: pageOf(Audit) },
}

export interface PaymentRoutesOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
  readonly fourEyes: FourEyes
}

/** What becomes of money that is held. */
const DECISIONS = [
  { type: 'capture', schema: capturePayment },
  { type: 'void', schema: voidPayment },
] as const

/** A payment is a few fields; metadata is a note, not a store. */
const BODY_BYTES = 64 * 1024

export function paymentRoutes(
  app: App,
  { pool, keys, gateway, fourEyes }: PaymentRoutesOptions,
): void {
  /** Drives what was begun to its end and answers it. */
  async function answer(reply: FastifyReply, begun: Begun, { sub }: Caller): Promise<FastifyReply> {
    if (begun.kind === 'refund') return reply.code(200).send(begun.refund)
    if (begun.kind !== 'work') return answerRepeat(reply, begun)
    const { claim, work } = begun
    const driven = await drive({ pool, gateway, by: sub }, claim, work)
    if (driven.kind === 'open') throw openProblem(work, driven.error)
    const { response } = driven
    // A client that was answered "unknown" gets the outcome as a repeat, as from the completer.
    return work.tries > 0
      ? answerRepeat(reply, { kind: 'replay', response })
      : sendStored(reply, response)
  }

  async function findOwn(id: string, orgId: string): Promise<PaymentWithSums> {
    const payment = await findPayment(pool, { id, orgId })
    if (!payment) throw problem('NOT_FOUND', { detail: `There is no payment ${id}.` })
    return payment
  }

  app.post(
    '/api/v1/payments',
    { schema: createPayment, bodyLimit: BODY_BYTES },
    async (request, reply) => {
      const caller = callerOf(request)
      const payment = request.body
      if (exponentOf(payment.currency) === undefined) {
        throw invalid([{ field: 'currency', reason: 'must be a currency of ISO 4217' }])
      }
      const asked = { keyed: requireKey(request), caller, payment }
      const begun = await transaction(pool, (tx) => beginPayment(tx, keys, asked))
      return answer(reply, begun, caller)
    },
  )

  app.post('/api/v1/payments/:id/refunds', { schema: refundPayment }, async (request, reply) => {
    const caller = callerOf(request)
    // Without a key of its own it gets one that no client can repeat: the completer needs it.
    const unnamed = { scope: `refund of ${request.params.id}`, key: uuid(), fingerprint: '' }
    const keyed = keyedRequest(request) ?? unnamed
    const amount = request.body?.amount
    const { id: paymentId } = request.params
    const asked = { keyed, caller, paymentId, amount, approval: fourEyes }
    const proposed: Proposed = {
      ...{ org: caller.org, by: caller.sub, kind: 'refund', subject: paymentId, reason: null },
      request: { paymentId, ...(amount !== undefined && { amount }) },
      requestKey: keyed === unnamed ? null : keyed.key,
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      transaction(pool, (tx) => beginRefund(tx, keys, asked)),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return answer(reply, outcome.done, caller)
  })

  for (const { type, schema } of DECISIONS) {
    app.post(`/api/v1/payments/:id/${type}`, { schema }, async (request, reply) => {
      const caller = callerOf(request)
      const { id: paymentId } = request.params
      const unnamed = { scope: `${type} of ${paymentId}`, key: uuid(), fingerprint: '' }
      const keyed = keyedRequest(request) ?? unnamed
      const { amount } = (request.body ?? {}) as { readonly amount?: number }
      const asked = { keyed, caller, paymentId, type, amount, approval: fourEyes }
      const proposed: Proposed = {
        ...{ org: caller.org, by: caller.sub, kind: type, subject: paymentId, reason: null },
        request: { paymentId, ...(amount !== undefined && { amount }) },
        requestKey: keyed === unnamed ? null : keyed.key,
      }
      const outcome = await doOrPropose(pool, proposed, () =>
        transaction(pool, (tx) => beginDecision(tx, keys, asked)),
      )
      if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
      return answer(reply, outcome.done, caller)
    })
  }

  app.get('/api/v1/payments', { schema: listPayments }, async (request) => {
    const { limit, sort, amount, ...query } = request.query
    const byAmount = /amount$/.test(sort)
    const before = PAYMENT_SORTS.placeIn(request.query, byAmount ? AmountPlace : Id)
    const rows = await selectPayments(pool, {
      ...{ orgId: callerOf(request).org, before, sort, limit: limit + 1 },
      status: query.status ?? null,
      externalPaymentId: query.externalPaymentId ?? null,
      gatewayRef: query.gatewayRef ?? null,
      currency: query.currency ?? null,
      // With an exact amount and a range, both hold.
      amountFrom: larger(amount, query.amountFrom),
      amountTo: smaller(amount, query.amountTo),
      since: query.since ?? null,
      until: query.until ?? null,
      disputed: query.disputed ?? null,
    })
    return PAYMENT_SORTS.page(rows, request.query, {
      item: toResource,
      after: (row) => (byAmount ? [Number(row.amount), row.id] : row.id),
    })
  })

  app.get('/api/v1/payments/:id', { schema: readPayment }, async (request) =>
    toResource(await findOwn(request.params.id, callerOf(request).org)),
  )

  app.get('/api/v1/payments/:id/refunds', { schema: listRefunds }, async (request) => {
    const { id } = await findOwn(request.params.id, callerOf(request).org)
    const all = await selectTransactions(pool, id)
    return { items: all.filter(({ type }) => type === 'refund').map(toRefundResource) }
  })

  app.get('/api/v1/payments/:id/refunds/:refundId', { schema: readRefund }, async (request) => {
    const { id } = await findOwn(request.params.id, callerOf(request).org)
    const { refundId } = request.params
    const all = await selectTransactions(pool, id)
    const refund = all.find((each) => each.id === refundId && each.type === 'refund')
    if (!refund) throw problem('NOT_FOUND', { detail: `There is no refund ${refundId}.` })
    return toRefundResource(refund)
  })

  app.get('/api/v1/payments/:id/disputes', { schema: listDisputes }, async (request) => {
    const { id } = await findOwn(request.params.id, callerOf(request).org)
    return { items: (await selectDisputes(pool, id)).map(toDispute) }
  })

  app.get('/api/v1/payments/:id/transactions', { schema: readTransactions }, async (request) => {
    const { id } = await findOwn(request.params.id, callerOf(request).org)
    return { items: (await selectTransactions(pool, id)).map(toTransaction) }
  })

  app.get('/api/v1/payments/:id/audit', { schema: readAudit }, async (request) => {
    const { limit, cursor } = request.query
    const { org: orgId } = callerOf(request)
    const { id: paymentId } = await findOwn(request.params.id, orgId)
    const before = cursor === undefined ? undefined : decodeCursor(cursor, Type.Tuple([AuditId]))[0]
    const rows = await selectAudit(pool, { orgId, paymentId, before, limit: limit + 1 })
    return toPage(rows, limit, {
      item: ({ seq, created_at: at, ...entry }) => ({
        id: seq,
        ...entry,
        createdAt: at.toISOString(),
      }),
      after: ({ seq }) => seq,
    })
  })
}

/** Of two limits the one that lets less through; null if there is none. */
function larger(one: number | undefined, other: number | undefined): number | null {
  const given = [one, other].filter((limit) => limit !== undefined)
  return given.length === 0 ? null : Math.max(...given)
}

function smaller(one: number | undefined, other: number | undefined): number | null {
  const given = [one, other].filter((limit) => limit !== undefined)
  return given.length === 0 ? null : Math.min(...given)
}
