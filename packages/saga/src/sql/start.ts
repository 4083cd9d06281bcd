import { sql, type Queryable, type Transaction } from '@posthorn/engine'

export interface NewSaga {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly step_names: readonly string[]
  readonly tenant: string | undefined
  readonly traceparent: string | undefined
  readonly input: string
}

/** Begins sagas, each with its first turn; returns the ids that were not there before. */
export async function insertSagas(tx: Transaction, sagas: readonly NewSaga[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    with begun as (
      insert into sagas.saga (id, name, version, step_names, tenant, traceparent, input)
      select id, name, version, step_names, tenant, traceparent, input::jsonb
        from json_to_recordset(${JSON.stringify(sagas)}::json) as s
             (id uuid, name text, version integer, step_names text[], tenant text, traceparent text, input text)
      on conflict (id) do nothing
      returning id, turn
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn)
      select id || '/' || turn, id, turn from begun
    )
    select id from begun`)
  return rows.map(({ id }) => id)
}

/** Writes a saga that has run to its end in this very transaction. */
export async function insertCompleted(
  tx: Transaction,
  saga: NewSaga,
  outputs: readonly (object | null)[],
): Promise<boolean> {
  const { rows } = await tx.query(sql`
    with ran as (
      insert into sagas.saga (id, name, version, step_names, tenant, traceparent, input, status, position, finished_at)
      values (${saga.id}, ${saga.name}, ${saga.version}, ${saga.step_names}, ${saga.tenant ?? null},
              ${saga.traceparent ?? null}, ${saga.input}, 'COMPLETED', ${outputs.length}, now())
      on conflict (id) do nothing
      returning id, step_names
    ), stepped as (
      insert into sagas.saga_step (saga_id, position, name, status, output, attempts)
      select ran.id, step.n - 1, step.name, 'COMPLETED', step.output::jsonb, 1
        from ran, unnest(ran.step_names, ${outputs.map((output) => output && JSON.stringify(output))}::text[])
                  with ordinality as step (name, output, n)
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
