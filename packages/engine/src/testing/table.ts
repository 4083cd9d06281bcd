import type { Pool } from 'pg'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import type { State } from '../outbox/definition.ts'

/** Looks into an outbox's table past the engine, and does to it what only a crash or a clock could. */
export interface TableView {
  /** State of every message, by id. */
  states(): Promise<Map<string, State>>
  rows(): Promise<OutboxRow[]>
  /** `from>to` of a message's transitions, in order. */
  transitions(id: string): Promise<string[]>
  alerts(): Promise<{ subject: string; code: string }[]>
  /** Lets every lease run out, as if its relay had been gone for long. */
  expireLeases(): Promise<void>
  empty(): Promise<void>
}

export function viewTable(pool: Pool, outbox: Outbox): TableView {
  const { table, columns, name, order, confirmWithinMs } = outbox
  return {
    async states() {
      const { rows } = await pool.query<{ id: string; state: State }>(
        `select ${columns.id}::text as id, ${columns.status} as state from ${table}`,
      )
      return new Map(rows.map(({ id, state }) => [id, state]))
    },
    async rows() {
      const { rows } = await pool.query<OutboxRow>(`select * from ${table} order by ${columns.id}`)
      return rows
    },
    async transitions(id) {
      const { rows } = await pool.query<{ step: string }>(
        `select from_state || '>' || to_state as step
           from posthorn.transition where outbox = $1 and message_id = $2 order by id`,
        [name, id],
      )
      return rows.map(({ step }) => step)
    },
    async alerts() {
      const { rows } = await pool.query<{ subject: string; code: string }>(
        'select subject, code from posthorn.alert where source = $1 order by id',
        [name],
      )
      return rows
    },
    async expireLeases() {
      if (!order || confirmWithinMs !== undefined) {
        await pool.query(
          `update ${table} set claimed_until = now() - interval '1 s' where claimed_until is not null`,
        )
      }
      await pool.query(
        `update posthorn.bucket set until = now() - interval '1 s' where outbox = $1 and token is not null`,
        [name],
      )
      await pool.query('delete from posthorn.relay where outbox = $1', [name])
    },
    async empty() {
      // What refers to the messages goes with them, an audit too that refuses every other way: its
      // triggers do not fire for a superuser who says so.
      await pool.query(
        `select set_config('session_replication_role', 'replica', true)
           from pg_roles where rolname = current_user and rolsuper;
         truncate ${table} cascade`,
      )
      for (const own of ['bucket', 'held_key', 'transition', 'pause', 'relay', 'pulse']) {
        await pool.query(`delete from posthorn.${own} where outbox = $1`, [name])
      }
      await pool.query('delete from posthorn.alert where source = $1', [name])
    },
  }
}
