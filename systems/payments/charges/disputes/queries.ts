import { sql, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import type { Payment } from '../payment.ts'
import type { Dispute, DisputeChange } from './dispute.ts'
import { all, one } from '../../rows.ts'

/** Of a payment, oldest first. */
export const selectDisputes = (db: Queryable, paymentId: string) =>
  all<Dispute>(db)(sql`
    select * from payments.disputes where payment_id = ${paymentId} order by opened_at, id`)

/** Opens a dispute or goes on with it; a reason and a date that are there stay. */
export const saveDispute = (
  tx: Transaction,
  { id: paymentId, org_id: orgId, currency }: Pick<Payment, 'id' | 'org_id' | 'currency'>,
  { ref, status, amount, reason, evidenceDueAt }: DisputeChange,
) =>
  one<Dispute>(tx)(sql`
    insert into payments.disputes as d
           (id, payment_id, org_id, gateway_ref, status, amount, currency, reason, evidence_due_at,
            closed_at)
    values (${uuid()}, ${paymentId}, ${orgId}, ${ref}, ${status}, ${amount}, ${currency}, ${reason},
            ${evidenceDueAt}, case when ${status}::text <> 'opened' then posthorn.now() end)
    on conflict (payment_id, gateway_ref) do update
       set status = excluded.status,
           reason = coalesce(d.reason, excluded.reason),
           evidence_due_at = coalesce(d.evidence_due_at, excluded.evidence_due_at),
           closed_at = coalesce(d.closed_at, excluded.closed_at)
    returning *`)
