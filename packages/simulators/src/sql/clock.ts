import { sql, type Statement } from '@posthorn/engine'

/** The business clock's time, and how far it is ahead of the real one. */
export const selectClock: Statement = sql`
  select posthorn.now() as now,
         extract(epoch from ahead)::float8 * 1000 as ahead_ms
    from posthorn.clock`
