import {
  outboxTableSql,
  sql,
  type Outbox,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import { inboxTableSql } from '@posthorn/engine/inbox'
import { countOf, rowsOf } from '../stand/queries.ts'
import { inbox, type EventRow } from './outbox.ts'

/** What makes tables, which another version of the engine may make otherwise. */
const MAKERS = { outboxTableSql, inboxTableSql }

/**
 * The business side (account, entry) is written with the messages, the consumer's side (effect)
 * with its inbox: what was committed and what took effect is read from these two, not from the engine.
 */
export function schemaOf(outboxes: readonly Outbox<EventRow>[], makers = MAKERS): string {
  return `
create schema crash;
create table crash.account (
  source text not null,
  key text not null,
  n bigint not null default 0,
  primary key (source, key)
) with (fillfactor = 50);
create table crash.entry (
  message_id uuid primary key,
  source text not null,
  key text not null,
  n bigint not null,
  written_at timestamptz not null default clock_timestamp()
);
-- No unique key: a second effect of the same message must show, not fail.
create table crash.effect (
  id bigint generated always as identity primary key,
  source text not null,
  key text not null,
  n bigint not null,
  message_id uuid not null
);
${makers.inboxTableSql(inbox)}
${outboxes.map((outbox) => outboxSchema(outbox) + makers.outboxTableSql(outbox)).join('\n')}
`
}

function outboxSchema({ table }: Outbox<EventRow>): string {
  return `
create table ${table} (
  id uuid primary key,
  key text not null,
  n bigint not null,
  status text not null default 'ready' check (status in ('ready', 'claimed', 'sent', 'dead')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamptz not null default now()
);
`
}

/** One event of one key. */
export interface Entry {
  readonly id: string
  readonly key: string
  readonly n: number
}

export async function insertAccounts(
  db: Queryable,
  source: string,
  keys: readonly string[],
): Promise<void> {
  await db.query(sql`
    insert into crash.account (source, key) select ${source}, unnest(${keys}::text[])`)
}

/** Moves the key's counter on; its lock is what serialises the writers of a key. */
export async function advanceAccount(
  tx: Transaction,
  { source, key, by }: { source: string; key: string; by: number },
): Promise<number> {
  const { rows } = await tx.query<{ n: string }>(sql`
    update crash.account set n = n + ${by}::bigint
     where source = ${source} and key = ${key}
    returning n`)
  return Number(rows[0]?.n)
}

export async function insertEntries(
  tx: Transaction,
  source: string,
  entries: readonly Entry[],
): Promise<void> {
  await tx.query(sql`
    insert into crash.entry (message_id, source, key, n)
    select id, ${source}, key, n
      from unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ key }) => key)}::text[],
                  ${entries.map(({ n }) => n)}::bigint[]) as u (id, key, n)`)
}

export async function hasEntry(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await db.query(sql`select from crash.entry where message_id = ${id}::uuid`)
  return rows.length > 0
}

export async function insertEffect(tx: Queryable, source: string, entry: Entry): Promise<void> {
  await tx.query(sql`
    insert into crash.effect (source, key, n, message_id)
    values (${source}, ${entry.key}, ${entry.n}, ${entry.id}::uuid)`)
}

export async function countEffects(db: Queryable, source: string): Promise<number> {
  return countOf(db)(sql`select count(*)::int as count from crash.effect where source = ${source}`)
}

export interface WrittenEntry extends Entry {
  readonly writtenMs: number
}

export async function selectEntries(db: Queryable, source: string): Promise<WrittenEntry[]> {
  const { rows } = await db.query<WrittenEntry>(sql`
    select message_id as id, key, n::int as n,
           extract(epoch from written_at)::float8 * 1000 as "writtenMs"
      from crash.entry where source = ${source}`)
  return rows
}

/** In the order in which they happened, as far as one key is concerned. */
export async function selectEffects(db: Queryable, source: string): Promise<Entry[]> {
  const { rows } = await db.query<Entry>(sql`
    select message_id as id, key, n::int as n
      from crash.effect where source = ${source} order by effect.id`)
  return rows
}

/** How an outbox stands; in the end everything but `sent` and `attempts` must be zero. */
export interface Standing {
  readonly sent: number
  readonly waiting: number
  readonly held: number
  readonly dead: number
  readonly quarantined: number
  readonly heldKeys: number
  readonly leases: number
  readonly runs: number
  readonly alerts: number
  /** Failed attempts counted on the messages. */
  readonly attempts: number
}

/** What is in the table, and what is in the log, with the state that its cursor says. */
function everyMessage(outbox: Outbox<EventRow>): string {
  const { name, log, order, states } = outbox
  const columns = [
    'id, key, n, attempts, lost_claims, error_code, due_at',
    order ? 'held, seq, bucket' : 'claim_token',
    ...(states.dead === undefined ? ['quarantined_at'] : []),
  ].join(', ')
  const kept = `select ${columns}, status from ${rowsOf(outbox)}`
  if (log === undefined) return kept
  const shown = columns.replaceAll(/\w+/g, 'm.$&')
  return `${kept}
  union all
  select ${shown}, case when posthorn.log_gone(b, m.xid, m.seq) then 'sent' else 'ready' end
    from ${log} as m
    left join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = m.bucket`
}

export async function selectStanding(db: Queryable, outbox: Outbox<EventRow>): Promise<Standing> {
  const { name, order } = outbox
  const held = order ? 'count(*) filter (where held)' : '0'
  const quarantined =
    outbox.states.dead === undefined ? 'count(*) filter (where quarantined_at is not null)' : '0'
  const leases = order
    ? '(select count(*) from posthorn.bucket where outbox = $1 and session in (select id from posthorn.session where until is not null))'
    : 'count(*) filter (where claim_token is not null)'
  const { rows } = await db.query<Standing>({
    text: `
select count(*) filter (where status = 'sent')::int as sent,
       count(*) filter (where status = 'ready')::int as waiting,
       count(*) filter (where status = 'dead')::int as dead,
       coalesce(sum(attempts), 0)::int as attempts,
       (${held})::int as held,
       (${quarantined})::int as quarantined,
       (${leases})::int as leases,
       (select count(*) from posthorn.held_key where outbox = $1)::int as "heldKeys",
       (select count(*) from posthorn.bucket where outbox = $1 and run_size is not null)::int as runs,
       (select count(*) from posthorn.alert
         where source = $1 and code not in ('DESTINATION_DOWN', 'OUTBOX_BEHIND'))::int as alerts
  from (${everyMessage(outbox)}) as t`,
    values: [name],
  })
  return rows[0] as Standing
}

/** Buckets that still belong to a relay, and the messages it has in flight in them. */
export async function selectLeases(
  db: Queryable,
  relay: string,
): Promise<{ buckets: number; inFlight: number }> {
  const { rows } = await db.query<{ buckets: number; inFlight: number }>(sql`
    select count(*)::int as buckets, coalesce(sum(run_size), 0)::int as "inFlight"
      from posthorn.bucket
     where session in (select id from posthorn.session where relay = ${relay})`)
  return rows[0] ?? { buckets: 0, inFlight: 0 }
}

/** What a person would look at when something is stuck. */
export async function selectStuck(
  db: Queryable,
  outbox: Outbox<EventRow>,
): Promise<Record<string, unknown>[]> {
  if (!outbox.order) return []
  const { rows } = await db.query({
    text: `
select t.bucket, t.key, t.seq, t.n, t.held, t.lost_claims, t.error_code,
       h.due_at - posthorn.now() as due_in, h.held_by, s.relay, s.until - now() as lease, b.run_size
  from (${everyMessage(outbox)}) as t
  left join posthorn.held_key as h on h.outbox = $1 and h.key = t.key
  left join posthorn.bucket as b on b.outbox = $1 and b.bucket = t.bucket
  left join posthorn.session as s on s.id = b.session
 where t.status = 'ready'
 order by t.seq
 limit 20`,
    values: [outbox.name],
  })
  return rows
}

/** How the poisoned message and its neighbours fare. */
export interface Poisoning {
  /** When the poisoned one ended. */
  readonly endedMs: number | null
  readonly alertCodes: readonly string[]
  /** Neighbours that have not been sent though nothing is in front of them. */
  readonly waiting: number
  /** Those behind it in its key. */
  readonly blocked: number
  /** The most lost claims on a neighbour; 1 marks a lost batch, 2 a lost group, and neither is a charge. */
  readonly lostClaims: number
  /** Failed attempts counted on neighbours. */
  readonly attempts: number
}

export async function selectPoisoning(
  db: Queryable,
  outbox: Outbox<EventRow>,
  poison: Entry,
): Promise<Poisoning> {
  const behind = outbox.order ? 'key = $3 and n > $4' : '$3::text is null and $4::bigint is null'
  const { rows } = await db.query<Poisoning>({
    text: `
select count(*) filter (where status = 'ready' and not (${behind}))::int as waiting,
       count(*) filter (where status = 'ready' and ${behind})::int as blocked,
       coalesce(max(lost_claims), 0)::int as "lostClaims",
       coalesce(sum(attempts), 0)::int as attempts,
       (select extract(epoch from min(raised_at))::float8 * 1000
          from posthorn.alert where source = $1 and subject = $2::text) as "endedMs",
       array(select code from posthorn.alert where source = $1 and subject = $2::text) as "alertCodes"
  from (${everyMessage(outbox)}) as t
 where id <> $2::uuid`,
    values: [outbox.name, poison.id, poison.key, poison.n],
  })
  return rows[0] as Poisoning
}
