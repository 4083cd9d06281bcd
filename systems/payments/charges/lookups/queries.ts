import { sql, type Queryable, type Transaction } from '@posthorn/engine'
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
}

function overdueOf(type: Overdue['type'], row: Row): Overdue {
  return {
    ...{ type, payment: row, transactionId: row.transaction_id, gatewayKey: row.gateway_key },
    ...{ ref: row.transaction_ref, amount: Number(row.transaction_amount), since: row.since },
    lookups: row.lookups,
  }
}

/**
 * Payments whose charge was answered and whose webhook has not come. Taking them is their next date,
 * 1, 2, 4 … 60 minutes from now: a process that dies with them leaves them to it.
 */
export async function claimOverdueCharges(tx: Transaction, limit: number): Promise<Overdue[]> {
  const { rows } = await tx.query<Row>(sql`
    with due as (
      select p.id
        from payments.payments as p
       where p.status = 'pending' and p.lookup_at <= posthorn.now()
       order by p.lookup_at
       limit ${limit}
         for no key update skip locked
    ), taken as (
      update payments.payments as p
         set lookups = p.lookups + 1,
             lookup_at = posthorn.now()
                         + least(60, power(2, least(p.lookups, 10))) * interval '1 minute'
        from due
       where p.id = due.id
      returning p.*
    )
    select taken.*, t.id as transaction_id, t.amount as transaction_amount,
           t.gateway_ref as transaction_ref, t.gateway_key, taken.created_at as since
      from taken
      join payments.transactions as t
        on t.payment_id = taken.id and t.type in ('charge', 'authorisation')
       -- The completer asks about one that has no answer yet.
       and t.gateway_ref is not null`)
  return rows.map((row) => overdueOf('charge', row))
}

/** Refunds that the gateway accepted and whose webhook has not come; otherwise as above. */
export async function claimOverdueRefunds(tx: Transaction, limit: number): Promise<Overdue[]> {
  const { rows } = await tx.query<Row>(sql`
    with due as (
      select t.id
        from payments.transactions as t
       where t.type = 'refund' and t.status = 'succeeded' and t.confirmed_at is null
         and t.lookup_at <= posthorn.now()
       order by t.lookup_at
       limit ${limit}
         for no key update skip locked
    ), taken as (
      update payments.transactions as t
         set lookups = t.lookups + 1,
             lookup_at = posthorn.now()
                         + least(60, power(2, least(t.lookups, 10))) * interval '1 minute'
        from due
       where t.id = due.id
      returning t.*
    )
    select p.*, taken.lookups, taken.id as transaction_id, taken.amount as transaction_amount,
           taken.gateway_ref as transaction_ref, taken.gateway_key, taken.created_at as since
      from taken
      join payments.payments as p on p.id = taken.payment_id`)
  return rows.map((row) => overdueOf('refund', row))
}

/** How long the oldest charge and the oldest refund have waited for the gateway's word, in seconds. */
export async function oldestPending(db: Queryable): Promise<{ charge: number; refund: number }> {
  const { rows } = await db.query<{ charge: number; refund: number }>(sql`
    select (select coalesce(extract(epoch from posthorn.now() - min(created_at)), 0)
              from payments.payments
             where status = 'pending' and authorisation is distinct from 'authorised')::float8
             as charge,
           (select coalesce(extract(epoch from posthorn.now() - min(created_at)), 0)
              from payments.transactions
             where type = 'refund' and status = 'succeeded' and confirmed_at is null)::float8
             as refund`)
  return rows[0] ?? { charge: 0, refund: 0 }
}
