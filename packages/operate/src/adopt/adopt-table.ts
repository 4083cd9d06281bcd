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
  selectRules,
  selectSample,
  selectTable,
  selectTableColumns,
  type AdoptedColumn,
} from './adopt.sql.ts'
import { wordsIn, type AdoptedStates } from './adopt-states.ts'

export interface Adopted {
  /** A module that defines the outbox. */
  readonly typescript: string
  /** What the table lacks. */
  readonly sql: string
  /** What the table does not say. */
  readonly undecided: readonly string[]
}

/** What columns are called in tables that exist, without case and underscores; the likeliest first. */
const NAMES = {
  status: 'status state statusname messagestatus',
  dueAt: 'dueat nextattemptat nextretryat scheduledat availableat processafter',
  createdAt:
    'createdat createdon added occurredat occurredon publicationdate enqueuetime timestamp',
  finishedAt:
    'finishedat completedat completiondate processedat publishedat sentat deliveredat dispatchedat',
  error: 'error lasterror errormessage failurereason',
  errorCode: 'errorcode',
  type: 'type eventtype messagetype name event',
  tenant: 'tenant tenantid orgid organisationid organizationid',
  traceparent: 'traceparent',
  attempts: 'attempts retries retrycount attemptcount completionattempts retryattempts',
  payload: 'payload body content data serializedevent eventdata message',
  key: 'aggregateid key partitionkey messagekey routingkey',
  headers: 'headers metadata',
  place: 'destination topic aggregatetype destinationaddress listenerid exchange queue',
} as const

const TIMED = 'timestamp with time zone'

/**
 * Reads a table that another library or an application made, and says how to define an outbox on it. Nothing is
 * changed: `sql` is for a migration, where it can be reviewed.
 */
export async function adoptTable(db: Queryable, name: string): Promise<Adopted> {
  const { rows: tables } = await db.query<{ table: TableName; rows: number }>(selectTable(name))
  const [found] = tables
  if (!found) throw new PosthornError('TABLE_MISMATCH', `there is no table ${name}`)
  const { table } = found
  const { rows: columns } = await db.query<AdoptedColumn>(selectTableColumns(table))
  const { rows: rules } = await db.query<Rule>(selectRules(table))
  const sample = async (column: AdoptedColumn | undefined) => {
    if (!column) return []
    const { rows } = await db.query<{ value: string }>(selectSample(table, column.name))
    return rows.map(({ value }) => value)
  }
  const parts = findParts(columns)
  return describe({
    ...{ table, columns, rules, parts },
    states: wordsIn(parts.status, rules, await sample(parts.status)),
    payloads: await sample(parts.payload),
    isEmpty: parts.id === undefined || (await sample(parts.id)).length === 0,
  })
}

interface Rule {
  readonly kind: 'check' | 'unique'
  readonly name: string
  readonly definition: string
}

type Parts = { readonly [Part in keyof typeof NAMES | 'id']?: AdoptedColumn | undefined }

function findParts(columns: readonly AdoptedColumn[]): Parts {
  const find = (part: keyof typeof NAMES, fits: (column: AdoptedColumn) => boolean) => {
    const usable = columns.filter((column) => isName(column.name) && !column.generated)
    for (const word of NAMES[part].split(' ')) {
      const plain = (name: string) => name.replaceAll('_', '').toLowerCase()
      const match = usable.find((column) => plain(column.name) === word && fits(column))
      if (match) return match
    }
    return undefined
  }
  const isText = ({ type }: AdoptedColumn) => /^(text|character varying)/.test(type)
  const isTime = ({ type }: AdoptedColumn) => type === TIMED
  return {
    id: columns.find((each) => each.primary && /^(uuid|text|char|bigint|int)/.test(each.type)),
    status: find('status', (each) => isText(each) || each.labels.length > 0 || isWhole(each)),
    dueAt: find('dueAt', (each) => isTime(each) && !each.nullable),
    createdAt: find('createdAt', ({ type }) => type.startsWith('timestamp')),
    finishedAt: find('finishedAt', (each) => isTime(each) && each.nullable),
    error: find('error', (each) => isText(each) && each.nullable),
    errorCode: find('errorCode', (each) => isText(each) && each.nullable),
    type: find('type', isText),
    tenant: find('tenant', (each) => isText(each) || each.type === 'uuid'),
    traceparent: find('traceparent', isText),
    attempts: find('attempts', isWhole),
    payload: find('payload', ({ type }) => /^(jsonb?|text|bytea|character varying)/.test(type)),
    key: find('key', (each) => isText(each) || each.type === 'uuid'),
    headers: find('headers', ({ type }) => type.startsWith('json')),
    place: find('place', isText),
  }
}

function isWhole({ type }: AdoptedColumn): boolean {
  return ['smallint', 'integer', 'bigint'].includes(type)
}

interface Facts {
  readonly table: TableName
  readonly columns: readonly AdoptedColumn[]
  readonly rules: readonly Rule[]
  readonly parts: Parts
  readonly states: AdoptedStates
  readonly payloads: readonly string[]
  readonly isEmpty: boolean
}

function describe(facts: Facts): Adopted {
  const { table, columns, rules, parts, states, isEmpty } = facts
  const { id, status, dueAt, createdAt, attempts, payload, place, key } = parts
  if (!id) throw new PosthornError('TABLE_MISMATCH', `${table} has no primary key of one column`)
  const name = outboxName(table)
  const undecided = [...states.undecided]
  const before: string[] = []
  const add = (column: string, type: string) => before.push(addColumnSql(table, column, type))
  if (!status) {
    const { ready, sent } = states
    add('status', `text not null default '${ready}'`)
    const done = doneColumn(columns)
    if (done) before.push(markSentSql(table, sent, `${spell(done.name)} is not null`))
    else if (!isEmpty) {
      undecided.push(
        `No column says which rows were sent: all of them will be. Before the relay starts, delete those ` +
          `that were, or: ${markSentSql(table, sent, '…')}`,
      )
    }
  }
  before.push(...states.sql(table))
  if (!dueAt) add('due_at', 'timestamptz not null default posthorn.now()')
  if (!attempts) add('attempts', 'integer not null default 0')
  if (attempts?.nullable) before.push(...fillNullsSql(table, attempts.name, '0'))
  if (place) {
    undecided.push(
      `"${place.name}" may say where a message goes: destination: (row) => ({ transport: 'kafka', topic: row.${place.name} }).`,
    )
  } else undecided.push('Where messages go: by default to handlers of the process.')
  if (!payload) undecided.push('No column looks like the payload: the whole row is sent.')
  if (!parts.type) undecided.push(`No column looks like the type of a message: all are "${name}".`)
  if (key) {
    undecided.push(
      `Whether messages with the same "${key.name}" must stay in sequence: then add ` +
        `order: { key: '${key.name}', dead: 'block' }, and run this SQL only with what outboxTableSql() prints then.`,
    )
  }
  for (const { definition } of rules.filter(({ kind }) => kind === 'unique')) {
    undecided.push(`Whether a repeated message is dropped by columns.dedupe: ${definition}`)
  }
  undecided.push('How often a message is tried, and when finished rows are deleted (retention).')

  const definition = {
    name,
    table,
    states: states.roles,
    columns: {
      ...(id.name !== 'id' && { id: id.name }),
      ...(id.type !== 'uuid' && { idType: isWhole(id) ? 'bigint' : 'text' }),
      ...(status && status.name !== 'status' && { status: status.name }),
      dueAt: dueAt?.name ?? 'due_at',
      ...namesOf({ ...parts, createdAt }, [
        ...(['createdAt', 'finishedAt', 'error', 'errorCode'] as const),
        ...(['type', 'tenant', 'traceparent'] as const),
      ]),
    },
    counter: { column: attempts?.name ?? 'attempts', bumps: 'on-failure' },
    retry: exponential('2s', { attempts: 10 }),
    destination: { transport: 'handlers', topic: name },
    message: (row: OutboxRow) => ({ id: String(row[id.name]), type: name, payload: row }),
  }
  // The check of every definition: what is printed starts.
  const box = defineOutbox<OutboxRow>(definition as OutboxDefinition<OutboxRow>)
  const rowType = typeName(table)
  const printed = printValue(
    {
      ...definition,
      retry: new Code(`exponential('2s', { attempts: 10 })`),
      message: new Code(printMessage(facts, { name, undecided })),
    },
    0,
  )
  const own = columns.map((column) => `  ${property(column.name)}: ${typeOf(column)}\n`)
  const added = [
    ...(status ? [] : ['  status: string\n']),
    ...(dueAt ? [] : ['  due_at: Date\n']),
    ...(attempts ? [] : ['  attempts: number\n']),
  ]
  return {
    typescript: `import { defineOutbox, exponential } from '@posthorn/engine'

/** A row of ${table}. */
export interface ${rowType} {
${[...own, ...added].join('')}}

export const ${rowType[0]?.toLowerCase()}${rowType.slice(1)} = defineOutbox<${rowType}>(${printed})
`,
    sql: `${[...before, outboxTableSql(box)].join('\n')}\n`,
    undecided,
  }
}

/** A time that is set once a message is done; also one without a zone, which no definition may name. */
function doneColumn(columns: readonly AdoptedColumn[]): AdoptedColumn | undefined {
  const plain = ({ name }: AdoptedColumn) => name.replaceAll('_', '').toLowerCase()
  const words = NAMES.finishedAt.split(' ')
  return columns.find(
    (each) => each.nullable && each.type.startsWith('timestamp') && words.includes(plain(each)),
  )
}

function namesOf<Part extends keyof Parts>(parts: Parts, wanted: readonly Part[]) {
  return Object.fromEntries(
    wanted.flatMap((part) => (parts[part] ? [[part, parts[part].name]] : [])),
  )
}

function printMessage(
  { parts, payloads }: Facts,
  { name, undecided }: { name: string; undecided: string[] },
): string {
  const { id, type, payload, key, tenant, headers } = parts
  const place = (column: AdoptedColumn) =>
    /^[A-Za-z_$][\w$]*$/.test(column.name) ? `row.${column.name}` : `row[${property(column.name)}]`
  const text = (column: AdoptedColumn) =>
    ['string', 'string | null'].includes(typeOf(column))
      ? place(column)
      : `String(${place(column)})`
  const orNone = (column: AdoptedColumn, value: string) =>
    column.nullable ? `${value} ?? undefined` : value
  const fields = [
    id && `id: ${text(id)}`,
    `type: ${type ? text(type) + (type.nullable ? ` ?? '${name}'` : '') : `'${name}'`}`,
    `payload: ${payload ? payloadIn(payload, place(payload)) : 'row'}`,
    key && `key: ${orNone(key, text(key))}`,
    tenant && `tenant: ${orNone(tenant, text(tenant))}`,
    headers && `headers: (${place(headers)} ?? {}) as Record<string, string>`,
  ].filter((field) => field !== undefined)
  return `(row) => ({\n${fields.map((field) => `  ${field},\n`).join('')}})`

  function payloadIn(column: AdoptedColumn, value: string): string {
    if (column.type.startsWith('json')) return value
    if (column.type === 'bytea') {
      undecided.push(`"${column.name}" holds bytes: they are sent as base64.`)
      return `${value}${column.nullable ? '?' : ''}.toString('base64')`
    }
    if (payloads.length > 0 && payloads.every(isJson))
      return `JSON.parse(${value}${column.nullable ? " ?? 'null'" : ''})`
    const parse = `JSON.parse(row.${column.name})`
    undecided.push(`"${column.name}" is sent as text; if it is JSON: payload: ${parse}.`)
    return value
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** `public.OutboxEvent` is `public.outbox-event`. */
function outboxName(table: string): string {
  return table
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** `cap.published` is `CapPublished`. */
function typeName(table: string): string {
  const words = table.replace(/^public\./, '').split(/[^\p{L}\p{N}]+/u)
  return words.map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`).join('')
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\[\]$/, 'unknown'],
  [/^(smallint|integer|real|double)/, 'number'],
  [/^boolean/, 'boolean'],
  [/^(timestamp|date$)/, 'Date'],
  [/^json/, 'unknown'],
  [/^bytea/, 'Buffer'],
]

/** A column as node-postgres reads it. */
function typeOf({ type, nullable, labels }: AdoptedColumn): string {
  const words = labels.length > 0 && labels.map((label) => `'${label}'`).join(' | ')
  const found = words || (TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'string')
  return nullable && found !== 'unknown' ? `${found} | null` : found
}
