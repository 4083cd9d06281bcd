import { sql, type Statement } from '@posthorn/engine'

const COLUMNS = sql`
  id, tenant, kind, subject, reason, placed_by, placed_at, released_by, released_at, release_reason`

export interface NewHold {
  readonly id: string
  readonly tenant: string
  readonly kind: string
  readonly subject: string | null
  readonly reason: string
  readonly by: string
}

/** Places a hold, with its trace in the audit; no row if the same one is open. */
export function insertHold({ id, tenant, kind, subject, reason, by }: NewHold): Statement {
  return sql`
    with placed as (
      insert into posthorn.legal_hold (id, tenant, kind, subject, reason, placed_by)
      values (${id}, ${tenant}, ${kind}, ${subject}, ${reason}, ${by})
          on conflict (tenant, kind, coalesce(subject, '')) where released_at is null do nothing
      returning *
    ), noted as (
      insert into posthorn.operation (operation, subject, tenant, actor, reason)
      select 'place hold', concat_ws(' ', kind, subject), tenant, placed_by, reason from placed
    )
    select ${COLUMNS} from placed`
}

export function selectOpenHold(hold: Pick<NewHold, 'tenant' | 'kind' | 'subject'>): Statement {
  return sql`
    select ${COLUMNS} from posthorn.legal_hold
     where tenant = ${hold.tenant} and kind = ${hold.kind}
       and subject is not distinct from ${hold.subject} and released_at is null`
}

/** Releases a hold, with its trace in the audit; no row if it is none of theirs, or released. */
export function updateReleased(hold: {
  id: string
  tenant: string | null
  by: string
  reason: string
}): Statement {
  return sql`
    with released as (
      update posthorn.legal_hold
         set released_at = now(), released_by = ${hold.by}, release_reason = ${hold.reason}
       where id = ${hold.id} and released_at is null
         and (${hold.tenant}::text is null or tenant = ${hold.tenant})
      returning *
    ), noted as (
      insert into posthorn.operation (operation, subject, tenant, actor, reason)
      select 'release hold', concat_ws(' ', kind, subject), tenant, released_by, release_reason
        from released
    )
    select ${COLUMNS} from released`
}

export function selectHold(id: string): Statement {
  return sql`select ${COLUMNS} from posthorn.legal_hold where id = ${id}`
}

export function selectHolds(page: {
  tenant: string | null
  open: boolean | null
  before: string | null
  limit: number
}): Statement {
  return sql`
    select ${COLUMNS}
      from posthorn.legal_hold
     where (${page.tenant}::text is null or tenant = ${page.tenant})
       and (${page.open}::boolean is null or (released_at is null) = ${page.open})
       and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`
}

/** Whether a thing of an organisation exists; ids are compared as text. */
export function thingExists(
  thing: { table: string; id: string; org: string },
  { tenant, subject }: { tenant: string; subject: string },
): Statement {
  return sql`
    select exists (
      select from ${sql.id(thing.table)}
       where ${sql.id(thing.id)}::text = ${subject} and ${sql.id(thing.org)} = ${tenant}
    ) as present`
}
