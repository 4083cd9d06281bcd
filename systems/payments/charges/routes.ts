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
import type { Gateway } from '../../gateway.ts'
import { drive, openProblem } from './drive.ts'
import { toResource, toTransaction, type Payment } from './payment.ts'
import { problem } from '../problems.ts'
import { findPayment, selectAudit, selectPayments, selectTransactions } from './queries.ts'
import {
  AuditId,
  Id,
  createPayment,
  listPayments,
  readAudit,
  readPayment,
  readTransactions,
  refundPayment,
} from './schemas.ts'
import { beginPayment, beginRefund, type Begun } from './work.ts'

export interface PaymentRoutesOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
}

/** A payment is a few fields; metadata is a note, not a store. */
const BODY_BYTES = 64 * 1024

export function paymentRoutes(app: App, { pool, keys, gateway }: PaymentRoutesOptions): void {
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

  async function findOwn(id: string, orgId: string): Promise<Payment> {
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
    const asked = { keyed, caller, paymentId: request.params.id, amount }
    const begun = await transaction(pool, (tx) => beginRefund(tx, keys, asked))
    return answer(reply, begun, caller)
  })

  app.get('/api/v1/payments', { schema: listPayments }, async (request) => {
    const { limit, cursor, status } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, Type.Tuple([Id]))[0]
    const page = { orgId: callerOf(request).org, status, before, limit: limit + 1 }
    const rows = await selectPayments(pool, page)
    return toPage(rows, limit, { item: toResource, after: ({ id }) => id })
  })

  app.get('/api/v1/payments/:id', { schema: readPayment }, async (request) =>
    toResource(await findOwn(request.params.id, callerOf(request).org)),
  )

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
