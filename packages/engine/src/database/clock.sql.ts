import { sql, type Statement } from './sql-tag.ts'

export const makeMovable: Statement = sql`
  update posthorn.clock set movable = true;
  create or replace function posthorn.now() returns timestamptz
    language sql stable parallel safe
    return statement_timestamp() + (select ahead from posthorn.clock)`

/** Answers the time that the next statement will see; nothing while the clock is the real one. */
export function advance(move: { ms: number; by: string; actor: string | undefined }): Statement {
  return sql`
    with moved as (
      update posthorn.clock set ahead = ahead + ${move.ms} * interval '1 ms'
       where exists (select from posthorn.clock where movable)
      returning statement_timestamp() + ahead as now
    ),
    noted as (
      insert into posthorn.operation (operation, subject, actor)
      select 'advance-clock', ${move.by}::text, coalesce(${move.actor ?? null}::text, current_user)
        from moved
    )
    select now from moved`
}

export const selectClock: Statement = sql`
  select posthorn.now() as now, extract(epoch from ahead)::float8 as ahead, movable
    from posthorn.clock`
