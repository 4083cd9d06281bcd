import { sql, type Statement } from '@posthorn/engine'

const COLUMNS = sql`id, outbox, filter, per_second, matched::float8, wanted::float8,
           replayed::float8, died_again::float8, state, actor as by, reason, started_at, ended_at`

export function insertReplay(replay: {
  id: string
  outbox: string
  filter: string
  perSecond: number | undefined
  matched: number
  wanted: number
  by: string
  reason: string | undefined
}): Statement {
  return sql`
    insert into posthorn.replay (id, outbox, filter, per_second, matched, wanted, actor, reason,
                                 state, ended_at)
    values (${replay.id}, ${replay.outbox}, ${replay.filter}::jsonb, ${replay.perSecond ?? null},
            ${replay.matched}, ${replay.wanted}, ${replay.by}, ${replay.reason ?? null},
            ${replay.wanted > 0 ? 'running' : 'done'}, ${replay.wanted > 0 ? null : new Date()})
    returning ${COLUMNS}`
}

export function selectReplay(outbox: string, id: string): Statement {
  return sql`select ${COLUMNS} from posthorn.replay where outbox = ${outbox} and id = ${id}::uuid`
}

export function selectReplays(outbox: string, tenant: string | null, limit: number): Statement {
  return sql`
    select ${COLUMNS}
      from posthorn.replay
     where outbox = ${outbox} and (${tenant}::text is null or filter->>'tenant' = ${tenant})
     order by started_at desc, id desc
     limit ${limit}`
}

/**
 * Takes a running replay whose next batch is due; its row stays locked until the batch is in. Null as
 * an id means any.
 */
export function lockDueReplay(outboxes: readonly string[], id: string | null): Statement {
  return sql`
    select ${COLUMNS}
      from posthorn.replay
     where state = 'running' and next_batch_at <= posthorn.now()
       and outbox = any(${outboxes}) and (${id}::uuid is null or id = ${id}::uuid)
     order by next_batch_at
     limit 1
       for update skip locked`
}

/** Keeps what a batch took; returns how many of it this replay had not taken before. */
export function insertReplayed(id: string, messageIds: readonly string[]): Statement {
  return sql`
    with noted as (
      insert into posthorn.replayed_message (replay_id, message_id)
      select ${id}::uuid, unnest(${messageIds}::text[])
      on conflict do nothing
      returning 1
    )
    select count(*)::int as count from noted`
}

/** Counts a batch, and ends the replay where that was its last one. */
export function updateReplay(
  id: string,
  batch: { first: number; again: number; isLast: boolean; spacingMs: number },
): Statement {
  const { first, again, isLast, spacingMs } = batch
  return sql`
    update posthorn.replay
       set replayed = replayed + ${first},
           died_again = died_again + ${again},
           next_batch_at = posthorn.now() + ${spacingMs}::float8 * interval '1 ms',
           state = case when ${isLast} then 'done' else state end,
           ended_at = case when ${isLast} then now() end
     where id = ${id}::uuid
    returning ${COLUMNS}`
}

/** Makes a replay wait whose batch failed: the next one that is due comes first. */
export function postponeReplay(id: string, ms: number): Statement {
  return sql`
    update posthorn.replay
       set next_batch_at = posthorn.now() + ${ms}::float8 * interval '1 ms'
     where id = ${id}::uuid`
}

/** Ends a replay before its end; its trace in the audit is left by whom it stopped. */
export function stopRunning(stop: {
  outbox: string
  id: string
  by: string
  reason: string | undefined
}): Statement {
  return sql`
    with stopped as (
      update posthorn.replay
         set state = 'stopped', ended_at = now()
       where outbox = ${stop.outbox} and id = ${stop.id}::uuid and state = 'running'
      returning *
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
      select 'stop-replay', outbox, id::text, filter->>'tenant', ${stop.by}, ${stop.reason ?? null} from stopped
    )
    select ${COLUMNS} from stopped`
}

export function deleteReplayed(id: string): Statement {
  return sql`delete from posthorn.replayed_message where replay_id = ${id}::uuid`
}
