import { sql, type Outbox, type Queryable } from '@posthorn/engine'

/** The table whose rows say what became of them: of a log its exceptions. */
export function rowsOf<Row>({ exceptions, table }: Outbox<Row>): string {
  return exceptions ?? table
}

/** Rows of an outbox that have not come to an end. */
export async function countUnfinished(db: Queryable, outbox: Outbox): Promise<number> {
  const { name, log, states, columns } = outbox
  const open = [states.ready, states.claimed, states.retry, states.failing]
  const words = [...new Set(open.filter((state) => state !== undefined))].map(literal)
  const standing = states.dead === undefined ? 'and quarantined_at is null' : ''
  const kept = `select from ${rowsOf(outbox)} where ${columns.status} in (${words.join()}) ${standing}`
  if (log === undefined) return countRows(db, kept)
  const logged = `
select from ${log} as m
  left join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = m.bucket
 where not coalesce(posthorn.log_gone(b, m.xid, m.seq), false)`
  return (await countRows(db, kept)) + (await countRows(db, logged))
}

/** Claims and leases of a relay that nobody holds any more. */
export async function countClaims(db: Queryable, { name, table, order }: Outbox): Promise<number> {
  const statement = order
    ? `select from posthorn.bucket
        where outbox = '${name}'
          and (run_size is not null
               or session in (select id from posthorn.session where until is not null))`
    : `select from ${table} where claim_token is not null`
  return countRows(db, statement)
}

/** Leases on buckets by the relays that left them over, for a look. */
export async function selectLeftLeases(db: Queryable): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(sql`
    select b.outbox, s.relay, array_agg(b.bucket order by b.bucket) as buckets,
           b.run_size is not null as in_flight, now() as at, min(s.until) as until
      from posthorn.bucket as b
      left join posthorn.session as s on s.id = b.session
     where b.run_size is not null or s.until is not null
     group by b.outbox, s.relay, b.token, b.run_size is not null`)
  return rows
}

/** Buckets whose relay is gone, and that no other has taken over yet. */
export async function countAbandoned(db: Queryable, outboxes: readonly Outbox[]): Promise<number> {
  const names = outboxes.map(({ name }) => name)
  return countOf(db)(sql`
    select count(*)::int as count
      from posthorn.bucket as b
     where b.outbox = any(${names}::text[])
       and b.token is not null
       and not exists (select from posthorn.session as s where s.id = b.session and s.until > now())`)
}

/** Messages whose last transition is not what their row says. */
export async function countUnrecorded(db: Queryable, outbox: Outbox): Promise<number> {
  const { name, columns } = outbox
  return countRows(
    db,
    `select from ${rowsOf(outbox)} as m
       left join lateral (
         select to_state from posthorn.transition as t
          where t.outbox = '${name}' and t.message_id = m.${columns.id}::text
          order by t.id desc limit 1) as last on true
      where last.to_state is distinct from m.${columns.status}::text`,
  )
}

/** Transitions that do not begin where the one before of their message ended. */
export async function countGaps(db: Queryable, { name }: Outbox): Promise<number> {
  return countRows(
    db,
    `select from (
       select from_state, lag(to_state) over (partition by message_id order by id) as before
         from posthorn.transition where outbox = '${name}') as t
      where before is not null and from_state is distinct from before`,
  )
}

/** How messages of an outbox went from one state to another. */
export interface MoveRow {
  /** Null where the outbox notes that a message came into being. */
  readonly from: string | null
  readonly to: string | null
  /** Whether it was the first of its message. */
  readonly isFirst: boolean
  readonly count: number
}

export async function selectMoves(db: Queryable, { name }: Outbox): Promise<MoveRow[]> {
  const { rows } = await db.query<MoveRow>(sql`
    select from_state as "from", to_state as "to", is_first as "isFirst", count(*)::int as count
      from (select from_state, to_state,
                   row_number() over (partition by message_id order by id) = 1 as is_first
              from posthorn.transition where outbox = ${name}) as t
     group by 1, 2, 3
     order by 1, 2, 3`)
  return rows
}

/** Messages that were set aside, in an outbox whose policy never gives up. */
export async function countSetAsideForGood(db: Queryable, outbox: Outbox): Promise<number> {
  if (outbox.states.dead !== undefined) return 0
  return countRows(db, `select from ${rowsOf(outbox)} where quarantined_at is not null`)
}

/** The ids of dead messages, but those whose key begins so. */
export async function selectDead(
  db: Queryable,
  outbox: Outbox,
  except?: string,
): Promise<string[]> {
  const { columns, states } = outbox
  if (states.dead === undefined) return []
  const spared = except === undefined ? '' : `and key not like '${except}%'`
  const { rows } = await db.query<{ id: string }>({
    text: `select ${columns.id}::text as id from ${rowsOf(outbox)}
            where ${columns.status} = ${literal(states.dead)} ${spared}`,
    values: [],
  })
  return rows.map(({ id }) => id)
}

export async function countHeldKeys(db: Queryable): Promise<number> {
  return countRows(db, 'select from posthorn.held_key')
}

/** What consumers have set aside and not ended. */
export async function countSetAside(db: Queryable): Promise<number> {
  return countRows(db, `select from posthorn.consumer_message where state <> 'dead'`)
}

/** A message that a broker has twice may be dead twice. */
export async function countDeadLetters(db: Queryable): Promise<number> {
  return countRows(
    db,
    `select distinct topic, group_name, message_id from posthorn.consumer_message where state = 'dead'`,
  )
}

export async function countForgottenTransactions(db: Queryable): Promise<number> {
  return countRows(
    db,
    `select from pg_stat_activity
      where state like 'idle in transaction%' and datname = current_database()
        and state_change < now() - interval '5 s'`,
  )
}

/** Changes of state of all messages so far. */
export async function countTransitions(db: Queryable): Promise<number> {
  return countRows(db, 'select from posthorn.transition')
}

/** Alerts by their codes. */
export async function selectAlertCodes(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<{ code: string; count: number }>(sql`
    select code, count(*)::int as count from posthorn.alert group by code order by code`)
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]))
}

/** The count that a statement selects. */
export const countOf =
  (db: Queryable) =>
  async (statement: Parameters<Queryable['query']>[0]): Promise<number> => {
    const { rows } = await db.query<{ count: number }>(statement)
    return rows[0]?.count ?? 0
  }

function countRows(db: Queryable, statement: string): Promise<number> {
  const text = `select count(*)::int as count from (${statement}) as counted`
  return countOf(db)({ text, values: [] })
}

function literal(state: string | number): string {
  return typeof state === 'number' ? String(state) : `'${state}'`
}
