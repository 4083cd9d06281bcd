import { sql, type Relay, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'

/** A table that steps write to through their transaction: what it holds has committed. */
export const LEDGER = `
create table ledger (
  id bigint generated always as identity,
  saga_id uuid not null,
  entry text not null
)`

export async function enter(tx: Transaction, sagaId: string, entry: string): Promise<void> {
  await tx.query(sql`insert into ledger (saga_id, entry) values (${sagaId}, ${entry})`)
}

export async function entries(pool: Pool, sagaId: string): Promise<string[]> {
  const { rows } = await pool.query<{ entry: string }>(
    'select entry from ledger where saga_id = $1 order by id',
    [sagaId],
  )
  return rows.map(({ entry }) => entry)
}

/** Looks until there is nothing more to do now. */
export async function drain(orchestrator: Relay): Promise<void> {
  for (let look = 0; look < 100; look += 1) if ((await orchestrator.runOnce()) === 0) return
  throw new Error('the orchestrator does not come to rest')
}

/** As if the orchestrator that holds the turns had been gone for long. */
export async function expireTurns(pool: Pool): Promise<void> {
  await pool.query(
    `update sagas.saga_turn set claimed_until = now() - interval '1 s' where claimed_until is not null`,
  )
}

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
