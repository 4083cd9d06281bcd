import type { Outbox } from './define.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import { logTableSql, selectMissingInLog } from '../sql/log-table.ts'
import {
  dedupeIndexSql,
  engineColumns,
  engineTableSql,
  registerOutbox,
  selectColumns,
  selectIndexes,
  selectUniqueKeys,
  selectVisibility,
} from '../sql/table.ts'
import { FORMS } from '../encrypt/envelope.ts'
import type { TypedColumn } from '../sql/enqueue.ts'
import type { Queryable } from '../enqueue/transaction.ts'

/** Whether the table has what the definition names; a relay does not start on one that has not. */
export async function checkTable(db: Queryable, outbox: Outbox, log: Log): Promise<void> {
  const { rows } = await db.query<TypedColumn>(selectColumns(outbox.table))
  if (rows.length === 0) {
    throw new PosthornError(
      'TABLE_MISMATCH',
      `outbox ${outbox.name}: there is no table ${outbox.table}; have the migrations run?`,
    )
  }
  const present = new Set(rows.map(({ name }) => name))
  for (const [field, column] of listColumns(outbox)) {
    if (!present.has(column)) {
      throw new DefinitionError(outbox.name, field, `${outbox.table} has no column "${column}"`)
    }
  }
  checkEncryptedTypes(outbox, rows)
  checkLabelTypes(outbox, rows)
  const missing = engineColumns(outbox).filter(([name]) => !present.has(name))
  if (missing.length > 0) {
    throw new PosthornError(
      'TABLE_MISMATCH',
      `outbox ${outbox.name}: ${outbox.table} lacks ${missing.map(([name]) => name).join(', ')}. ` +
        `Add to a migration:\n${engineTableSql(outbox)}`,
    )
  }
  await checkDedupe(db, outbox)
  if (outbox.log !== undefined) await checkLog(db, outbox, outbox.log)
  for (const table of [outbox.table, outbox.log]) {
    if (table !== undefined) await checkVisibility(db, { name: outbox.name, table })
  }
  await checkName(db, outbox)
  await warnOfMissingIndex(db, outbox, log)
}

/** Without it every `enqueue` with a dedupe key would fail, or double what it should not. */
async function checkDedupe(db: Queryable, { name, table, columns }: Outbox): Promise<void> {
  const { dedupe } = columns
  if (dedupe === undefined) return
  const { rows } = await db.query<{ columns: string[] }>(selectUniqueKeys(table))
  const wanted = dedupe.toSorted().join()
  if (rows.some((index) => index.columns.toSorted().join() === wanted)) return
  throw new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${name}: columns.dedupe needs a unique index. Add to a migration:\n` +
      dedupeIndexSql(table, dedupe),
  )
}

function checkEncryptedTypes({ name, encrypt }: Outbox, columns: readonly TypedColumn[]): void {
  for (const column of encrypt?.columns ?? []) {
    const type = columns.find((each) => each.name === column)?.type ?? ''
    if (FORMS[type]) continue
    const known = Object.keys(FORMS).join(', ')
    throw new DefinitionError(name, 'encrypt.columns', `"${column}" is ${type}, not ${known}`)
  }
}

function checkLabelTypes({ name, label }: Outbox, columns: readonly TypedColumn[]): void {
  for (const [column, ...properties] of label) {
    const type = columns.find((each) => each.name === column)?.type ?? ''
    if (properties.length === 0 || type === 'jsonb' || type === 'json') continue
    throw new DefinitionError(name, 'label', `"${column}" is ${type} and has no properties`)
  }
}

/** The log must be able to hold all that the table can: what waits moves from one to the other. */
async function checkLog(db: Queryable, outbox: Outbox, log: string): Promise<void> {
  const { rows } = await db.query<{ name: string }>(selectMissingInLog(outbox.table, log))
  if (rows.length === 0) return
  throw new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${outbox.name}: ${log} lacks ${rows.map(({ name }) => name).join(', ')}. ` +
      `Add to a migration:\n${logTableSql(outbox).join('\n')}`,
  )
}

/** Under row-level security a relay would see no message and say nothing. */
async function checkVisibility(
  db: Queryable,
  { name, table }: { name: string; table: string },
): Promise<void> {
  const { rows } = await db.query<{ role: string; hidden: boolean }>(selectVisibility(table))
  const [found] = rows
  if (!found?.hidden) return
  throw new PosthornError(
    'ROWS_HIDDEN',
    `outbox ${name}: row-level security of ${table} may hide messages from the role ${found.role}, ` +
      `and the relay must see all. Give the role BYPASSRLS, or add:\n` +
      `create policy ${table.split('.')[1]}_relay on ${table} for all to ${found.role} using (true);`,
  )
}

/** An outbox's name belongs to one table: leases and held keys go by the name. */
async function checkName(db: Queryable, outbox: Outbox): Promise<void> {
  const { name, table } = outbox
  const { rows } = await db.query<{ table_name: string }>(registerOutbox(outbox))
  const owner = rows[0]?.table_name
  if (owner === table) return
  throw new PosthornError(
    'OUTBOX_NAME_TAKEN',
    `outbox ${name}: the name belongs to ${owner} in this database, not to ${table}; choose another. ` +
      `If the messages of ${owner} are over: delete from posthorn.outbox where name = '${name}';`,
  )
}

/** Works without its index, but a backlog would then be read in full for every claim. */
async function warnOfMissingIndex(db: Queryable, outbox: Outbox, log: Log): Promise<void> {
  const { rows } = await db.query<{ definition: string }>(selectIndexes(outbox.table))
  const { fair, columns } = outbox
  const first = fair?.by ?? columns.priority
  const unordered = first ? `(${first}, ${columns.dueAt}` : `(${columns.dueAt}`
  const leading = outbox.order ? '(bucket, seq' : unordered
  if (rows.some(({ definition }) => definition.includes(leading))) return
  log.warn(
    { outbox: outbox.name, sql: engineTableSql(outbox) },
    'no index for the claim; claims will be slow',
  )
}

function listColumns({
  columns,
  counter,
  order,
  fair,
  limit,
  reads,
  encrypt,
  label,
}: Outbox): [field: string, column: string][] {
  const { ref, dedupe, idType: _, ...single } = columns
  return [
    ...Object.entries(single).map(
      ([field, name]) => [`columns.${field}`, name] as [string, string],
    ),
    ...Object.entries(ref ?? {}).map(
      ([field, name]) => [`columns.ref.${field}`, name] as [string, string],
    ),
    ...(dedupe ?? []).map((name) => ['columns.dedupe', name] as [string, string]),
    ['counter.column', counter.column],
    ...(counter.limit ? [['counter.limit', counter.limit] as [string, string]] : []),
    ...(order ? [['order.key', order.key] as [string, string]] : []),
    ...(fair ? [['fair.by', fair.by] as [string, string]] : []),
    ...(limit?.by ? [['limit.by', limit.by] as [string, string]] : []),
    ...(reads ?? []).map((name) => ['reads', name] as [string, string]),
    ...(encrypt?.columns ?? []).map((name) => ['encrypt.columns', name] as [string, string]),
    ...label.map(([name]) => ['label', name] as [string, string]),
  ]
}
