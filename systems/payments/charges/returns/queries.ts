import { sql, type Queryable } from '@posthorn/engine'
import { all, directionOf } from '@posthorn/system'
import type { Static } from 'typebox'
import type { Dispute, GatewayTransaction } from '../payment.ts'
import type { DisputeQuery, RefundQuery } from './routes.ts'

interface Page<Place> {
  readonly orgId: string
  /** Behind this one, in the order of `sort`. */
  readonly before: Place | null
}

/** Refunds of all payments, by id, which has its time in it. */
export function selectAllRefunds(
  db: Queryable,
  page: Static<typeof RefundQuery> & Page<string>,
): Promise<GatewayTransaction[]> {
  const { orgId, status, before, limit } = page
  const { beyond, order } = directionOf(page.sort)
  return all<GatewayTransaction>(db)(sql`
    select *
      from payments.transactions
     where type = 'refund' and org_id = ${orgId}
       and (${status}::text is null
            or ${status} = case when status = 'succeeded' and confirmed_at is null then 'pending'
                           else status end)
       and (${before}::uuid is null or id ${beyond} ${before}::uuid)
     order by id ${order}
     limit ${limit}`)
}

/** Where a page of disputes ended: the deadline only where that is the order. */
type DisputePlace = string | readonly [due: string, id: string]

/** Disputes of all payments, by id or by the deadline for evidence; those without one come last. */
export function selectAllDisputes(
  db: Queryable,
  page: Static<typeof DisputeQuery> & Page<DisputePlace>,
): Promise<(Dispute & { readonly due: string })[]> {
  const { beyond, order } = directionOf(page.sort)
  const [due, id] =
    typeof page.before === 'string' ? [null, page.before] : (page.before ?? [null, null])
  const deadline = sql`coalesce(evidence_due_at, '9999-12-31Z'::timestamptz)`
  const [behind, sorted] = page.sort.endsWith('evidenceDueAt')
    ? [
        sql`(${deadline}, id) ${beyond} (${due}::timestamptz, ${id}::uuid)`,
        sql`${deadline} ${order}, id ${order}`,
      ]
    : [sql`id ${beyond} ${id}::uuid`, sql`id ${order}`]
  return all<Dispute & { readonly due: string }>(db)(sql`
    select *, to_char(${deadline} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as due
      from payments.disputes
     where org_id = ${page.orgId}
       and (${page.status}::text is null or status = ${page.status})
       and (${page.open}::boolean is null or ${page.open} = (closed_at is null))
       and (${page.dueBefore}::timestamptz is null
            or evidence_due_at < ${page.dueBefore}::timestamptz)
       and (${id}::uuid is null or ${behind})
     order by ${sorted}
     limit ${page.limit}`)
}
