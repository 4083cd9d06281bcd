import type { Pool } from 'pg'
import { sleep } from '../sleep.ts'

/** Lets the next statement see what those of this pool's one connection have counted. */
export async function flushStatistics(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ can: boolean }>(
    `select to_regprocedure('pg_stat_force_next_flush()') is not null as can`,
  )
  if (rows[0]?.can) {
    await pool.query('select pg_stat_force_next_flush()')
    return
  }
  // PostgreSQL 14 hands in counts with a statement, twice a second at the most, and keeps an answer as long.
  await sleep(600)
  await pool.query('select 1')
  await sleep(900)
}
