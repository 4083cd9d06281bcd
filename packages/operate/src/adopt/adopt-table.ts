import {
  defineOutbox,
  exponential,
  outboxTableSql,
  PosthornError,
  type OutboxDefinition,
  type OutboxRow,
  type Queryable,
} from '@posthorn/engine'
import { Code, isName, printValue, spell, type TableName } from '@posthorn/engine/internal'
import {
  addColumnSql,
  fillNullsSql,
  markSentSql,
  selectColumns,
  selectSample,
  type AdoptedColumn,
} from './adopt.sql.ts'
import { findStates, WHOLE, type AdoptedStates } from './adopt-states.ts'

export interface Adopted {
  /** A module that defines the outbox. */
  readonly typescript: string
  /** What the table lacks. */
  readonly sql: string
  /** What the table does not say. */
  readonly undecided: readonly string[]
}

const TEXT = /^(text|character varying)/
const WORD = /^(?!timestamp|date|boolean|json|bytea)/
const NAME = /^(text|character varying|uuid)/
const TIME = /^timestamp/
const TIMED = /^timestamp with time zone$/

/**
 * What columns are called in tables that exist, without case and underscores, the likeliest first; and their type.
 * With `null`, the column must take it; with `never`, it must not.
 */
const PARTS = {
  status: ['status state statusname messagestatus', WORD],
  dueAt: ['dueat nextattemptat nextretryat scheduledat availableat processafter', TIMED, 'never'],
  createdAt: [
    'createdat createdon added occurredat occurredon publicationdate enqueuetime timestamp',
    TIME,
  ],
  finishedAt: [
    'finishedat completedat completiondate processedat publishedat sentat deliveredat dispatchedat',
    TIME,
    'null',
  ],
  error: ['error lasterror errormessage failurereason', TEXT, 'null'],
  type: ['type eventtype messagetype name event', TEXT],
  tenant: ['tenant tenantid orgid organisationid organizationid', NAME],
  attempts: ['attempts retries retrycount attemptcount completionattempts retryattempts', WHOLE],
  payload: [
    'payload body content data serializedevent eventdata message',
    /^(json|text|bytea|character varying)/,
  ],
  key: ['aggregateid key partitionkey messagekey routingkey', NAME],
  headers: ['headers metadata', /^json/],
  place: ['destination topic aggregatetype destinationaddress listenerid exchange queue', TEXT],
} as const

type Parts = { readonly [Part in keyof typeof PARTS]?: AdoptedColumn }

interface Facts {
  readonly table: TableName
  readonly id: AdoptedColumn
  readonly parts: Parts
  readonly states: AdoptedStates
  /** Questions that the table leaves open: to be added to. */
  readonly undecided: string[]
}

/**
 * Reads a table that another library or an application made, and says how to define an outbox on it. Nothing is
 * changed: `sql` is for a migration, where it can be reviewed.
 */
export async function adoptTable(db: Queryable, name: string): Promise<Adopted> {
  const { rows: columns } = await db.query<AdoptedColumn>(selectColumns(name))
  const [{ table } = {}] = columns
  if (!table) throw new PosthornError('TABLE_MISMATCH', `there is no table ${name}`)
  const id = columns.find(({ primary, type }) => primary && /^(uuid|text|char|big|int)/.test(type))
  if (!id) throw new PosthornError('TABLE_MISMATCH', `${table} has no primary key of one column`)
  const parts = findParts(columns)
  const { status } = parts
  const { rows } = status ? await db.query<{ value: string }>(selectSample(status)) : { rows: [] }
  const sampled = rows.map(({ value }) => value)
  const states = findStates(status, sampled)
  const undecided = [...states.undecided]
  const facts = { table, id, parts, states, undecided }
  const mended = mend(facts)
  const { typescript, sql } = define(facts)
  undecided.push('How often a message is tried, and when finished rows are deleted (retention).')
  return { typescript, sql: `${[...mended, sql].join('\n')}\n`, undecided }
}

function findParts(columns: readonly AdoptedColumn[]): Parts {
  const plain = ({ name }: AdoptedColumn) => name.replaceAll('_', '').toLowerCase()
  const usable = columns.filter(({ name, generated }) => isName(name) && !generated)
  const found = Object.entries(PARTS).flatMap(([part, [names, type, empty]]) => {
    const fitting = usable
      .filter((each) => type.test(each.type))
      .filter(({ nullable }) => empty === undefined || nullable === (empty === 'null'))
    const [first] = names
      .split(' ')
      .flatMap((word) => fitting.filter((each) => plain(each) === word))
    return first ? [[part, first]] : []
  })
  return Object.fromEntries(found)
}

/** What the table lacks but for indexes. */
function mend({ table, parts, states, undecided }: Facts): string[] {
  const { status, dueAt, finishedAt, attempts, payload, place, type, key } = parts
  const { ready } = states.roles
  const sql: string[] = []
  if (!status) {
    sql.push(addColumnSql(table, 'status', `text not null default '${ready}'`))
    if (finishedAt) sql.push(markSentSql(table, `${spell(finishedAt.name)} is not null`))
    else {
      undecided.push(
        `No column says which rows were sent: all of them will be. Before the relay starts, delete those that were, or: ${markSentSql(table, '…')}`,
      )
    }
  } else if (status.nullable) sql.push(fillNullsSql(table, status.name, `'${ready}'`))
  if (!dueAt) sql.push(addColumnSql(table, 'due_at', 'timestamptz not null default posthorn.now()'))
  if (!attempts) sql.push(addColumnSql(table, 'attempts', 'integer not null default 0'))
  else if (attempts.nullable) sql.push(fillNullsSql(table, attempts.name, '0'))
  undecided.push(
    place
      ? `"${place.name}" may say where a message goes: destination: (row) => ({ transport: 'kafka', topic: String(row['${place.name}']) }).`
      : 'Where messages go: by default to handlers of the process.',
  )
  if (!payload) undecided.push('No column looks like the payload: the whole row is sent.')
  if (!type) undecided.push('No column looks like the type of a message: all have the same.')
  if (key) {
    undecided.push(
      `Whether messages with the same "${key.name}" must stay in sequence: then add ` +
        `order: { key: '${key.name}', dead: 'block' }, and run this SQL only with what outboxTableSql() prints then.`,
    )
  }
  return sql
}

function define(facts: Facts): { typescript: string; sql: string } {
  const { table, id, parts, states } = facts
  const name = table.replaceAll('_', '-').toLowerCase()
  const named = (...wanted: readonly (keyof Parts)[]) =>
    Object.fromEntries(wanted.flatMap((part) => (parts[part] ? [[part, parts[part].name]] : [])))
  const definition = {
    name,
    table,
    states: states.roles,
    columns: {
      ...(id.name !== 'id' && { id: id.name }),
      ...(id.type !== 'uuid' && { idType: WHOLE.test(id.type) ? 'bigint' : 'text' }),
      ...(parts.status?.name !== 'status' && named('status')),
      dueAt: parts.dueAt?.name ?? 'due_at',
      ...named('createdAt', 'error', 'type', 'tenant'),
      // A time without a zone says that a row is done, and no definition may name it.
      ...(TIMED.test(parts.finishedAt?.type ?? '') && named('finishedAt')),
    },
    counter: { column: parts.attempts?.name ?? 'attempts', bumps: 'on-failure' },
    retry: exponential('2s', { attempts: 10 }),
    destination: { transport: 'handlers', topic: name },
    message: (row: OutboxRow) => ({ id: String(row[id.name]), type: name, payload: row }),
  }
  // The check of every definition: what is printed starts.
  const outbox = defineOutbox<OutboxRow>(definition as OutboxDefinition<OutboxRow>)
  const retry = new Code(`exponential('2s', { attempts: 10 })`)
  const message = new Code(printMessage(name, facts))
  return {
    typescript: `import { defineOutbox, exponential, type OutboxRow } from '@posthorn/engine'

// In place of OutboxRow, the type that your queries or your ORM have for a row of ${table}.
export const outbox = defineOutbox<OutboxRow>(${printValue({ ...definition, retry, message }, 0)})
`,
    sql: outboxTableSql(outbox),
  }
}

function printMessage(name: string, { id, parts, undecided }: Facts): string {
  const { type, payload, key, tenant, headers } = parts
  const place = (column: AdoptedColumn) => `row['${column.name}']`
  const text = (column: AdoptedColumn) =>
    `${column.nullable ? `${place(column)} == null ? undefined : ` : ''}String(${place(column)})`
  const content = (column: AdoptedColumn): string => {
    if (column.type.startsWith('json')) return place(column)
    if (column.type === 'bytea') {
      undecided.push(`"${column.name}" holds bytes: they are sent as base64.`)
      return `(${place(column)} as Buffer | null)?.toString('base64')`
    }
    undecided.push(`Whether "${column.name}" is JSON: if not, payload: ${place(column)}.`)
    return `JSON.parse(String(${place(column)}))`
  }
  const fields = [
    `id: String(${place(id)})`,
    `type: ${type ? `String(${place(type)} ?? '${name}')` : `'${name}'`}`,
    `payload: ${payload ? content(payload) : 'row'}`,
    key && `key: ${text(key)}`,
    tenant && `tenant: ${text(tenant)}`,
    headers && `headers: (${place(headers)} ?? {}) as Record<string, string>`,
  ]
  const lines = fields.filter((field) => field !== undefined).map((field) => `  ${field},\n`)
  return `(row) => ({\n${lines.join('')}})`
}
