import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, one } from '@posthorn/system'
import type { NewProposal, Proposal, ProposalStatus } from './proposal.ts'

/** Above which amount of a currency two persons are needed; null: never. */
export interface Limit {
  readonly currency: string
  readonly amount: number | null
}

export const selectLimits = (db: Queryable, org: string) =>
  all<Limit>(db)(sql`
    select currency, amount::float8 as amount
      from payments.approval_limits
     where org_id = ${org}
     order by currency`)

export async function replaceLimits(
  tx: Transaction,
  { org, by, limits }: { org: string; by: string; limits: readonly Limit[] },
): Promise<void> {
  await tx.query(sql`delete from payments.approval_limits where org_id = ${org}`)
  await tx.query(sql`
    insert into payments.approval_limits (org_id, currency, amount, set_by)
    select ${org}, currency, amount, ${by}
      from unnest(${limits.map(({ currency }) => currency)}::text[],
                  ${limits.map(({ amount }) => amount)}::bigint[]) as given (currency, amount)`)
}

const COLUMNS = sql`id, org_id, kind, subject, request, amount::float8 as amount, currency, reason,
  status, proposed_by, proposed_at, expires_at, expires_at <= posthorn.now() as is_over,
  decided_by, decided_at, decision_reason, result`

/** Undefined if the same is proposed already and waits. */
export const insertProposal = (
  tx: Transaction,
  { id, expires, ...init }: NewProposal & { id: string; expires: string },
) =>
  first<Proposal>(tx)(sql`
    insert into payments.proposals
           (id, org_id, kind, subject, request, amount, currency, reason, request_key, proposed_by,
            expires_at)
    values (${id}, ${init.org}, ${init.kind}, ${init.subject}, ${JSON.stringify(init.request)}::jsonb,
            ${init.amount}, ${init.currency}, ${init.reason}, ${init.requestKey}, ${init.by},
            posthorn.now() + ${expires}::interval)
    on conflict do nothing
    returning ${COLUMNS}`)

export const findProposal = (db: Queryable, { id, org }: { id: string; org: string }) =>
  first<Proposal>(db)(sql`
    select ${COLUMNS} from payments.proposals where id = ${id} and org_id = ${org}`)

/** The one that was made under a client's key. */
export const findByKey = (
  db: Queryable,
  { org, by, key }: { org: string; by: string; key: string },
) =>
  first<Proposal>(db)(sql`
    select ${COLUMNS}
      from payments.proposals
     where org_id = ${org} and proposed_by = ${by} and request_key = ${key}`)

/** The one that waits, about the same thing. */
export const findPending = (
  db: Queryable,
  { org, kind, subject }: Pick<NewProposal, 'org' | 'kind' | 'subject'>,
) =>
  first<Proposal>(db)(sql`
    select ${COLUMNS}
      from payments.proposals
     where org_id = ${org} and kind = ${kind} and subject = ${subject} and status = 'pending'`)

/** Locked until the end: two persons who decide at once do it one after the other. */
export const lockProposal = (tx: Transaction, { id, org }: { id: string; org: string }) =>
  first<Proposal>(tx)(sql`
    select ${COLUMNS} from payments.proposals where id = ${id} and org_id = ${org} for update`)

export const closeProposal = (
  tx: Transaction,
  close: {
    id: string
    status: Exclude<ProposalStatus, 'pending'>
    by: string
    reason: string | null
    result: Readonly<Record<string, unknown>> | null
  },
) =>
  one<Proposal>(tx)(sql`
    update payments.proposals
       set status = ${close.status}, decided_by = ${close.by}, decided_at = posthorn.now(),
           decision_reason = ${close.reason},
           result = ${close.result && JSON.stringify(close.result)}::jsonb
     where id = ${close.id} and status = 'pending'
    returning ${COLUMNS}`)

/** Ends one whose time is over. */
export const expireProposal = (tx: Transaction, id: string) =>
  first<Proposal>(tx)(sql`
    update payments.proposals
       set status = 'expired', decided_at = posthorn.now()
     where id = ${id} and status = 'pending' and expires_at <= posthorn.now()
    returning ${COLUMNS}`)

export function selectProposals(
  db: Queryable,
  page: { org: string; status?: string; before: string | null; sort: string; limit: number },
): Promise<Proposal[]> {
  const { beyond, order } = directionOf(page.sort)
  return all<Proposal>(db)(sql`
    select ${COLUMNS}
      from payments.proposals
     where org_id = ${page.org}
       and (${page.status}::text is null or status = ${page.status})
       and (${page.before}::uuid is null or id ${beyond} ${page.before}::uuid)
     order by id ${order}
     limit ${page.limit}`)
}
