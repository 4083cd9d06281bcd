import type { Pool } from 'pg'
import type { Outbox } from '../outbox/define.ts'
import { type OutboxRow, inSql } from '../outbox/resolved-definition.ts'
import { bare } from '../database/sql-names.ts'
import type { State } from '../outbox/definition.ts'

/** Looks into an outbox's table past the engine, and does to it what only a crash or a clock could. */
export interface TableView {
  /** State of every message, by id. */
  states(): Promise<Map<string, State>>
  rows(): Promise<OutboxRow[]>
  /**
   * SQL of an ordered outbox's messages with these columns and their `place` in the order of their key: what
   * waits in the table is before the log.
   */
  placed(columns: string): string
  /** `from>to` of a message's transitions, in order. */
  transitions(id: string): Promise<string[]>
  alerts(): Promise<{ subject: string; code: string }[]>
  /** Lets every lease run out, as if its relay had been gone for long. */
  expireLeases(): Promise<void>
  empty(): Promise<void>
}

function stateInLog(outbox: Outbox): string {
  const { columns, states } = inSql(outbox)
  const word = (state: State) => (typeof state === 'number' ? String(state) : `'${state}'`)
  return `case when posthorn.log_gone(b, m.xid, m.seq) then ${word(states.sent)} else ${word(states.ready)} end
         as ${columns.status}`
}

/** The messages of a log, with the state that nothing on their rows says. */
function selectLogged(outbox: Outbox): string {
  const { log, name, columns } = inSql(outbox)
  return `select m.*, ${stateInLog(outbox)}
  from ${log} as m
  left join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = m.bucket
 order by m.${columns.id}`
}

async function readRows(pool: Pool, outbox: Outbox): Promise<OutboxRow[]> {
  const { table, log, columns } = inSql(outbox)
  const kept = await pool.query<OutboxRow>(`select * from ${table} order by ${columns.id}`)
  const logged = log === undefined ? { rows: [] } : await pool.query(selectLogged(outbox))
  return [...kept.rows, ...(logged.rows as OutboxRow[])]
}

export function viewTable(pool: Pool, outbox: Outbox): TableView {
  const { table, template, log, name, order, confirmWithinMs } = inSql(outbox)
  const { columns } = outbox
  return {
    async states() {
      const rows = await readRows(pool, outbox)
      return new Map(
        rows.map((row) => [String(row[columns.id]), row[columns.status] as State] as const),
      )
    },
    async rows() {
      return readRows(pool, outbox)
    },
    placed(shown) {
      const kept = `select ${shown}, array[0, seq] as place from ${table}`
      if (log === undefined) return kept
      return `${kept} union all
        select ${shown}, array[1, seq]
          from (select ${shown
            .split(', ')
            .map((each) => (bare(each) === columns.status ? stateInLog(outbox) : `m.${each}`))
            .join(', ')}, m.seq
                  from ${log} as m
                  join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = m.bucket) as logged`
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
      await pool.query('update posthorn.session set until = null where $1 = any(outboxes)', [name])
    },
    async empty() {
      // What refers to the messages goes with them, an audit too that refuses every other way: its
      // triggers do not fire for a superuser who says so.
      await pool.query(
        `select set_config('session_replication_role', 'replica', true)
           from pg_roles where rolname = current_user and rolsuper;
         truncate ${[...new Set([table, template, log])].filter(Boolean).join(', ')} cascade`,
      )
      await pool.query('delete from posthorn.session where $1 = any(outboxes)', [name])
      for (const own of ['bucket', 'held_key', 'transition', 'pause', 'pulse']) {
        await pool.query(`delete from posthorn.${own} where outbox = $1`, [name])
      }
      await pool.query('delete from posthorn.alert where source = $1', [name])
    },
  }
}
