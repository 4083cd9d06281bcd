import { sql, type Queryable, type Statement } from '@posthorn/engine'

/** Of Posthorn: messages that a relay has under way, and those that have not ended. */
export const posthornLeft = sql`
  select (select coalesce(sum(run_size), 0)::int from posthorn.bucket) as locked,
         (select count(*)::int from crash.posthorn_event where status <> 'sent') as waiting`

/** Of pg-boss: jobs that a worker has taken, and those that have not ended. */
export function pgBossLeft(queue: string): Statement {
  return sql`
  select count(*) filter (where state = 'active')::int as locked,
         count(*) filter (where state <> 'completed')::int as waiting
    from pgboss.job where name = ${queue}`
}

export const graphileLeft = sql`
  select count(*) filter (where locked_at is not null)::int as locked, count(*)::int as waiting
    from graphile_worker._private_jobs`

export interface Left {
  readonly locked: number
  readonly waiting: number
}

export async function selectLeft(db: Queryable, statement: Statement): Promise<Left> {
  const { rows } = await db.query<Left>(statement)
  return rows[0] ?? { locked: 0, waiting: 0 }
}

/** As its documentation has it: in the transaction of the caller, one queue for each key. */
export function addGraphileJob(payload: object, key: string): Statement {
  return sql`
    select graphile_worker.add_job('peers', ${JSON.stringify(payload)}::json, queue_name := ${key})`
}

/** Workers of graphile-worker that have held a job or a queue for so long that they must be gone. */
export async function selectGoneWorkers(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select locked_by as id from graphile_worker._private_jobs
     where locked_at < now() - interval '10 s'
    union
    select locked_by from graphile_worker._private_job_queues
     where locked_at < now() - interval '10 s'`)
  return rows.map(({ id }) => id)
}
