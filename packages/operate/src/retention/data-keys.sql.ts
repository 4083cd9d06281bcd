import { sql, type Statement } from '@posthorn/engine'
import { DATA_KEY_COLUMNS, toBase64 } from '@posthorn/engine/internal'

/** Keys that are not destroyed, a page at a time. */
export function selectKeysAfter(after: string | null, limit: number): Statement {
  return sql`
    select ${DATA_KEY_COLUMNS}
      from posthorn.data_key
     where wrapped is not null and (${after}::uuid is null or data_key.id > ${after}::uuid)
     order by data_key.id
     limit ${limit}`
}

/** Nothing where it was rewrapped or destroyed meanwhile. */
export function updateWrapped(key: {
  id: string
  was: string
  master: string
  wrapped: Uint8Array
}): Statement {
  return sql`
    update posthorn.data_key
       set master = ${key.master}, wrapped = decode(${toBase64(key.wrapped)}, 'base64')
     where id = ${key.id}::uuid and master = ${key.was}
    returning id`
}

/**
 * Destroys a tenant's keys, with its trace in the audit. Not under a legal hold of the tenant or of
 * anything of it: a key does not tell what was encrypted with it.
 */
export function destroyKeys(request: { tenant: string; by: string; reason: string }): Statement {
  const { tenant, by, reason } = request
  return sql`
    with destroyed as (
      update posthorn.data_key
         set wrapped = null, master = null, destroyed_at = now(), destroyed_by = ${by}
       where tenant = ${tenant} and wrapped is not null
         and not exists (select from posthorn.legal_hold as h
                          where h.tenant = ${tenant} and h.released_at is null)
      returning id
    )
    insert into posthorn.operation (operation, subject, tenant, actor, reason)
    select 'shred', id::text, nullif(${tenant}, ''), ${by}, ${reason} from destroyed
    returning subject as id`
}

export function selectIsHeld(tenant: string): Statement {
  return sql`
    select exists (select from posthorn.legal_hold
                    where tenant = ${tenant} and released_at is null) as held`
}

/** How many keys each master key has wrapped, and one of them to try. */
export const selectMasters: Statement = sql`
  select master, count(*)::int as keys, min(data_key.id::text) as id
    from posthorn.data_key
   where wrapped is not null
   group by master
   order by master`

/** Leaves in the audit who looked at a payload that is encrypted. */
export function noteReveal(reveal: {
  outbox: string
  id: string
  tenant: string | undefined
  by: string
  reason: string
}): Statement {
  return sql`
    insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
    values ('reveal', ${reveal.outbox}, ${reveal.id}, ${reveal.tenant ?? null}, ${reveal.by}, ${reveal.reason})`
}

/** Whether one of these keys is destroyed. */
export function selectDestroyed(ids: readonly string[]): Statement {
  return sql`
    select exists (select from posthorn.data_key
                    where id = any(${ids}::uuid[]) and wrapped is null) as destroyed`
}
