import { sql, type Queryable, type Transaction, type Statement } from '@posthorn/engine'
import type { SagaError } from '../errors.ts'
import type { Instance } from './instance.ts'
import type { Turn } from '../outbox/turn-outbox.ts'

/**
 * Takes the turns of sagas and reads them whole. A saga that slept is awake from here on: a
 * cancellation or a reply is stored for the orchestrator that runs it. Turns that are over, or
 * that another process ended at the same moment, are not in the result.
 */
export async function takeTurns(
  db: Queryable,
  turns: readonly Turn[],
  naming: Naming,
): Promise<Instance[]> {
  const statement = sql`
    with wanted as (
      select * from unnest(${turns.map(({ sagaId }) => sagaId)}::uuid[], ${turns.map(({ turn }) => turn)}::integer[])
                    as w (id, turn)
    ), woken as (
      update sagas.saga as s
         set asleep = false
        from wanted as w
       where s.id = w.id and s.turn = w.turn and s.asleep
      returning s.id
    )
    select s.id, s.name, s.version, s.step_names, s.forks, s.tenant, s.traceparent, s.status, s.input,
           s.position, s.turn, s.moves, s.replies, s.cancelled_at is not null as cancelled, s.error_code, s.error,
           s.held_code is not null as held,
           round(extract(epoch from s.deadline_at) * 1000)::float8 as deadline_at,
           floor(extract(epoch from posthorn.now()) * 1000)::float8 as now,
           array(select json_build_object('position', t.position, 'status', t.status, 'output', t.output,
                                          'attempts', t.attempts, 'undo_attempts', t.undo_attempts,
                                          'due_at', round(extract(epoch from t.due_at) * 1000),
                                          'timed_out', t.timed_out,
                                          'error_code', t.error_code, 'error', t.error)
                   from sagas.saga_step as t where t.saga_id = s.id) as records,
           array(select json_build_object('id', r.event_id, 'type', r.event_type,
                                          'payload', r.payload, 'headers', r.headers)
                   from sagas.saga_reply as r
                  where s.replies > 0 and r.saga_id = s.id and r.status = 'KEPT'
                  order by r.received_at, r.event_id) as kept
      from wanted as w
      join sagas.saga as s on s.id = w.id and s.turn = w.turn
     where s.status in ('RUNNING', 'COMPENSATING')
       -- The snapshot is older than the lock that "woken" waited for.
       and (not s.asleep or exists (select from woken where woken.id = s.id))`
  const { rows } = await db.query<Instance>(nameStatement('take_turns', statement, naming))
  return rows
}

/**
 * Fences the processes that began these turns before: they may still be alive, and all that they
 * write from here on finds another number of moves. On its own, before the turns are taken: what is
 * read then is what they have left.
 */
export async function fenceTurns(db: Queryable, turns: readonly Turn[]): Promise<void> {
  await db.query(sql`
    update sagas.saga as s
       set moves = s.moves + 1
      from unnest(${turns.map(({ sagaId }) => sagaId)}::uuid[], ${turns.map(({ turn }) => turn)}::integer[])
           as t (id, turn)
     where s.id = t.id and s.turn = t.turn`)
}

/**
 * Notes on sagas that this process cannot run why they wait. True if one of them has waited for
 * another process that long.
 */
export async function holdSagas(
  tx: Transaction,
  ids: readonly string[],
  { error, patienceMs }: { error: SagaError; patienceMs: number },
): Promise<boolean> {
  const { code, message } = error
  const { rows } = await tx.query<{ waited: boolean | null }>(sql`
    with held as (
      update sagas.saga
         set held_code = ${code}, held_error = ${message}, held_at = coalesce(held_at, now())
       where id = any(${ids}::uuid[]) and held_code is distinct from ${code}
    )
    select bool_or(held_at <= now() - ${patienceMs}::float8 * interval '1 ms') as waited
      from sagas.saga where id = any(${ids}::uuid[])`)
  return rows[0]?.waited ?? false
}

/** Takes sagas up again that waited for a process that knows them. */
export async function takeUpSagas(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    update sagas.saga set held_code = null, held_error = null, held_at = null
     where id = any(${ids}::uuid[]) and held_code is not null`)
}

/** Whether statements that run all the time are prepared; a pooler in transaction mode cannot keep them. */
export type Naming = 'prepared' | 'unprepared'

export function nameStatement(
  name: string,
  { text, values }: Statement,
  naming: Naming,
): Statement {
  return naming === 'prepared' ? { name: `posthorn_saga_${name}`, text, values } : { text, values }
}
