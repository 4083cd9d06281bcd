import type { Outbox } from './define.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import {
  logTableSql,
  notNullSql,
  selectMissingInLog,
  dedupeIndexSql,
  engineColumns,
  engineTableSql,
  registerOutbox,
  selectColumns,
  selectIndexes,
  selectNamesakes,
  selectSequenceHidden,
  selectUniqueKeys,
  selectVisibility,
  type TypedColumn,
} from './table.sql.ts'
import { FORMS } from '../encrypt/envelope.ts'
import type { Queryable } from '../database/transaction.ts'
import { bareTable, beside, spell, spellTable, type TableName } from '../database/sql-names.ts'
import { inSql } from './resolved-definition.ts'

/** Whether the table has what the definition names; a relay does not start on one that has not. */
export async function checkTable(db: Queryable, outbox: Outbox, log: Log): Promise<void> {
  const { rows } = await db.query<TypedColumn>(selectColumns(inSql(outbox).table))
  if (rows.length === 0) throw await missingTable(db, outbox)
  const present = new Set(rows.map(({ name }) => name))
  for (const [field, column] of listColumns(outbox)) {
    if (!present.has(column)) throw missingColumn(outbox, { field, column, present })
  }
  checkTimes(outbox, rows)
  checkNulls(outbox, rows)
  checkEncryptedTypes(outbox, rows)
  checkLabelTypes(outbox, rows)
  const missing = engineColumns(inSql(outbox)).filter(([name]) => !present.has(name))
  if (missing.length > 0) {
    throw new PosthornError(
      'TABLE_MISMATCH',
      `outbox ${outbox.name}: ${outbox.table} lacks ${missing.map(([name]) => name).join(', ')}. ` +
        `Add to a migration:\n${engineTableSql(inSql(outbox))}`,
    )
  }
  await checkDedupe(db, outbox)
  const { table: ownTable, log: ownLog } = inSql(outbox)
  if (ownLog !== undefined) {
    await checkLog(db, outbox, ownLog)
    await checkSequence(db, outbox, ownLog)
  }
  for (const table of [ownTable, ownLog]) {
    if (table !== undefined) await checkVisibility(db, { name: outbox.name, table })
  }
  await checkName(db, outbox)
  await warnOfMissingIndex(db, outbox, log)
}

async function missingTable(db: Queryable, { name, table }: Outbox): Promise<PosthornError> {
  const { rows } = await db.query<{ name: string }>(selectNamesakes(table))
  const advice = rows[0]
    ? `there is ${rows[0].name}, and names are written as the database has them`
    : 'have the migrations run?'
  return new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${name}: there is no table ${table}; ${advice}`,
  )
}

/** A property of an ORM's model often has the column's name in another case. */
function missingColumn(
  { name, table }: Outbox,
  { field, column, present }: { field: string; column: string; present: ReadonlySet<string> },
): DefinitionError {
  const alike = (word: string) => word.replaceAll('_', '').toLowerCase()
  const namesake = [...present].find((each) => alike(each) === alike(column))
  const advice =
    namesake === undefined
      ? ''
      : `; it has "${namesake}", and a definition has the names of columns, not of an ORM's properties`
  return new DefinitionError(name, field, `${table} has no column "${column}"${advice}`)
}

/**
 * What the relay compares with the time now. Without a zone the same time would be another one for a writer,
 * a server and a relay in another zone, and messages would go out hours early or late.
 */
function checkTimes({ name, columns }: Outbox, rows: readonly TypedColumn[]): void {
  for (const field of ['dueAt', 'sentAt'] as const) {
    const type = rows.find((each) => each.name === columns[field])?.type ?? ''
    if (!type.endsWith('without time zone')) continue
    const problem = `"${columns[field]}" is ${type}, and must be timestamptz`
    throw new DefinitionError(name, `columns.${field}`, problem)
  }
}

/** A claim goes from value to value in the index: it would never come to a message that has none. */
function checkNulls(outbox: Outbox, rows: readonly TypedColumn[]): void {
  const { fair, columns } = outbox
  const fields = { 'fair.by': fair?.by, 'columns.priority': columns.priority }
  for (const [field, column] of Object.entries(fields)) {
    if (!rows.some(({ name, nullable }) => name === column && nullable)) continue
    throw new PosthornError(
      'TABLE_MISMATCH',
      `outbox ${outbox.name}: ${field}: "${column}" may be null, and messages without a value would never ` +
        `be claimed. Give those that have none a value, and add to a migration:\n` +
        notNullSql(inSql(outbox).table, String(column)),
    )
  }
}

/** Without it every `enqueue` with a dedupe key would fail, or double what it should not. */
async function checkDedupe(db: Queryable, outbox: Outbox): Promise<void> {
  const { name, columns } = outbox
  const { dedupe } = columns
  if (dedupe === undefined) return
  const { table, columns: spelled } = inSql(outbox)
  const { rows } = await db.query<{ columns: string[] }>(selectUniqueKeys(table))
  const wanted = dedupe.toSorted().join()
  if (rows.some((index) => index.columns.toSorted().join() === wanted)) return
  throw new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${name}: columns.dedupe needs a unique index. Add to a migration:\n` +
      dedupeIndexSql(table, spelled.dedupe ?? []),
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
  const { rows } = await db.query<{ name: string }>(selectMissingInLog(inSql(outbox).table, log))
  if (rows.length === 0) return
  throw new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${outbox.name}: ${log} lacks ${rows.map(({ name }) => name).join(', ')}. ` +
      `Add to a migration:\n${logTableSql(inSql(outbox)).join('\n')}`,
  )
}

/** Without the right the log looks empty, and a relay would read nothing and say nothing. */
async function checkSequence(db: Queryable, outbox: Outbox, log: string): Promise<void> {
  const { rows } = await db.query<{ hidden: boolean }>(selectSequenceHidden(log))
  if (rows[0]?.hidden) throw hiddenSequence(outbox)
}

export function hiddenSequence({ name, log }: Outbox): PosthornError {
  const sequence = beside(spellTable(log as TableName), '_seq_seq')
  return new PosthornError(
    'SEQUENCE_HIDDEN',
    `outbox ${name}: this role may not read the sequence ${sequence}, so that it sees no message of the ` +
      `log. As its owner: grant select on sequence ${sequence} to <role>;`,
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
      `create policy ${spell(`${bareTable(table)}_relay`)} on ${table} for all to ${found.role} using (true);`,
  )
}

/** An outbox's name belongs to one table: leases and held keys go by the name. */
async function checkName(db: Queryable, outbox: Outbox): Promise<void> {
  const { name, table } = inSql(outbox)
  const { rows } = await db.query<{ table_name: string }>(registerOutbox(inSql(outbox)))
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
  const { rows } = await db.query<{ definition: string }>(selectIndexes(inSql(outbox).table))
  const { fair, columns } = outbox
  const first = fair?.by ?? columns.priority
  const unordered = first ? `(${first}, ${columns.dueAt}` : `(${columns.dueAt}`
  const leading = outbox.order ? '(bucket, seq' : unordered
  // The server quotes more words than it must. The index of suspects has the same columns, for few rows.
  const isForClaims = (definition: string) =>
    definition.replaceAll('"', '').includes(leading) && !definition.includes('lost_claims')
  if (rows.some(({ definition }) => isForClaims(definition))) return
  log.warn(
    { outbox: outbox.name, sql: engineTableSql(inSql(outbox)) },
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
