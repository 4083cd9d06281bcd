import { transaction, type Transaction } from '@posthorn/engine'
import { callerOf, may, PageQuery, pageOf, sortable, type App, type Caller } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { NullableText, nullable, resource, time } from '@posthorn/system'
import { problem } from '../../problems.ts'
import { recoverUnknownPayment } from '../alerts.ts'
import {
  namedBy,
  paymentOf,
  reconsider,
  reconsiderParked,
  type GatewayEvent,
} from '../inbound/event.ts'
import { recordAudit } from '../../queries.ts'
import { attachEvent, findEvent, selectEvents, type KeptEvent, type WholeEvent } from './queries.ts'

const Status = Type.Enum([
  'applied',
  'unchanged',
  'parked',
  'forbidden',
  'mismatch',
  'kept',
  'unknown_payment',
])
const Time = Type.String({ format: 'date-time' })

const EventResource = Type.Object({
  id: Type.String({ description: 'Id of the event at the gateway' }),
  type: Type.String(),
  status: Status,
  reason: nullable(Type.String(), {
    description: 'Why the event waits, contradicts the payment or does not fit; otherwise null',
  }),
  source: Type.Enum(['webhook', 'lookup'], {
    description: '`webhook`, or `lookup` if Posthorn asked the gateway because no webhook came',
  }),
  paymentId: NullableText,
  gatewayRef: nullable(Type.String(), {
    description: 'Object of the event at the gateway, if the event names no payment',
  }),
  receivedAt: time(),
  decidedAt: Type.String({ description: 'When the event got its current status' }),
  appliedAt: NullableText,
})

const WholeEventResource = Type.Object({
  ...EventResource.properties,
  body: Type.String({ description: 'Body exactly as received' }),
})

const decidedAt = ({ decided_at: decided, received_at: received }: KeptEvent) =>
  (decided ?? received).toISOString()

const made = {
  id: (event: KeptEvent) => event.event_id,
  status: (event: KeptEvent) => event.outcome,
  paymentId: (event: KeptEvent) => event.payment_id ?? event.named_payment,
  decidedAt,
  appliedAt: (event: KeptEvent) => (event.outcome === 'applied' ? decidedAt(event) : null),
}
const toEvent = resource(EventResource, made)
const toWhole = resource(WholeEventResource, {
  ...made,
  body: (event: WholeEvent) => event.original?.toString() ?? event.text,
})

const tags = ['payments']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) })

const EVENT_SORTS = sortable(['-receivedAt', 'receivedAt'])

const listEvents = {
  tags,
  summary:
    'Events of the gateway, newest first; platform operators also find those without a known payment, by `unknown_payment`',
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: EVENT_SORTS.parameter,
    status: Type.Optional(Status),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    paymentId: Type.Optional(Type.String({ format: 'uuid' })),
    since: Type.Optional(Time),
    until: Type.Optional(Time),
  }),
  response: { 200: pageOf(EventResource) },
}

const readEvent = {
  tags,
  summary: 'An event of the gateway and the decision about it',
  params,
  response: { 200: WholeEventResource },
}

const reprocessEvent = {
  ...readEvent,
  summary: 'Decide about an event again',
}

const PATH = '/api/v1/webhook-events'

/** The gateway's events, for people: look, find out why, and decide again. */
export function eventRoutes(app: App, pool: Pool): void {
  async function own(request: FastifyRequest<{ Params: { id: string } }>): Promise<WholeEvent> {
    const { id } = request.params
    const event = await findEvent(pool, { id, orgs: orgsOf(callerOf(request)) })
    if (!event) throw problem('NOT_FOUND', { detail: `There is no event ${id}.` })
    return event
  }

  app.get(PATH, { schema: listEvents }, async (request) => {
    const { query } = request
    const caller = callerOf(request)
    const isUnknown = query.status === 'unknown_payment'
    if (isUnknown && !orgsOf(caller).includes(null)) return { items: [], nextCursor: null }
    const before = EVENT_SORTS.placeIn(query, Position)
    const orgId = isUnknown ? null : caller.org
    const rows = await selectEvents(pool, { ...query, orgId, before, limit: query.limit + 1 })
    return EVENT_SORTS.page(rows, query, {
      item: toEvent,
      after: ({ received, event_id: id }) => [received, id],
    })
  })

  app.get(`${PATH}/:id`, { schema: readEvent }, async (request) => toWhole(await own(request)))

  app.post(
    `${PATH}/:id/reprocess`,
    { schema: reprocessEvent, config: { access: 'administer' } },
    async (request) => {
      const { event_id: id, text } = await own(request)
      await transaction(pool, (tx) => reprocess(tx, { id, text, caller: callerOf(request) }))
      return toWhole(await own(request))
    },
  )
}

const Position = Type.Tuple([
  Type.String({ format: 'date-time', maxLength: 32 }),
  Type.String({ minLength: 1, maxLength: 255 }),
])

/** Whose events a caller sees; null stands for those that belong to no organisation yet. */
function orgsOf(caller: Caller): (string | null)[] {
  return may(caller, 'operate-all') ? [caller.org, null] : [caller.org]
}

interface Reprocessed {
  readonly id: string
  readonly text: string
  readonly caller: Caller
}

/** Decides anew, also about those of the payment that waited for this one. */
async function reprocess(tx: Transaction, { id, text, caller }: Reprocessed): Promise<void> {
  const payment = await paymentOf(tx, namedBy(JSON.parse(text) as GatewayEvent))
  if (!payment) {
    throw problem('PAYMENT_NOT_HERE', {
      detail: 'The payment named by the event is still unknown.',
    })
  }
  // Read with the payment locked: another may have been faster.
  const event = await findEvent(tx, { id, orgs: [...orgsOf(caller), payment.org_id] })
  if (event?.outcome === 'applied') {
    throw problem('EVENT_ALREADY_APPLIED', { detail: `Event ${id} was applied.` })
  }
  await recordAudit(tx, {
    ...{ org: payment.org_id, actor: caller.sub, action: 'webhook.reprocessed' },
    ...{ entity: 'payment', entityId: payment.id, details: { eventId: id } },
  })
  if (event?.outcome === 'unknown_payment') {
    await attachEvent(tx, id, payment)
    await recoverUnknownPayment(tx, id)
  }
  const before = event?.outcome ?? 'unknown_payment'
  const outcome = await reconsider(tx, payment.id, { text, outcome: before })
  if (outcome === 'applied') await reconsiderParked(tx, payment.id)
}
