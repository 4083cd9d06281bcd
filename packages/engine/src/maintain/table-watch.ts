import type { Pool } from 'pg'
import { transaction } from '../database/transaction.ts'
import { PosthornError } from '../errors.ts'
import { silentLog, type Log } from '../log.ts'
import { raiseAlert, recoverAlert } from '../outbox/alert.ts'
import { checkTable } from '../outbox/check-table.ts'
import type { Outbox } from '../outbox/define.ts'
import { inSql } from '../outbox/resolved-definition.ts'
import { forgetFloors, selectMarks, type TableMark } from './table-watch.sql.ts'

/**
 * The check of the start, again and again: a table may be renamed, replaced or changed, and a right revoked,
 * while the relay runs. What is found becomes an alert and a line of the log, once. The catalog says in one look
 * which tables have changed: only those are checked.
 */
export class TableWatch {
  readonly #ids = new Map<string, string>()
  readonly #marks = new Map<string, string>()
  /** What stands of each outbox. */
  readonly #wrong = new Map<string, string>()

  async look(pool: Pool, outboxes: readonly Outbox[], log: Log): Promise<void> {
    const tables = outboxes.flatMap((outbox) => {
      const { template, table, log: ownLog } = inSql(outbox)
      const places = [...new Set([table, template, ownLog])].filter((each) => each !== undefined)
      return places.map((place) => ({ outbox: outbox.name, table: place as string }))
    })
    const { rows } = await pool.query<TableMark>(selectMarks(tables))
    for (const outbox of outboxes) {
      const found = rows.find((row) => row.outbox === outbox.name) as TableMark
      const isChanged = this.#marks.get(outbox.name) !== found.mark
      if (!isChanged && !this.#wrong.has(outbox.name)) continue
      try {
        const wrong = await this.#findWrong(pool, outbox, found)
        if (wrong) await this.#report(pool, outbox, { wrong, log })
        else await this.#recover(pool, outbox)
        this.#marks.set(outbox.name, found.mark)
      } catch (error) {
        log.warn({ outbox: outbox.name, err: error }, 'table check failed; next check in a minute')
      }
    }
  }

  async #findWrong(
    pool: Pool,
    outbox: Outbox,
    found: TableMark,
  ): Promise<PosthornError | undefined> {
    try {
      await checkTable(pool, outbox, silentLog)
    } catch (error) {
      if (error instanceof PosthornError) return error
      throw error
    }
    const { table } = inSql(outbox)
    const id = found.id ?? ''
    const before = this.#ids.get(outbox.name) ?? id
    this.#ids.set(outbox.name, id)
    if (id === before) return undefined
    await pool.query(forgetFloors(outbox.name))
    return new PosthornError(
      'TABLE_REPLACED',
      `outbox ${outbox.name}: ${table} is another table than before; the relay reads it from the start. ` +
        `No relay delivers the pending messages of the old table: move them, or deliver them by another outbox`,
    )
  }

  async #report(
    pool: Pool,
    { name, table }: Outbox,
    { wrong, log }: { wrong: PosthornError; log: Log },
  ): Promise<void> {
    if (this.#wrong.get(name) === wrong.message) return
    const detail = wrong.message
    // A table that was replaced is no state that ends: each one is an alert for a person to acknowledge.
    const occurrence = wrong.code === 'TABLE_REPLACED' ? this.#ids.get(name) : undefined
    const alert = { source: name, subject: table, code: wrong.code, detail, occurrence }
    await transaction(pool, (tx) => raiseAlert(tx, alert))
    this.#wrong.set(name, wrong.message)
    log.error({ outbox: name, err: wrong }, 'the table changed after the start')
  }

  /** A replaced table stays an alert until a person has seen to what waits in the other. */
  async #recover(pool: Pool, { name, table }: Outbox): Promise<void> {
    const before = this.#wrong.get(name)
    if (before === undefined) return
    this.#wrong.delete(name)
    if (before.includes('is another table than before')) return
    await transaction(pool, (tx) => recoverAlert(tx, { source: name, subject: table }))
  }
}
