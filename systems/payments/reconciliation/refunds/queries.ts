import { sql, type Transaction } from '@posthorn/engine'
import type { Owner, RunKey } from '../owner.ts'

/** Whether money went out in a record that has no payment: what refunds are for. */
export async function hasMoneyOut(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(sql`
    select exists (select from reconciliation_outcome where reason is null and amount < 0) as found`)
  return rows[0]?.found ?? false
}

/** Refunds of the organisation that have not failed, by what a bank may call them. */
const refunds = ({ org }: Owner) => sql`
  select t.id, t.payment_id, t.amount, t.currency, t.status, t.gateway_ref,
         p.external_payment_id as external_id,
         (select f.run_id from payments.reconciliation_refunds as f where f.refund_id = t.id) is null
           as is_free
    from payments.transactions as t
    join payments.payments as p on p.id = t.payment_id
   where p.org_id = ${org} and t.type = 'refund' and t.status <> 'failed'`

/** Records without a payment in which money went out. */
const out = sql`
  select line_number, external_id, -amount as amount, currency
    from reconciliation_outcome
   where reason is null and amount < 0`

/** Gives records the refund that they name by its own id or by the gateway's. */
export async function pairByRefund(tx: Transaction, owner: Owner): Promise<void> {
  await tx.query(sql`
    with named as (
      select id, payment_id, amount, currency, name
        from (${refunds(owner)}) as r
       cross join lateral (values (r.id::text), (r.gateway_ref)) as n (name)
       where r.is_free and n.name is not null
    ), pair as (
      select o.line_number, n.id, n.payment_id,
             row_number() over (partition by n.id order by o.line_number) as of_refund,
             row_number() over (partition by o.line_number order by n.id) as of_record
        from (${out}) as o
        join named as n on n.name = o.external_id and n.amount = o.amount
                       and n.currency = o.currency
    )
    update reconciliation_outcome as o
       set reason = 'exact_match', payment_id = p.payment_id, refund_id = p.id, external_id = null
      from pair as p
     where p.line_number = o.line_number and p.of_refund = 1 and p.of_record = 1`)
}

/**
 * Gives the others a refund of the payment that they name: of several equal ones the first line gets
 * the first, those that are done before those that are not.
 */
export async function pairByRefundedPayment(tx: Transaction, owner: Owner): Promise<void> {
  await tx.query(sql`
    with open as (
      select *, row_number() over (partition by external_id collate "C", amount, currency
                                       order by line_number) as nth
        from (${out}) as o
    ), free as (
      select *, row_number() over (partition by external_id collate "C", amount, currency
                                       order by status <> 'succeeded', id) as nth
        from (${refunds(owner)}) as r
       where r.is_free and r.external_id is not null
         and not exists (select from reconciliation_outcome as t where t.refund_id = r.id)
    )
    update reconciliation_outcome as o
       set reason = 'exact_match', payment_id = f.payment_id, refund_id = f.id, external_id = null
      from open as n
      join free as f on f.external_id = n.external_id and f.amount = n.amount
                    and f.currency = n.currency and f.nth = n.nth
     where n.line_number = o.line_number`)
}

/** Says of the rest which would have been refunds, had another record not had them. */
export async function explainTakenRefunds(tx: Transaction, owner: Owner): Promise<void> {
  await tx.query(sql`
    with named as (
      select r.amount, r.currency, n.name, min(r.payment_id::text)::uuid as payment_id
        from (${refunds(owner)}) as r
       cross join lateral (values (r.id::text), (r.gateway_ref), (r.external_id)) as n (name)
       where n.name is not null
       group by 1, 2, 3
    )
    update reconciliation_outcome as o
       set reason = 'duplicate', payment_id = n.payment_id, external_id = null
      from named as n
     where o.reason is null and o.amount < 0 and n.name = o.external_id
       and n.amount = -o.amount and n.currency = o.currency`)
}

/** After their records are matched. */
export async function insertRefunds(tx: Transaction, { id }: RunKey): Promise<void> {
  await tx.query(sql`
    insert into payments.reconciliation_refunds (refund_id, run_id, line_number)
    select refund_id, ${id}::uuid, line_number
      from reconciliation_outcome
     where refund_id is not null
     order by refund_id`)
}
