import { sql, type Transaction } from '@posthorn/engine'
import type { SagaStatus } from '../instance.ts'

/** Where an operator found the saga, and what it is now. */
export interface Steered {
  readonly was: SagaStatus
  readonly cancelled: boolean
}

/**
 * Asks a saga to turn back. Who sleeps is woken; who runs finds the word at the end of its step.
 * The step at hand of a failed saga may have taken effect, so it is undone too.
 */
export async function requestCancel(tx: Transaction, id: string): Promise<Steered | undefined> {
  const { rows } = await tx.query<Steered>(sql`
    with found as (
      select id, status, cancelled_at, status = 'FAILED' or asleep as wakes
        from sagas.saga where id = ${id} for update
    ), changed as (
      update sagas.saga as s
         set cancelled_at = now(),
             status = case when s.status = 'FAILED' then 'COMPENSATING' else s.status end,
             resumes_as = null,
             finished_at = null,
             error_code = 'SAGA_CANCELLED',
             updated_at = now(),
             turn = s.turn + found.wakes::integer,
             asleep = false
        from found
       where s.id = found.id
         and (found.status = 'RUNNING' and found.cancelled_at is null
              or found.status = 'FAILED' and s.resumes_as = 'RUNNING')
      returning s.id, s.turn, found.wakes
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn)
      select id || '/' || turn, id, turn from changed where wakes
    )
    select found.status as was, exists (select from changed) as cancelled from found`)
  return rows[0]
}

/** Lets a failed saga go on in the direction it had, with its attempts back at zero. */
export async function resumeFailed(
  tx: Transaction,
  id: string,
): Promise<{ was: SagaStatus; resumed: boolean } | undefined> {
  const { rows } = await tx.query<{ was: SagaStatus; resumed: boolean }>(sql`
    with found as (
      select id, status from sagas.saga where id = ${id} for update
    ), changed as (
      update sagas.saga as s
         set status = s.resumes_as, resumes_as = null, finished_at = null, asleep = false,
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
    select found.status as was, exists (select from changed) as resumed from found`)
  return rows[0]
}
