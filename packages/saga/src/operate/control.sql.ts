import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { SagaActionName, SagaStanding } from './actions.ts'
import { SAGA_CODES } from '../errors.ts'
import type { SagaStatus } from '../run/instance.ts'
import { endOvertaken } from '../outbox/turns.sql.ts'

/** Where an operator found the saga, and whether that allowed what was asked. */
export interface Steered {
  readonly was: SagaStatus
  readonly done: boolean
}

/**
 * Asks a saga to turn back: the orchestrator does, which knows its steps. One that sleeps is woken;
 * one that runs finds the word at the end of its step. The steps at hand of a failed saga may have
 * taken effect: its turn counts as begun before, so that they are undone too.
 */
export async function requestCancel(tx: Transaction, id: string): Promise<Steered | undefined> {
  const { rows } = await tx.query<Steered>(sql`
    with found as (
      select id, status, cancelled_at, status = 'FAILED' or asleep as wakes
        from sagas.saga where id = ${id} for update
    ), changed as (
      update sagas.saga as s
         set cancelled_at = now(),
             status = 'RUNNING',
             resumes_as = null,
             finished_at = null,
             error_code = 'SAGA_CANCELLED',
             error = ${SAGA_CODES.SAGA_CANCELLED},
             cause_code = 'SAGA_CANCELLED',
             cause = ${SAGA_CODES.SAGA_CANCELLED},
             updated_at = now(),
             turn = s.turn + found.wakes::integer,
             asleep = false
        from found
       where s.id = found.id
         and (found.status = 'RUNNING' and found.cancelled_at is null
              or found.status = 'FAILED' and s.resumes_as = 'RUNNING')
      returning s.id, s.turn, found.wakes, (found.status = 'FAILED')::integer as attempts
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn, attempts)
      select id || '/' || turn, id, turn, attempts from changed where wakes
    ), overtaken as (${endOvertaken})
    select found.status as was, exists (select from changed) as done from found`)
  return rows[0]
}

/** Lets a failed saga go on in the direction it had, with its attempts back at zero. */
export async function resumeFailed(tx: Transaction, id: string): Promise<Steered | undefined> {
  const { rows } = await tx.query<Steered>(sql`
    with found as (
      select id, status from sagas.saga where id = ${id} for update
    ), changed as (
      update sagas.saga as s
         set status = s.resumes_as, resumes_as = null, finished_at = null, asleep = false,
             -- Why it compensates stands again; a saga that runs has no error.
             error_code = case when s.resumes_as = 'COMPENSATING' then coalesce(s.cause_code, s.error_code) end,
             error = case when s.resumes_as = 'COMPENSATING'
                          then case when s.cause_code is null then s.error else s.cause end end,
             turn = s.turn + 1, updated_at = now()
        from found
       where s.id = found.id and found.status = 'FAILED'
      returning s.id, s.turn, s.position
    ), fresh as (
      update sagas.saga_step as t set undo_attempts = 0
        from changed where t.saga_id = changed.id and t.position = changed.position
    ), turned as (
      -- Counted as begun before: the step at hand may have taken effect.
      insert into sagas.saga_turn (id, saga_id, turn, attempts)
      select id || '/' || turn, id, turn, 1 from changed
    )
    select found.status as was, exists (select from changed) as done from found`)
  return rows[0]
}

export interface StandingRow extends SagaStanding {
  readonly name: string
  readonly version: number
  readonly tenant: string | null
}

/** From here on no step can be stored, until this transaction ends. */
export async function lockSaga(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`select from sagas.saga where id = ${id} for update`)
}

/** Where a saga is. After the lock, in a statement of its own: it sees what the lock waited for. */
export async function selectStanding(db: Queryable, id: string): Promise<StandingRow | undefined> {
  const { rows } = await db.query<StandingRow>(sql`
    select name, version, tenant, status, resumes_as, cancelled_at is not null as cancelled,
           position, step_names, forks,
           array(select json_build_object('position', t.position, 'status', t.status)
                   from sagas.saga_step as t where t.saga_id = s.id) as records
      from sagas.saga as s where s.id = ${id}`)
  return rows[0]
}

/** A step that an operator passes over. */
export interface Skipped {
  readonly position: number
  readonly name: string
  readonly data: object | undefined
}

/** Counts a step as done, with what it would have returned. */
export async function skipAction(
  tx: Transaction,
  id: string,
  { position, name, data }: Skipped,
): Promise<void> {
  await tx.query(sql`
    insert into sagas.saga_step (saga_id, position, name, status, output, skipped, ended_at)
    values (${id}, ${position}, ${name}, 'COMPLETED', ${data ? JSON.stringify(data) : null}::jsonb, 'action', now())
    on conflict (saga_id, position) do update
       set status = excluded.status, output = excluded.output, skipped = excluded.skipped,
           ended_at = excluded.ended_at, updated_at = now()`)
}

/** Counts a step as undone. */
export async function skipCompensation(
  tx: Transaction,
  id: string,
  { position, name }: Skipped,
): Promise<void> {
  await tx.query(sql`
    insert into sagas.saga_step (saga_id, position, name, status, skipped)
    values (${id}, ${position}, ${name}, 'COMPENSATED', 'compensation')
    on conflict (saga_id, position) do update
       set status = excluded.status, skipped = excluded.skipped, updated_at = now()`)
}

/**
 * Lets a saga go on past a skipped step, by a turn that no process has. Its position stays: the
 * orchestrator knows which steps run in parallel with the skipped one, and what is undone next.
 */
export async function goOnAfterSkip(
  tx: Transaction,
  id: string,
  status: 'RUNNING' | 'COMPENSATING',
): Promise<void> {
  await tx.query(sql`
    with changed as (
      update sagas.saga
         set status = ${status}, turn = turn + 1,
             asleep = false, waits_for = null, due_at = null, resumes_as = null, finished_at = null,
             -- A saga whose time was over would turn back at once.
             deadline_at = case when ${status} = 'COMPENSATING' or deadline_at > posthorn.now()
                                then deadline_at end,
             cancelled_at = case when ${status} = 'COMPENSATING' then cancelled_at end,
             error_code = case when ${status} = 'COMPENSATING' then coalesce(cause_code, error_code) end,
             error = case when ${status} = 'COMPENSATING'
                          then case when cause_code is null then error else cause end end,
             updated_at = now()
       where id = ${id}
      returning id, turn
    ), overtaken as (${endOvertaken})
    -- Counted as begun before: the step at hand may have taken effect.
    insert into sagas.saga_turn (id, saga_id, turn, attempts)
    select id || '/' || turn, id, turn, 1 from changed`)
}

/**
 * Ends a saga where it is, by a turn that no process has. True if it was the last one that waited for a process
 * that knows its definition.
 */
export async function terminate(tx: Transaction, id: string): Promise<boolean> {
  const { rows } = await tx.query<{ freed: boolean }>(sql`
    with changed as (
      update sagas.saga
         set status = 'TERMINATED', turn = turn + 1, asleep = false, waits_for = null, due_at = null,
             resumes_as = null, finished_at = now(), updated_at = now(),
             held_code = null, held_error = null, held_at = null,
             error_code = 'SAGA_TERMINATED', error = ${SAGA_CODES.SAGA_TERMINATED}
       where id = ${id}
      returning id, turn, name, version
    ), overtaken as (${endOvertaken})
    select not exists (select from sagas.saga as s
                        where s.name = changed.name and s.version = changed.version
                          and s.held_code is not null and s.id <> changed.id) as freed
      from changed`)
  return rows[0]?.freed ?? false
}

export interface RecordedAction {
  readonly action: SagaActionName
  readonly step: string | undefined
  readonly was: SagaStatus
  readonly tenant: string | null
  readonly by: string
  readonly reason: string | undefined
}

/** Writes down what an operator did: with the saga, and in the audit. */
export async function recordAction(
  tx: Transaction,
  id: string,
  { action, step, was, tenant, by, reason }: RecordedAction,
): Promise<void> {
  await tx.query(sql`
    with kept as (
      insert into sagas.saga_action (saga_id, action, step, was, actor, reason)
      values (${id}, ${action}, ${step ?? null}, ${was}, ${by}, ${reason ?? null})
    )
    insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
    values (${`saga.${action}`}, 'sagas', ${step === undefined ? id : `${id}/${step}`}, ${tenant}, ${by},
            ${reason ?? null})`)
}
