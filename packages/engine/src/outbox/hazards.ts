import type { Queryable } from '../database/transaction.ts'
import { bareTable, beside, spell, spellTable, type TableName } from '../database/sql-names.ts'
import { PosthornError, type ErrorCode } from '../errors.ts'
import type { Outbox } from './define.ts'
import {
  dropIndexSql,
  dropTriggerSql,
  engineFunctions,
  engineNeeds,
  replaceColumnSql,
  selectForbiddenFunctions,
  selectHiddenSchemas,
  selectMissingRights,
  selectPlaceColumns,
  selectRowTriggers,
  selectUniqueIndexes,
  type MissingRight,
  type RowTrigger,
  type TableNeed,
  type UniqueIndex,
} from './hazards.sql.ts'
import { inSql } from './resolved-definition.ts'
import {
  engineColumns,
  notNullSql,
  selectColumns,
  selectSequenceHidden,
  selectVisibility,
  type TypedColumn,
} from './table.sql.ts'

/** Something in the database that would keep a relay from finding or settling messages, in silence. */
export interface TableHazard {
  readonly code: ErrorCode
  /** `fail`: a relay does not start; `warn`: it says so and runs. */
  readonly level: 'fail' | 'warn'
  readonly says: string
  readonly todo: string
  /** SQL that mends it. */
  readonly run: string
}

/** A hazard as an error, with what mends it. */
export function hazardError(outbox: string, { code, says, todo, run }: TableHazard): PosthornError {
  return new PosthornError(code, `outbox ${outbox}: ${says}. ${todo}:\n${run}`)
}

/** The same with the rights of this role, for a look from outside: of what may not be read nothing more is asked. */
export async function listHazards(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const rights = await findMissingRights(db, outbox)
  return rights.length > 0 ? rights : findHazards(db, outbox)
}

/**
 * Every way that is known in which a relay could find nothing without an error. It only reads the catalogue;
 * the tables are there, have their columns and may be read.
 */
export async function findHazards(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const { table, log } = inSql(outbox)
  const found = await findHiddenRows(db, [table, ...(log === undefined ? [] : [log])])
  if (log !== undefined) found.push(...(await findHiddenSequence(db, outbox)))
  found.push(...(await findNulls(db, outbox)))
  if (outbox.order) found.push(...(await findMovedPlaces(db, outbox)))
  found.push(...(await findTriggers(db, outbox)))
  found.push(...(await findUniqueIndexes(db, outbox)))
  return found
}

/** Rights that this role lacks: one hazard for all, or none. */
export async function findMissingRights(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const schemas = ['posthorn', schemaOf(outbox.table)]
  const hidden = await db.query<MissingRight>(selectHiddenSchemas(schemas))
  if (hidden.rows.length > 0) return [rightsHazard(hidden.rows)]
  const needs = [...engineNeeds(outbox), ...ownNeeds(outbox)]
  const { rows } = await db.query<MissingRight>(selectMissingRights(needs))
  const functions = await db.query<MissingRight>(selectForbiddenFunctions(engineFunctions(outbox)))
  const missing = [...rows, ...functions.rows]
  return missing.length === 0 ? [] : [rightsHazard(missing)]
}

/** What a relay does to the tables of the definition. */
function ownNeeds(outbox: Outbox): TableNeed[] {
  const { table, log, exceptions, recurring } = outbox
  const need = (name: TableName, privileges: readonly string[], more = {}) => {
    const [schema = '', own = ''] = name.split('.')
    return { schema, name: own, privileges, ...more }
  }
  const columns = writtenColumns(outbox)
  const enqueues = log !== undefined || Object.keys(recurring).length > 0
  return [
    need(table, ['select', 'update', ...(enqueues ? ['insert'] : [])], { columns }),
    ...(log === undefined ? [] : [need(log, ['select', 'delete'])]),
    ...(exceptions === undefined
      ? []
      : [need(exceptions, ['select', 'insert', 'update', 'delete'], { columns })]),
  ]
}

/** Columns that claims and settlements write. */
function writtenColumns(outbox: Outbox): string[] {
  const { status, dueAt, sentAt, finishedAt, error, errorCode, attemptId } = outbox.columns
  const own = [
    status,
    dueAt,
    sentAt,
    finishedAt,
    error,
    errorCode,
    attemptId,
    outbox.counter.column,
  ]
  const engine = engineColumns(inSql(outbox))
    .map(([name]) => name)
    .filter((name) => name !== 'seq' && name !== 'bucket')
  return [...own.filter((name) => name !== undefined), ...engine]
}

function rightsHazard(missing: readonly MissingRight[]): TableHazard {
  const role = missing[0]?.role ?? ''
  const words = missing.map(({ privilege, object }) => `${privilege} on ${object}`)
  return {
    code: 'RIGHTS_MISSING',
    level: 'fail',
    says: `the role ${role} lacks ${words.join(', ')}`,
    todo: 'As the owner',
    run: missing
      .map(({ privilege, object }) => `grant ${privilege} on ${object} to ${spell(role)};`)
      .join('\n'),
  }
}

function schemaOf(table: TableName): string {
  return table.split('.')[0] ?? ''
}

/** Under row-level security a relay would see no message and say nothing. */
async function findHiddenRows(db: Queryable, tables: readonly string[]): Promise<TableHazard[]> {
  const found: TableHazard[] = []
  for (const table of tables) {
    const { rows } = await db.query<{ role: string; hidden: boolean }>(selectVisibility(table))
    const role = rows[0]?.hidden ? rows[0].role : undefined
    if (role === undefined) continue
    found.push({
      code: 'ROWS_HIDDEN',
      level: 'fail',
      says:
        `row-level security of ${table} may hide messages from the role ${role}, ` +
        `and the relay must see all`,
      todo: 'Give the role BYPASSRLS, or add',
      run: `create policy ${spell(`${bareTable(table)}_relay`)} on ${table} for all to ${spell(role)} using (true);`,
    })
  }
  return found
}

/** Without the right the log looks empty, and a relay would read nothing and say nothing. */
async function findHiddenSequence(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const log = inSql(outbox).log as string
  const { rows } = await db.query<{ hidden: boolean }>(selectSequenceHidden(log))
  return rows[0]?.hidden ? [hiddenSequenceHazard(outbox)] : []
}

export function hiddenSequenceHazard({ log }: Pick<Outbox, 'log'>): TableHazard {
  const sequence = beside(spellTable(log as TableName), '_seq_seq')
  return {
    code: 'SEQUENCE_HIDDEN',
    level: 'fail',
    says: `this role may not read the sequence ${sequence}, so that it sees no message of the log`,
    todo: 'As its owner',
    run: `grant select on sequence ${sequence} to <role>;`,
  }
}

/**
 * What a claim compares or goes by from value to value: it would never come to a message that has none, and a
 * count that is null never rises.
 */
async function findNulls(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const { fair, limit, columns, counter } = outbox
  const fields = {
    'fair.by': fair?.by,
    'limit.by': limit?.by,
    'columns.priority': columns.priority,
    'columns.status': columns.status,
    'columns.dueAt': columns.dueAt,
    'counter.column': counter.column,
  }
  const { rows } = await db.query<TypedColumn>(selectColumns(inSql(outbox).table))
  const hazards = new Map<string, TableHazard>()
  for (const [field, column] of Object.entries(fields)) {
    if (column === undefined || hazards.has(column)) continue
    if (!rows.some(({ name, nullable }) => name === column && nullable)) continue
    hazards.set(column, {
      code: 'TABLE_MISMATCH',
      level: 'fail',
      says: `${field}: "${column}" may be null, and messages without a value would never be claimed`,
      todo: 'Give those that have none a value, and add to a migration',
      run: notNullSql(inSql(outbox).table, column),
    })
  }
  return [...hazards.values()]
}

interface PlaceColumn {
  readonly name: string
  readonly is_generated: boolean
  readonly has_default: boolean
  readonly expression: string | null
}

/** A relay reads bucket by bucket, upwards: a message in another bucket, or below, is never read. */
async function findMovedPlaces(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const { log, order, ...names } = inSql(outbox)
  // A log's exceptions keep the places that the log gave.
  const table = log ?? names.table
  const { rows } = await db.query<PlaceColumn>(selectPlaceColumns(table))
  const wanted = new Map(engineColumns(inSql(outbox)))
  const isRight: Record<string, (column: PlaceColumn) => boolean> = {
    seq: (column) => column.has_default && !column.is_generated,
    bucket: ({ is_generated: is, expression }) =>
      is &&
      expression !== null &&
      expression.includes('bucket_of(') &&
      mentions(expression, order?.key),
  }
  return rows
    .filter((column) => !isRight[column.name]?.(column))
    .map(({ name }) => ({
      code: 'TABLE_MISMATCH',
      level: 'fail',
      says: `"${name}" of ${table} is not given by the database, and messages could be where no relay looks`,
      todo: 'Stop what writes, and make it again',
      run: replaceColumnSql(table, name, wanted.get(name) ?? ''),
    }))
}

function mentions(expression: string, column: string | undefined): boolean {
  return column !== undefined && expression.includes(column)
}

/** What a trigger may not do: move a message to a place, a key or an id where nobody looks for it. */
async function findTriggers(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const { table, order } = inSql(outbox)
  const { columns } = outbox
  const always = order ? ['seq', 'bucket'] : []
  const onUpdate = [columns.id, ...(order ? [outbox.order?.key as string] : [])]
  const { rows } = await db.query<RowTrigger>(selectRowTriggers(table))
  return rows.flatMap(({ name, source, on_update }): TableHazard[] => {
    const kept = [...always, ...(on_update ? onUpdate : [])]
    const changed = kept.filter((column) => assigns(source, column))
    if (changed.length === 0) return []
    return [
      {
        code: 'TRIGGER_IN_THE_WAY',
        level: 'fail',
        says: `the trigger ${spell(name)} of ${table} changes ${changed.join(', ')}, which the relay finds messages by`,
        todo: 'Change its function, or drop it',
        run: dropTriggerSql(table, name),
      },
    ]
  })
}

/** Whether a function of PL/pgSQL gives a column of the new row a value. */
function assigns(source: string, column: string): boolean {
  const name = column.replaceAll(/[^\p{L}\p{N}_]/gu, String.raw`\$&`)
  const target = String.raw`new\s*\.\s*"?${name}"?`
  const code = source.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
  const asStatement = new RegExp(
    String.raw`(^|;|\b(begin|then|else|loop)\b)\s*${target}\s*:?=`,
    'iu',
  )
  const into = new RegExp(String.raw`\binto\s+(strict\s+)?${target}(?![\p{L}\p{N}_])`, 'iu')
  return asStatement.test(code) || into.test(code)
}

/** A unique index over what settling writes: a retry or a confirmation may meet another message there. */
async function findUniqueIndexes(db: Queryable, outbox: Outbox): Promise<TableHazard[]> {
  const { table } = inSql(outbox)
  const written = new Set(writtenColumns(outbox))
  const { rows } = await db.query<UniqueIndex>(selectUniqueIndexes(table, outbox.columns.id))
  return rows.flatMap(({ name, columns, definition }): TableHazard[] => {
    const met = columns.filter((column) => written.has(column))
    if (met.length === 0) return []
    return [
      {
        code: 'INDEX_IN_THE_WAY',
        level: 'warn',
        says: `the unique index ${name} has ${met.join(', ')} in it, which the relay writes: a retry or a replay could meet another message`,
        todo: 'Make it unique by what does not change, and drop this one',
        run: dropIndexSql(name, definition),
      },
    ]
  })
}
