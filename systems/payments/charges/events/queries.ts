import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf } from '@posthorn/system'
import type { EventOutcome, EventSource } from '../inbound/event.ts'

/** A row of `payments.webhook_events`, without what it came as. */
export interface KeptEvent {
  readonly event_id: string
  readonly type: string
  readonly source: EventSource
  readonly payment_id: string | null
  readonly named_payment: string | null
  readonly gateway_ref: string | null
  readonly outcome: EventOutcome
  readonly reason: string | null
  readonly received_at: Date
  readonly decided_at: Date | null
  /** When it came, to the microsecond: what a page ends with. */
  readonly received: string
}

/** The same with the text that it came as, and what that is a translation of. */
export interface WholeEvent extends KeptEvent {
  readonly text: string
  readonly original: Buffer | null
}

export interface EventPage {
  /** Null: of no organisation, since its payment is not known. */
  readonly orgId: string | null
  readonly status?: EventOutcome
  readonly type?: string
  readonly paymentId?: string
  readonly since?: string
  readonly until?: string
  /** Behind this one, in the order of `sort`: when it came, and its id. */
  readonly before: readonly [received: string, eventId: string] | null
  readonly sort: string
  readonly limit: number
}

export function selectEvents(db: Queryable, page: EventPage): Promise<KeptEvent[]> {
  const { orgId, status, type, paymentId, since, until, before } = page
  const [received, eventId] = before ?? [null, null]
  const { beyond, order } = directionOf(page.sort)
  return all<KeptEvent>(db)(sql`
    select event_id, type, source, payment_id, named_payment, gateway_ref, outcome, reason,
           received_at, decided_at,
           to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as received
      from payments.webhook_events
     where (org_id = ${orgId} or (${orgId}::text is null and org_id is null))
       and (${status}::text is null or outcome = ${status})
       and (${type}::text is null or type = ${type})
       and (${paymentId}::uuid is null or payment_id = ${paymentId}::uuid)
       and (${since}::timestamptz is null or received_at >= ${since}::timestamptz)
       and (${until}::timestamptz is null or received_at < ${until}::timestamptz)
       and (${received}::timestamptz is null
            or (received_at, event_id) ${beyond} (${received}::timestamptz, ${eventId}::text))
     order by received_at ${order}, event_id ${order}
     limit ${page.limit}`)
}

/** One event, if it belongs to one of these; null as above. */
export async function findEvent(
  db: Queryable,
  { id, orgs }: { readonly id: string; readonly orgs: readonly (string | null)[] },
): Promise<WholeEvent | undefined> {
  const { rows } = await db.query<WholeEvent & { org_id: string | null }>(sql`
    select *, payload::text as text,
           to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as received
      from payments.webhook_events
     where event_id = ${id}`)
  return rows.find((row) => orgs.includes(row.org_id))
}

/** Makes an event that named no payment of ours one of this payment. */
export const attachEvent = (
  tx: Transaction,
  eventId: string,
  payment: { readonly id: string; readonly org_id: string },
) =>
  tx.query(sql`
    update payments.webhook_events
       set payment_id = ${payment.id}, org_id = ${payment.org_id}, outcome = 'parked'
     where event_id = ${eventId} and outcome = 'unknown_payment'`)
