import { sql, type Statement, type Transaction } from '@posthorn/engine'
import { SAGA_CODES } from '../errors.ts'

/**
 * The end of a timer that a saga no longer waits for, as part of a statement with `changed (id, turn)`
 * in it, the turn being the new one. One that is being delivered ends by itself: it is not waited for.
 */
export const endOvertaken: Statement = sql`
      delete from sagas.saga_turn
       where id in (select t.id
                      from changed
                      join sagas.saga_turn as t on t.id = changed.id || '/' || (changed.turn - 1)
                     where t.status = 'READY' and t.claimed_until is null
                       for update of t skip locked)`

/** Ends the sagas whose turns are dead, unless they have moved on. */
export async function failTurns(
  tx: Transaction,
  turns: readonly { readonly saga_id: string; readonly turn: number }[],
): Promise<{ id: string; tenant: string | null }[]> {
  const { rows } = await tx.query<{ id: string; tenant: string | null }>(sql`
    update sagas.saga as s
       set status = 'FAILED', resumes_as = s.status, error_code = 'SAGA_FATAL',
           error = ${SAGA_CODES.SAGA_FATAL}, updated_at = now(), finished_at = now()
      from unnest(${turns.map((turn) => turn.saga_id)}::uuid[], ${turns.map(({ turn }) => turn)}::integer[])
           as t (id, turn)
     where s.id = t.id and s.turn = t.turn and s.status in ('RUNNING', 'COMPENSATING')
    returning s.id, s.tenant`)
  return rows
}
