import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Payment, PaymentStatus } from '../payment.ts'
import type { EventOutcome, GatewayEvent } from './event.ts'

/** False if the event is known. */
export async function insertEvent(
  tx: Transaction,
  event: GatewayEvent,
  { outcome, payment }: { readonly outcome: EventOutcome; readonly payment: Payment | undefined },
): Promise<boolean> {
  const { rows } = await tx.query(sql`
    insert into payments.webhook_events (event_id, type, payment_id, org_id, payload, outcome)
    values (${event.id}, ${event.type}, ${payment?.id ?? null}, ${payment?.org_id ?? null},
            ${JSON.stringify(event)}::json, ${outcome})
    on conflict (event_id) do nothing
    returning event_id`)
  return rows.length > 0
}

export async function movePayment(tx: Transaction, id: string, to: PaymentStatus): Promise<void> {
  await tx.query(sql`
    update payments.payments set status = ${to} where id = ${id}`)
}

/** Whether a time is within the tolerance of now, by the database's clock. */
export async function isRecent(
  db: Queryable,
  { timestamp, toleranceSeconds }: { timestamp: number; toleranceSeconds: number },
): Promise<boolean> {
  const { rows } = await db.query<{ recent: boolean }>(sql`
    select abs(extract(epoch from clock_timestamp()) - ${timestamp}::float8)
             <= ${toleranceSeconds}::float8 as recent`)
  return rows[0]?.recent === true
}
