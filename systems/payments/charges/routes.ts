import type { IdempotencyStore } from '@posthorn/engine/inbox'
import { transaction, uuid } from '@posthorn/engine'
import {
  answerRepeat,
  callerOf,
  decodeCursor,
  invalid,
  keyedRequest,
  requireKey,
  sendStored,
  toPage,
  type App,
  type Caller,
} from '@posthorn/http'
import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { exponentOf } from '../../currency.ts'
import type { Gateway } from '../../gateway/index.ts'
import type { FourEyes } from '../approvals/four-eyes.ts'
import { proposalResource } from '../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../approvals/propose.ts'
import { drive, openProblem } from './drive.ts'
import { toDispute } from './disputes/dispute.ts'
import { selectDisputes } from './disputes/queries.ts'
import { toRefundResource, toResource, toTransaction, type PaymentWithSums } from './payment.ts'
import { problem } from '../problems.ts'
import { findPayment, selectAudit, selectPayments, selectTransactions } from './queries.ts'
import {
  AuditId,
  AmountPlace,
  Id,
  PAYMENT_SORTS,
  capturePayment,
  createPayment,
  listDisputes,
  listPayments,
  listRefunds,
  readAudit,
  readPayment,
  readRefund,
  readTransactions,
  refundPayment,
  voidPayment,
} from './schemas.ts'
import { beginDecision } from './authorisations/begin.ts'
import { beginPayment, beginRefund, type Begun } from './work.ts'

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
