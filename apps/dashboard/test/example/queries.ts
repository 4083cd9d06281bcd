import { sql, type Queryable } from '@posthorn/engine'
import type { AuditSearch, Follow, Found, Search, SystemAuditEntry } from '@posthorn/system'

/** What a relay writes of a message whose claims were lost. */
export const insertAlert = `
  insert into posthorn.alert (source, subject, code, detail)
  values ('post', 'parcel-7', 'CLAIM_FATAL', 'three relays were lost')
  returning id`

/** Parcels by their id or by whom they are to. */
export const findParcels: Search = async (db, { org, text, limit }) => {
  const { rows } = await db.query<{ id: string; to: string; status: string }>(sql`
    select id, payload ->> 'to' as to, status
      from post.parcels
     where tenant = ${org} and (id::text = ${text} or payload ->> 'to' = ${text})
     limit ${limit}`)
  return rows.map(({ id, to, status }): Found => ({
    ...{ kind: 'parcel', id, title: `Parcel to ${to}`, detail: status },
    to: `/messages?open=post.parcels:${id}`,
  }))
}

/** The parcels of these ids. */
export const followParcels: Follow = async (db, { org, ids, limit }) => {
  const { rows } = await db.query<{ id: string; to: string; status: string; created_at: Date }>(sql`
    select id, payload ->> 'to' as to, status, created_at
      from post.parcels
     where tenant = ${org} and id::text = any(${ids})
     limit ${limit}`)
  return rows.map(({ id, to, status, created_at: at }) => ({
    ...{
      kind: 'parcel',
      id,
      title: `Parcel to ${to}`,
      detail: status,
      ids: [],
      outbox: 'post.parcels',
    },
    to: `/messages?open=post.parcels:${id}`,
    events: [{ at, what: 'Parcel sent' }],
  }))
}

/** Who sent which parcel. */
export async function searchParcels(db: Queryable, search: AuditSearch) {
  const { rows } = await db.query<SystemAuditEntry>(sql`
    select id::text as seq, tenant as org_id, payload ->> 'by' as actor, 'parcel.sent' as action,
           'parcel' as entity_type, id::text as entity_id, payload as details, created_at as at,
           null::timestamptz as business_at
      from post.parcels
     where (${search.org}::text is null or tenant = ${search.org})
       and (${search.actor}::text is null or payload ->> 'by' = ${search.actor})
     order by id desc
     limit ${search.limit}`)
  return rows
}
