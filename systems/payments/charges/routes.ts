import type { IdempotencyStore } from '@posthorn/engine/inbox'
import { transaction, uuid } from '@posthorn/engine'
import {
  answerRepeat,
  callerOf,
  invalid,
  keyedRequest,
  keyHeader,
  pageOf,
  PageQuery,
  requireKey,
  sendStored,
  type App,
  type Caller,
} from '@posthorn/http'
import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import { Type, type TSchema } from 'typebox'
import { exponentOf, Id, type Sealing } from '@posthorn/system'
import type { Gateway, NextAction } from '@posthorn/gateway'
import {
  doOrPropose,
  ProposalResource,
  proposalResource,
  type FourEyes,
  type Proposed,
} from '../approvals/proposal.ts'
import { problem } from '../problems.ts'
import { AuditId, auditPage } from '../audit-page.ts'
import { recordAudit } from '../queries.ts'
import { drive, openProblem } from './drive.ts'
import { openAction, openResponse } from './next-action.ts'
import {
  DisputeResource,
  Minor,
  NewPayment,
  PAYMENT_SORTS,
  PaymentQuery,
  PaymentResource,
  Receipt,
  Refunded,
  RefundResource,
  toDispute,
  toRefundResource,
  toResource,
  toTransaction,
  TransactionResource,
  type PaymentWithSums,
} from './payment.ts'
import {
  changeMetadata,
  findPayment,
  selectDisputes,
  selectPayments,
  selectTransactions,
} from './queries.ts'
import { beginMove, beginPayment, type Begun } from './work.ts'

/** Grows by one or more; text, since it may be larger than a number can say. */
const Audit = Type.Object({
  id: AuditId,
  action: Type.String(),
  actor: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Type.String(),
})

const tags = ['payments']
const params = Type.Object({ id: Id })
/** A part of the money; without a body: all of it. */
const partOf = (all: string) =>
  Type.Union([
    Type.Object({
      amount: Type.Optional(
        Type.Integer({ ...Minor, description: `Amount in minor units; default: ${all}` }),
      ),
    }),
    Type.Null(),
  ])

const PROPOSED =
  "Above the organisation's limit for approvals it becomes a proposal (202), carried out when another user approves it."

const createPayment = {
  tags,
  summary: 'Take a payment, once per Idempotency-Key',
  headers: keyHeader(true),
  body: NewPayment,
  // 200: the key was used for the same request before, and this is its answer.
  response: { 201: Receipt, 200: Receipt },
}

const capturePayment = {
  tags,
  summary: 'Capture an authorisation or a part of it; the rest is released',
  description: PROPOSED,
  headers: keyHeader(),
  params,
  body: partOf('all that is authorised'),
  response: { 200: Receipt, 202: ProposalResource },
}

const voidPayment = {
  tags,
  summary: 'Void an authorisation',
  description: PROPOSED,
  headers: keyHeader(),
  params,
  response: { 200: Receipt, 202: ProposalResource },
}

const refundPayment = {
  tags,
  summary: 'Refund an amount of a payment, or all that is left',
  description: PROPOSED,
  headers: keyHeader(),
  params,
  body: partOf('all that is left'),
  response: { 201: Refunded, 200: Refunded, 202: ProposalResource },
}

/** Of a page by amount. */
const AmountPlace = Type.Tuple([Type.Integer(), Id])

const AuditQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: PageQuery.properties.cursor,
})

const listPayments = {
  tags,
  summary: 'Payments, newest first; every filter narrows the list further',
  querystring: PaymentQuery,
  response: { 200: pageOf(PaymentResource) },
}
/** What belongs to a payment. */
const ofPayment = <Item extends TSchema>(summary: string, item: Item) => ({
  tags,
  summary,
  params,
  response: { 200: item },
})
const listOf = <Item extends TSchema>(item: Item) => Type.Object({ items: Type.Array(item) })

const readPayment = ofPayment('A payment', PaymentResource)
const changePayment = {
  ...ofPayment('Change the metadata of a payment', PaymentResource),
  description:
    'Given fields are set, or removed if null; all others stay. Use it, for example, to add the payout of a payment later.',
  body: Type.Object({ metadata: Type.Record(Type.String({ minLength: 1 }), Type.Unknown()) }),
}
const listRefunds = ofPayment('The refunds of a payment, oldest first', listOf(RefundResource))
const readRefund = {
  ...ofPayment('A refund', RefundResource),
  params: Type.Object({ id: Id, refundId: Id }),
}
const listDisputes = ofPayment('The disputes of a payment, oldest first', listOf(DisputeResource))
const readTransactions = ofPayment(
  'Requests to the gateway for a payment, oldest first',
  listOf(TransactionResource),
)
const readAudit = {
  ...ofPayment('What happened to a payment, newest first', pageOf(Audit)),
  querystring: AuditQuery,
}

export interface PaymentRoutesOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  /** Its words to customers are sealed: see `sealActions`. */
  readonly gateway: Gateway
  readonly sealing: Sealing
  readonly fourEyes: FourEyes
}

/** What is done with the money of a payment that is there. */
const MOVES = [
  { type: 'refund', path: 'refunds', schema: refundPayment },
  { type: 'capture', path: 'capture', schema: capturePayment },
  { type: 'void', path: 'void', schema: voidPayment },
] as const

/** A payment is a few fields; metadata is a note, not a store. */
const BODY_BYTES = 64 * 1024

export function paymentRoutes(
  app: App,
  { pool, keys, gateway, sealing, fourEyes }: PaymentRoutesOptions,
): void {
  /** Drives what was begun to its end and answers it. */
  async function answer(reply: FastifyReply, begun: Begun, { sub }: Caller): Promise<FastifyReply> {
    if (begun.kind === 'refund') return reply.code(200).send(begun.refund)
    if (begun.kind === 'replay') {
      return answerRepeat(reply, { ...begun, response: openResponse(begun.response, sealing) })
    }
    if (begun.kind !== 'work') return answerRepeat(reply, begun)
    const { claim, work } = begun
    const driven = await drive({ pool, gateway, by: sub }, claim, work)
    if (driven.kind === 'open') throw openProblem(work, driven.error)
    const response = openResponse(driven.response, sealing)
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

  for (const { type, path, schema } of MOVES) {
    app.post(`/api/v1/payments/:id/${path}`, { schema }, async (request, reply) => {
      const caller = callerOf(request)
      const { id: paymentId } = request.params
      // Without a key of its own it gets one that no client can repeat: the completer needs it.
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
        transaction(pool, (tx) => beginMove(tx, keys, asked)),
      )
      if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
      return answer(reply, outcome.done, caller)
    })
  }

  app.get('/api/v1/payments', { schema: listPayments }, async (request) => {
    const { query } = request
    const byAmount = /amount$/.test(query.sort)
    const before = PAYMENT_SORTS.placeIn(query, byAmount ? AmountPlace : Id)
    const { org: orgId } = callerOf(request)
    const page = { ...query, orgId, before, limit: query.limit + 1 }
    const rows = await selectPayments(pool, page)
    return PAYMENT_SORTS.page(rows, query, {
      item: toResource,
      after: (row) => (byAmount ? [Number(row.amount), row.id] : row.id),
    })
  })

  app.get('/api/v1/payments/:id', { schema: readPayment }, async (request) => {
    const payment = await findOwn(request.params.id, callerOf(request).org)
    const { id, next_action: action } = payment
    return {
      ...toResource(payment),
      nextAction: action && openAction(action as NextAction, id, sealing),
    }
  })

  app.patch(
    '/api/v1/payments/:id',
    { schema: changePayment, bodyLimit: BODY_BYTES },
    async (request) => {
      const { org: orgId, sub: by } = callerOf(request)
      const { id } = request.params
      const { metadata } = request.body
      await findOwn(id, orgId)
      await transaction(pool, async (tx) => {
        const { bytes } = await changeMetadata(tx, { id, orgId }, metadata)
        if (bytes > BODY_BYTES) {
          const reason = `must not come to more than ${BODY_BYTES} bytes`
          throw invalid([{ field: 'metadata', reason }])
        }
        // The names alone: what they say may be about persons.
        const details = { metadata: Object.keys(metadata) }
        await recordAudit(tx, {
          ...{ org: orgId, actor: by, action: 'payment.changed' },
          ...{ entity: 'payment', entityId: id, details },
        })
      })
      return toResource(await findOwn(id, orgId))
    },
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
    const { org } = callerOf(request)
    const { id: entityId } = await findOwn(request.params.id, org)
    return auditPage(pool, { org, entity: 'payment', entityId }, request.query)
  })
}
