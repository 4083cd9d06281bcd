import type { Outbox } from './define.ts'
import { findHazards, findMissingRights, hazardError, hiddenSequenceHazard } from './hazards.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import {
  logTableSql,
  selectMissingInLog,
  dedupeIndexSql,
  engineColumns,
  engineTableSql,
  registerOutbox,
  selectColumns,
  selectDiffers,
  selectIndexes,
  selectNamesakes,
  selectUniqueKeys,
  type TypedColumn,
} from './table.sql.ts'
import { FORMS } from '../encrypt/envelope.ts'
import type { Queryable } from '../database/transaction.ts'
import { inSql } from './resolved-definition.ts'

/** Whether the table has what the definition names; a relay does not start on one that has not. */
export async function checkTable(db: Queryable, outbox: Outbox, log: Log): Promise<void> {
  for (const hazard of await findMissingRights(db, outbox)) throw hazardError(outbox.name, hazard)
  const { rows } = await db.query<TypedColumn>(selectColumns(inSql(outbox).template))
  if (rows.length === 0) throw await missingTable(db, outbox)
  const present = new Set(rows.map(({ name }) => name))
  for (const [field, column] of listColumns(outbox)) {
    if (!present.has(column)) throw missingColumn(outbox, { field, column, present })
  }
  checkTimes(outbox, rows)
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
  const { log: ownLog } = inSql(outbox)
  if (ownLog !== undefined) await checkLog(db, outbox, ownLog)
  for (const hazard of await findHazards(db, outbox)) {
    const err = hazardError(outbox.name, hazard)
    if (hazard.level === 'fail') throw err
    log.warn({ outbox: outbox.name, err }, 'a relay may stop on this table')
  }
  await checkName(db, outbox)
  await warnOfMissingIndex(db, outbox, log)
}

async function missingTable(db: Queryable, { name, table }: Outbox): Promise<PosthornError> {
  const { rows } = await db.query<{ name: string }>(selectNamesakes(table))
  const advice = rows[0]
    ? `there is ${rows[0].name}, and names are written as the database has them`
    : 'run the migrations'
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
  const { table, template } = inSql(outbox)
  const { rows } = await db.query<{ name: string }>(selectMissingInLog(template, log))
  const refuse = (problem: string) => {
    const text = logTableSql(inSql(outbox)).join('\n')
    const message = `outbox ${outbox.name}: ${problem}. Add to a migration:\n${text}`
    return new PosthornError('TABLE_MISMATCH', message)
  }
  if (rows.length > 0) throw refuse(`${log} lacks ${rows.map(({ name }) => name).join(', ')}`)
  const { rows: shape } = await db.query<{ differs: boolean }>(selectDiffers(log, table))
  if (shape[0]?.differs) {
    throw refuse(`${table} has not the columns of ${log}, in their order: whole rows move there`)
  }
}

export function hiddenSequence(outbox: Outbox): PosthornError {
  return hazardError(outbox.name, hiddenSequenceHazard(outbox))
}

/** An outbox's name belongs to one table: leases and held keys go by the name. */
async function checkName(db: Queryable, outbox: Outbox): Promise<void> {
  const { name, template: table } = inSql(outbox)
  const { rows } = await db.query<{ table_name: string }>(registerOutbox(inSql(outbox)))
  const owner = rows[0]?.table_name
  if (owner === table) return
  throw new PosthornError(
    'OUTBOX_NAME_TAKEN',
    `outbox ${name}: the name belongs to ${owner} in this database, not to ${table}; choose another. ` +
      `If ${owner} has no pending messages: delete from posthorn.outbox where name = '${name}';`,
  )
}

/** Works without its indexes, but a backlog would then be read in full for every claim. */
async function warnOfMissingIndex(db: Queryable, outbox: Outbox, log: Log): Promise<void> {
  for (const [table, wanted] of claimIndexes(outbox)) {
    const { rows } = await db.query<{ definition: string }>(selectIndexes(table))
    // The server quotes more words than it must. The index of suspects has the same columns, for few rows.
    const found = rows
      .map(({ definition }) => definition.replaceAll('"', ''))
      .filter((definition) => !definition.includes('lost_claims'))
    if (wanted.every((index) => found.some((definition) => index.test(definition)))) continue
    log.warn(
      { outbox: outbox.name, sql: engineTableSql(inSql(outbox)) },
      'no index for the claim; claims will be slow',
    )
  }
}

/** What the indexes of each table are on that a claim goes by. */
function claimIndexes(outbox: Outbox): [table: string, wanted: readonly RegExp[]][] {
  const { table, log } = inSql(outbox)
  const { fair, columns, order, states } = outbox
  const first = fair?.by ?? columns.priority
  const claimed = states.claimed === undefined ? [] : [/\(claimed_until\)/]
  const own = order
    ? [/\(bucket, seq\)/, /^(?!.*\(bucket, seq\)).*, seq\)/]
    : [new RegExp(`\\(${first === undefined ? '' : `${first}, `}${columns.dueAt}`)]
  const logged: [string, RegExp[]][] =
    log === undefined ? [] : [[log, [/\(bucket, seq\)/, /\(xid, bucket, seq\)/]]]
  return [[table, [...own, ...claimed]], ...logged]
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
