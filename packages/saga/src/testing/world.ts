import { sql } from '@posthorn/engine'
import type { Pool } from 'pg'

/**
 * Another system that honours idempotency keys. It is written past the saga's transaction: what
 * happened there stays, even if the step is rolled back.
 */
export const WORLD = `
create table world (
  saga_id uuid not null,
  step text not null,
  undone boolean not null,
  primary key (saga_id, step)
)`

export async function callWorld(pool: Pool, sagaId: string, step: string): Promise<void> {
  await pool.query(sql`
    insert into world values (${sagaId}, ${step}, false) on conflict do nothing`)
}

/** Also when nothing was done: a call that comes later than its undoing must find it. */
export async function undoInWorld(pool: Pool, sagaId: string, step: string): Promise<void> {
  await pool.query(sql`
    insert into world values (${sagaId}, ${step}, true)
    on conflict (saga_id, step) do update set undone = true`)
}

/** The steps whose effect still stands. */
export async function listStanding(pool: Pool, sagaId: string): Promise<string[]> {
  const { rows } = await pool.query<{ step: string }>(
    'select step from world where saga_id = $1 and not undone order by step',
    [sagaId],
  )
  return rows.map(({ step }) => step)
}
