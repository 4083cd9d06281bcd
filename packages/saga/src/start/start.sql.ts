import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Fork } from '../define/step.ts'

export interface NewSaga {
  readonly id: string
  readonly key: string | undefined
  readonly name: string
  readonly version: number
  readonly step_names: readonly string[]
  /** Undefined for a straight saga. */
  readonly forks: readonly Fork[] | undefined
  readonly deadline_ms: number | undefined
  readonly tenant: string | undefined
  readonly traceparent: string | undefined
  readonly input: string
}

/** Begins sagas, each with its first turn; returns the ids that were not there before. */
export async function insertSagas(tx: Transaction, sagas: readonly NewSaga[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    with begun as (
      insert into sagas.saga (id, name, version, step_names, forks, tenant, traceparent, input, deadline_at)
      select id, name, version, step_names, forks, tenant, traceparent, input::jsonb,
             date_trunc('milliseconds', posthorn.now()) + deadline_ms * interval '1 ms'
        from json_to_recordset(${JSON.stringify(sagas)}::json) as s
             (id uuid, name text, version integer, step_names text[], forks jsonb, tenant text,
              traceparent text, input text, deadline_ms float8)
      on conflict (id) do nothing
      returning id, turn
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn)
      select id || '/' || turn, id, turn from begun
    )
    select id from begun`)
  return rows.map(({ id }) => id)
}

/** A step that has run in the transaction of its saga, or was left out. */
export interface RanStep {
  readonly status: 'COMPLETED' | 'SKIPPED'
  readonly output: object | null
  /** Both in milliseconds of real time. */
  readonly startedAt: number | undefined
  readonly endedAt: number
}

/** Writes a saga that has run to its end in this very transaction. */
export async function insertCompleted(
  tx: Transaction,
  saga: NewSaga,
  ran: readonly RanStep[],
): Promise<boolean> {
  const steps = ran.map(({ output, ...step }) => ({
    ...step,
    output: output ? JSON.stringify(output) : undefined,
  }))
  const { rows } = await tx.query(sql`
    with ran as (
      insert into sagas.saga (id, name, version, step_names, forks, tenant, traceparent, input, status, position, finished_at)
      values (${saga.id}, ${saga.name}, ${saga.version}, ${saga.step_names},
              ${saga.forks ? JSON.stringify(saga.forks) : null}::jsonb, ${saga.tenant ?? null},
              ${saga.traceparent ?? null}, ${saga.input}, 'COMPLETED', ${ran.length}, now())
      on conflict (id) do nothing
      returning id, step_names
    ), stepped as (
      insert into sagas.saga_step (saga_id, position, name, status, output, attempts, started_at, ended_at)
      select ran.id, step.n - 1, ran.step_names[step.n::integer], step.status, step.output::jsonb,
             case when step.status = 'SKIPPED' then 0 else 1 end,
             to_timestamp(step."startedAt" / 1000), to_timestamp(step."endedAt" / 1000)
        from ran, rows from (json_to_recordset(${JSON.stringify(steps)}::json)
                             as (status text, output text, "startedAt" float8, "endedAt" float8))
                  with ordinality as step (status, output, "startedAt", "endedAt", n)
    )
    select from ran`)
  return rows.length > 0
}

/** Succeeds in any transaction but one that a failed statement has ended. */
export async function probe(tx: Transaction): Promise<void> {
  await tx.query(sql`select`)
}

/** Whether a saga has come to an end; undefined if there is none. */
export async function selectEnded(db: Queryable, id: string): Promise<boolean | undefined> {
  const { rows } = await db.query<{ ended: boolean }>(sql`
    select finished_at is not null as ended from sagas.saga where id = ${id}`)
  return rows[0]?.ended
}
