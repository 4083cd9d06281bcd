import { sql, type Queryable } from '@posthorn/engine'
import type { Move } from './instance.ts'
import { nameStatement, type Naming } from './turns.sql.ts'

/**
 * Writes moves, each only if its saga still is where the move began; returns the ids of those that
 * were, with the business clock. One statement for any number: the records of steps, the end of a
 * reply and the next turn with it.
 */
export async function writeMoves(
  db: Queryable,
  moves: readonly Move[],
  naming: Naming,
): Promise<Map<string, number>> {
  const statement = sql`
    with move as (
      select *
        from json_to_recordset(${JSON.stringify(moves.map(moveRow))}::json) as m
             (id uuid, turn integer, moves integer, position integer, status text, cancelled boolean,
              replies integer, to_turn integer, to_position integer, to_status text, asleep boolean, waits_for text[],
              delay_ms float8, wake_at float8, code text, error text, used text)
    ), record as (
      select *
        from json_to_recordset(${JSON.stringify(moves.flatMap(recordRows))}::json) as r
             (id uuid, position integer, name text, status text, output text, attempts integer,
              undo_attempts integer, "delayMs" float8, due_at float8, timed_out boolean,
              "startedAt" float8, "endedAt" float8, "undoStartedAt" float8, "undoneAt" float8,
              error_code text, error text)
    ), moved as (
      update sagas.saga as s
         set turn = m.to_turn,
             moves = m.moves + 1,
             position = m.to_position,
             status = m.to_status,
             asleep = m.asleep,
             waits_for = m.waits_for,
             -- Whole milliseconds: what a process reads is what is compared here.
             due_at = least(date_trunc('milliseconds', posthorn.now()) + m.delay_ms * interval '1 ms',
                            to_timestamp(m.wake_at / 1000)),
             resumes_as = case when m.to_status = 'FAILED' then m.status end,
             error_code = m.code,
             error = m.error,
             cause_code = case when m.to_status = 'COMPENSATING' then m.code else s.cause_code end,
             cause = case when m.to_status = 'COMPENSATING' then m.error else s.cause end,
             updated_at = now(),
             finished_at = case when m.to_status in ('COMPLETED', 'COMPENSATED', 'FAILED') then now() end
        from move as m
       where s.id = m.id
         -- Says how many rows there are: the planner guesses a hundred, and reads the whole table.
         and s.id = any(${moves.map(({ from }) => from.id)}::uuid[])
         and s.turn = m.turn
         and s.moves = m.moves
         and s.position = m.position
         and s.status = m.status
         -- Of a cancelled saga only what was decided with that in view.
         and (s.cancelled_at is null or m.cancelled)
         and (m.replies is null or s.replies = m.replies)
      returning m.id, m.to_turn, m.used, s.asleep, s.due_at
    ), recorded as (
      insert into sagas.saga_step
             (saga_id, position, name, status, output, attempts, undo_attempts, error_code, error, undone_at,
              due_at, timed_out, started_at, ended_at, undo_started_at)
      select moved.id, r.position, r.name, r.status, r.output::jsonb, r.attempts, r.undo_attempts,
             r.error_code, r.error, to_timestamp(r."undoneAt" / 1000),
             coalesce(date_trunc('milliseconds', posthorn.now()) + r."delayMs" * interval '1 ms',
                      to_timestamp(r.due_at / 1000)),
             r.timed_out,
             to_timestamp(r."startedAt" / 1000),
             to_timestamp(r."endedAt" / 1000),
             to_timestamp(r."undoStartedAt" / 1000)
        from moved
        join record as r on r.id = moved.id
      on conflict (saga_id, position) do update
         set status = excluded.status, output = excluded.output, attempts = excluded.attempts,
             undo_attempts = excluded.undo_attempts, undone_at = excluded.undone_at, updated_at = now(),
             error_code = excluded.error_code, error = excluded.error,
             due_at = excluded.due_at, timed_out = excluded.timed_out,
             started_at = coalesce(saga_step.started_at, excluded.started_at),
             ended_at = coalesce(excluded.ended_at, saga_step.ended_at),
             undo_started_at = coalesce(saga_step.undo_started_at, excluded.undo_started_at)
    ), used as (
      update sagas.saga_reply as r
         set status = 'USED'
        from moved
       where r.saga_id = moved.id and r.event_id = moved.used
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn, due_at)
      select id || '/' || to_turn, id, to_turn, due_at
        from moved
       where asleep and due_at is not null
    )
    select id, extract(epoch from date_trunc('milliseconds', posthorn.now()))::float8 * 1000 as now from moved`
  const { rows } = await db.query<{ id: string; now: number }>(
    nameStatement('write_moves', statement, naming),
  )
  return new Map(rows.map(({ id, now }) => [id, Math.round(now)]))
}

function moveRow(move: Move) {
  const { from, next } = move
  return {
    id: from.id,
    turn: from.turn,
    moves: from.moves,
    position: from.position,
    status: from.status,
    cancelled: from.cancelled,
    replies: move.unlessReplied ? from.replies : undefined,
    to_turn: from.turn + (next ? 1 : 0),
    to_position: move.position,
    to_status: move.status,
    asleep: next !== undefined,
    waits_for: next && next.waitsFor.length > 0 ? next.waitsFor : undefined,
    delay_ms: next?.delayMs,
    wake_at: next?.wakeAt,
    // Why it compensates stays.
    code: move.failure?.code ?? (from.status === 'COMPENSATING' ? from.error_code : undefined),
    error: move.failure?.message ?? (from.status === 'COMPENSATING' ? from.error : undefined),
    used: move.used,
  }
}

function recordRows({ from, records }: Move) {
  return records.map((record) => ({
    ...record,
    id: from.id,
    output: record.output ? JSON.stringify(record.output) : undefined,
  }))
}
