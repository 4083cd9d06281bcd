import { sql, type Queryable } from '@posthorn/engine'
import type { Move } from '../instance.ts'
import { nameStatement, type Naming } from './statement-name.ts'

/**
 * Writes moves, each only if its saga still is where the move began; returns the ids of those that
 * were. One statement for any number: the step's record, its reply's end and the next turn with it.
 */
export async function writeMoves(
  db: Queryable,
  moves: readonly Move[],
  naming: Naming,
): Promise<Set<string>> {
  const statement = sql`
    with move as (
      select *
        from json_to_recordset(${JSON.stringify(moves.map(moveRow))}::json) as m
             (id uuid, turn integer, position integer, status text, replies integer,
              to_turn integer, to_position integer, to_status text, asleep boolean, waits_for text[],
              delay_ms float8, code text, error text, used uuid,
              step integer, step_name text, step_status text, output text, attempts integer,
              undo_attempts integer, step_code text, step_error text)
    ), moved as (
      update sagas.saga as s
         set turn = m.to_turn,
             position = m.to_position,
             status = m.to_status,
             asleep = m.asleep,
             waits_for = m.waits_for,
             due_at = posthorn.now() + m.delay_ms * interval '1 ms',
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
         and s.position = m.position
         and s.status = m.status
         -- A cancelled saga goes no further, but back.
         and (s.cancelled_at is null or m.status = 'COMPENSATING' or m.to_status = 'COMPENSATING')
         and (m.replies is null or s.replies = m.replies)
      returning m.*
    ), recorded as (
      insert into sagas.saga_step
             (saga_id, position, name, status, output, attempts, undo_attempts, error_code, error, undone_at)
      select id, step, step_name, step_status, output::jsonb, attempts, undo_attempts, step_code, step_error,
             case when step_status = 'COMPENSATED' then now() end
        from moved
       where step is not null
      on conflict (saga_id, position) do update
         set status = excluded.status, output = excluded.output, attempts = excluded.attempts,
             undo_attempts = excluded.undo_attempts, undone_at = excluded.undone_at, updated_at = now(),
             error_code = coalesce(excluded.error_code, saga_step.error_code),
             error = coalesce(excluded.error, saga_step.error)
    ), used as (
      update sagas.saga_reply as r
         set status = 'USED', step = moved.step
        from moved
       where r.saga_id = moved.id and r.event_id = moved.used
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn, due_at)
      select id || '/' || to_turn, id, to_turn, posthorn.now() + delay_ms * interval '1 ms'
        from moved
       where delay_ms is not null
    )
    select id from moved`
  const { rows } = await db.query<{ id: string }>(nameStatement('write_moves', statement, naming))
  return new Set(rows.map(({ id }) => id))
}

function moveRow(move: Move) {
  const { from, next, record } = move
  return {
    id: from.id,
    turn: from.turn,
    position: from.position,
    status: from.status,
    replies: move.unlessReplied ? from.replies : null,
    to_turn: from.turn + (next ? 1 : 0),
    to_position: move.position,
    to_status: move.status,
    asleep: next !== undefined,
    waits_for: next && next.waitsFor.length > 0 ? next.waitsFor : null,
    delay_ms: next?.delayMs ?? null,
    // Why it compensates stays.
    code: move.failure?.code ?? (from.status === 'COMPENSATING' ? from.error_code : null),
    error: move.failure?.message ?? (from.status === 'COMPENSATING' ? from.error : null),
    used: move.used ?? null,
    step: record?.position ?? null,
    step_name: record?.name,
    step_status: record?.status,
    output: record?.output ? JSON.stringify(record.output) : null,
    attempts: record?.attempts,
    undo_attempts: record?.undo_attempts,
    step_code: record?.failure?.code,
    step_error: record?.failure?.message,
  }
}
