import { sql, type Queryable } from '@posthorn/engine'

/** In-flight sagas that one look goes through: those that are stuck are among the oldest. */
const OLDEST = 5_000

/**
 * For how many seconds the oldest saga has been stuck: `failed` waits for an operator, `held` for a
 * process that knows it, `retrying` tries or undoes the same step again and again. 0 where there is none.
 */
export async function oldestStuck(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<Record<string, number>>(sql`
    with going as (
      (select id from sagas.saga where status = 'RUNNING' order by id limit ${OLDEST})
       union all
      (select id from sagas.saga where status = 'COMPENSATING' order by id limit ${OLDEST})
    ), since as (
      select (select min(finished_at) from sagas.saga where status = 'FAILED') as failed,
             (select min(held_at) from sagas.saga where held_code is not null) as held,
             (select min(case t.status when 'RETRYING' then t.started_at else t.undo_started_at end)
                from going
                join sagas.saga_step as t on t.saga_id = going.id
               where t.status = 'RETRYING' or t.status = 'UNDOING' and t.undo_attempts > 0) as retrying
    )
    select coalesce(extract(epoch from now() - failed), 0)::float8 as failed,
           coalesce(extract(epoch from now() - held), 0)::float8 as held,
           coalesce(extract(epoch from now() - retrying), 0)::float8 as retrying
      from since`)
  return rows[0] ?? {}
}
