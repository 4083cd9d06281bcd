import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Incident } from './incident.ts'
import type { Channel } from './channel.ts'

/** One process at a time groups alerts; others leave it to that one. */
export async function tryLockGrouping(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtext('incidents.grouping')) as taken`)
  return rows[0]?.taken ?? false
}

/** A cause that comes back within this time is the same incident. */
const SAME_MINUTES = 10

export interface Changed {
  readonly id: string
  readonly source: string
  readonly code: string
  readonly tenant: string | null
  readonly opened_at: Date
}

/** Incidents that were over and continue: a new alert needs a new acknowledgement. */
export async function reopenIncidents(tx: Transaction, own: string): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>(sql`
    update incidents.incident as i
       set closed_at = null, acknowledged_at = null, acknowledged_by = null
     where i.id in (
       select distinct on (c.source, c.code, c.tenant) c.id
         from incidents.incident as c
        where c.closed_at > now() - ${SAME_MINUTES} * interval '1 minute' and c.source <> ${own}
          and exists (select from posthorn.alert as a
                       where a.source = c.source and a.code = c.code
                         and a.tenant is not distinct from c.tenant and a.recovered_at is null)
          and not exists (select from incidents.incident as o
                           where o.source = c.source and o.code = c.code
                             and o.tenant is not distinct from c.tenant and o.closed_at is null)
        order by c.source, c.code, c.tenant, c.closed_at desc)
    returning id, source, code, tenant, opened_at`)
  return rows
}

/** Causes whose alerts stand and that have no incident yet; notices about notices would never end. */
export async function openIncidents(tx: Transaction, own: string): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>(sql`
    insert into incidents.incident (id, source, code, tenant, opened_at)
    select posthorn.new_id(), source, code, tenant, min(raised_at)
      from posthorn.alert
     where recovered_at is null and source <> ${own}
     group by source, code, tenant
    on conflict (source, code, coalesce(tenant, '')) where closed_at is null do nothing
    returning id, source, code, tenant, opened_at`)
  return rows
}

export async function closeIncidents(tx: Transaction): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>(sql`
    update incidents.incident as i
       set closed_at = greatest(now(), i.opened_at), snoozed_until = null
     where i.closed_at is null
       and not exists (select from posthorn.alert as a
                        where a.source = i.source and a.code = i.code
                          and a.tenant is not distinct from i.tenant and a.recovered_at is null)
    returning id, source, code, tenant, opened_at`)
  return rows
}

/** Incidents whose snooze is over and that go on. */
export async function wakeIncidents(tx: Transaction): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>(sql`
    update incidents.incident
       set snoozed_until = null
     where closed_at is null and snoozed_until < now()
    returning id, source, code, tenant, opened_at`)
  return rows
}

export interface IncidentSearch {
  readonly tenant: string | null
  readonly state: 'open' | 'snoozed' | 'closed' | null
  readonly id: string | null
}

/** Incidents that are listed at the most: those that go on first, then the newest. */
const MOST_LISTED = 200

export async function selectIncidents(db: Queryable, search: IncidentSearch): Promise<Incident[]> {
  const { tenant, state, id } = search
  const { rows } = await db.query<Incident>(sql`
    select i.id, i.source, i.code, i.tenant, i.opened_at, i.closed_at, i.owner, i.acknowledged_at,
           i.acknowledged_by, i.snoozed_until, a.*
      from (select * from incidents.incident
             where (${tenant}::text is null or tenant = ${tenant})
               and (${id}::uuid is null or id = ${id}::uuid)
               and (${state}::text is null or ${state} =
                    case when closed_at is not null then 'closed'
                         when snoozed_until > now() then 'snoozed' else 'open' end)
             order by closed_at is not null, opened_at desc
             limit ${MOST_LISTED}) as i
     cross join lateral (
       select count(*) filter (where recovered_at is null)::int as standing,
              count(*)::int as alerts,
              max(raised_at) as last_at,
              count(*) filter (where raised_at > now() - interval '1 hour')::int as last_hour,
              count(*) filter (where raised_at between now() - interval '2 hours'
                                                   and now() - interval '1 hour')::int as hour_before,
              (array_agg(detail order by id desc))[1] as detail,
              (array_agg(subject order by id desc))[1] as subject
         from posthorn.alert
        where source = i.source and code = i.code and tenant is not distinct from i.tenant
          and raised_at >= i.opened_at and raised_at <= coalesce(i.closed_at, 'infinity')
     ) as a
     order by i.closed_at is not null, i.opened_at desc`)
  return rows
}

/** The alerts of an incident that stand and no operator has acknowledged. */
export async function selectOpenAlerts(tx: Transaction, incident: Incident): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    select a.id::text as id from posthorn.alert as a
     where a.source = ${incident.source} and a.code = ${incident.code}
       and a.tenant is not distinct from ${incident.tenant}::text
       and a.recovered_at is null and a.acknowledged_at is null
     order by a.id
     limit 10000`)
  return rows.map(({ id }) => id)
}

export async function lockIncident(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`select from incidents.incident where id = ${id} for update`)
}

export async function updateIncident(
  tx: Transaction,
  id: string,
  change: {
    readonly acknowledgedBy?: string
    readonly owner?: string | null
    readonly snoozeMinutes?: number
  },
): Promise<void> {
  const { acknowledgedBy = null, owner, snoozeMinutes = null } = change
  await tx.query(sql`
    update incidents.incident
       set acknowledged_at = case when ${acknowledgedBy}::text is null then acknowledged_at
                                  else coalesce(acknowledged_at, now()) end,
           acknowledged_by = coalesce(acknowledged_by, ${acknowledgedBy}::text),
           owner = case when ${owner !== undefined}::boolean then ${owner ?? null}::text else owner end,
           snoozed_until = case when ${snoozeMinutes}::float8 is null then snoozed_until
                                when ${snoozeMinutes}::float8 = 0 then null
                                else now() + ${snoozeMinutes}::float8 * interval '1 minute' end
     where id = ${id}`)
}

/** What people do with incidents stands in the operators' audit. */
export async function noteOperation(
  tx: Transaction,
  note: { operation: string; subject: string; tenant: string | null; actor: string },
): Promise<void> {
  await tx.query(sql`
    insert into posthorn.operation (operation, subject, tenant, actor)
    values (${note.operation}, ${note.subject}, ${note.tenant}, ${note.actor})`)
}

/** Channels of one tenant, or all. */
export async function selectChannels(db: Queryable, tenant: string | null): Promise<Channel[]> {
  const { rows } = await db.query<Channel>(sql`
    select c.id, c.tenant, c.kind, c.name, c.shown, c.sealed_address, c.sealed_key, c.created_by,
           c.created_at, last.status as last_status, last.error as last_error, last.created_at as last_at
      from incidents.channel as c
      left join lateral (
        select status, error, created_at from incidents.notice
         where channel_id = c.id order by id desc limit 1) as last on true
     where ${tenant}::text is null or c.tenant = ${tenant}
     order by name`)
  return rows
}

/** Who hears of an incident: the channels of its tenant, and those of all. */
export async function selectListeners(db: Queryable, tenant: string | null): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from incidents.channel where tenant is null or tenant = ${tenant} order by id`)
  return rows.map(({ id }) => id)
}

export async function findChannels(db: Queryable, ids: readonly string[]): Promise<Channel[]> {
  const { rows } = await db.query<Channel>(sql`
    select id, tenant, kind, name, shown, sealed_address, sealed_key, created_by, created_at,
           null as last_status, null as last_error, null as last_at
      from incidents.channel where id = any(${ids}::uuid[])`)
  return rows
}

export async function insertChannel(
  tx: Transaction,
  channel: Omit<Channel, 'created_at' | 'last_status' | 'last_error' | 'last_at'>,
): Promise<boolean> {
  const { rows } = await tx.query(sql`
    insert into incidents.channel (id, tenant, kind, name, shown, sealed_address, sealed_key, created_by)
    values (${channel.id}, ${channel.tenant}, ${channel.kind}, ${channel.name}, ${channel.shown},
            ${channel.sealed_address}, ${channel.sealed_key}, ${channel.created_by})
    on conflict (coalesce(tenant, ''), name) do nothing
    returning id`)
  return rows.length > 0
}

export async function deleteChannel(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`delete from incidents.channel where id = ${id}`)
}
