import { sql, type Queryable } from '@posthorn/engine'
import { first, one } from '@posthorn/system'
import type { KeyedRequest } from '@posthorn/engine/inbox'
import type { Payment } from '../payment.ts'

/** Something that the gateway is to be asked about, and how often it was. */
export interface Overdue {
  readonly type: 'charge' | 'refund'
  readonly payment: Payment
  readonly transactionId: string
  readonly gatewayKey: string
  readonly ref: string | null
  /** Of the transaction, in minor units. */
  readonly amount: number
  readonly since: Date
  readonly lookups: number
}

type Row = Payment & {
  readonly transaction_id: string
  readonly transaction_amount: string
  readonly transaction_ref: string | null
  readonly gateway_key: string
  readonly since: Date
  readonly lookups: number
  readonly is_refund: boolean
}

function overdueOf(type: Overdue['type'], row: Row): Overdue {
  return {
    ...{ type, payment: row, transactionId: row.transaction_id, gatewayKey: row.gateway_key },
    ...{ ref: row.transaction_ref, amount: Number(row.transaction_amount), since: row.since },
    lookups: row.lookups,
  }
}

/**
 * What the gateway is to be asked about; undefined where it owes no word any more. A payment that has
 * failed is to be called off.
 */
export async function findOverdue(db: Queryable, id: string): Promise<Overdue | undefined> {
  const row = await first<Row>(db)(sql`
    select p.*, t.lookups + 1 as lookups, t.id as transaction_id, t.amount as transaction_amount,
           t.gateway_ref as transaction_ref, t.gateway_key, t.created_at as since,
           t.type = 'refund' as is_refund
      from payments.transactions as t
      join payments.payments as p on p.id = t.payment_id
     where t.id = ${id} and t.follow_up = 'open' and t.gateway_ref is not null
       and case when t.type = 'refund' then t.status = 'succeeded' and t.confirmed_at is null
                else t.type in ('charge', 'authorisation') and p.status in ('pending', 'failed') end`)
  return row && overdueOf(row.is_refund ? 'refund' : 'charge', row)
}

/** The key of a request that has no answer yet. */
export const findOpenKey = (db: Queryable, transactionId: string) =>
  first<KeyedRequest>(db)(sql`
    select scope, key, fingerprint
      from payments.idempotency_keys
     where completed_at is null and state ->> 'transactionId' = ${transactionId}`)

/** Whether the gateway still owes its word about a transaction, and when it is looked at next. */
export const findSchedule = (db: Queryable, id: string) =>
  one<{ isOpen: boolean; afterMs: number }>(db)(sql`
    select follow_up = 'open' as "isOpen",
           extract(epoch from lookup_at - posthorn.now())::float8 * 1000 as "afterMs"
      from payments.transactions
     where id = ${id}`)

/** How long the oldest charge and the oldest refund have waited for the gateway's word, in seconds. */
export async function oldestPending(db: Queryable): Promise<{ charge: number; refund: number }> {
  const { rows } = await db.query<{ charge: number; refund: number }>(sql`
    select (select coalesce(extract(epoch from posthorn.now() - min(created_at)), 0)
              from payments.payments
             where id in (select payment_id from payments.transactions where follow_up = 'open')
               and status = 'pending' and authorisation is distinct from 'authorised'
               -- What waits for its customer does not wait for the gateway.
               and next_action is null)::float8
             as charge,
           (select coalesce(extract(epoch from posthorn.now() - min(created_at)), 0)
              from payments.transactions
             where follow_up = 'open' and type = 'refund' and status = 'succeeded')::float8
             as refund`)
  return rows[0] ?? { charge: 0, refund: 0 }
}
