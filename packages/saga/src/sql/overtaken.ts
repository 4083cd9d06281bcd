import { sql, type Statement } from '@posthorn/engine'

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
