import { DefinitionError, type Outbox } from '@posthorn/engine'
import { kafkaBinding } from '../cloudevents.ts'
import { messageColumns, type MessageColumns, type Part } from './message-columns.ts'
import { headerColumnsSql, OTHER_HEADERS, type HeaderColumn } from './queries.ts'

export interface DebeziumOptions {
  /** Where Debezium finds the database: `postgres://user@host:5432/shop`; a password in it is dropped. */
  readonly databaseUrl: string
  /** As `kafkaTransport` has it. Default `posthorn`. */
  readonly source?: string
  /**
   * Headers that are to go out one by one, of those that stand together in one column, as in the table of
   * `outbox()`. Each gets a column, by the `sql` of the connector. Default: none, all go out as one.
   */
  readonly headers?: readonly string[]
}

/** What `POST /connectors` of Kafka Connect takes, and what to know before. */
export interface DebeziumConnector {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
  readonly notes: readonly string[]
  /** What the table needs first, if `headers` named some. */
  readonly sql: string | undefined
}

const KAFKA = 'org.apache.kafka.connect'
const { names } = kafkaBinding

/** What Debezium adds by itself. */
const OWN_HEADERS = [
  'id',
  ...['connectorName', 'connectorLogicalName', 'taskId', 'runId'].map(
    (name) => `__debezium.context.${name}`,
  ),
]

/**
 * The configuration of Debezium's connector for PostgreSQL with its outbox event router, that sends the
 * messages of an outbox as its relay would: same topic, key, headers and payload. Throws a
 * `DefinitionError` for a definition that computes what it sends.
 */
export function debeziumConnector<Row>(
  outbox: Outbox<Row>,
  options: DebeziumOptions,
): DebeziumConnector {
  checkOutbox(outbox)
  const found = messageColumns(outbox)
  const split = headerColumns(outbox, found, options.headers ?? [])
  const columns = split.length > 0 ? withHeaders(found, split) : found
  const name = `posthorn-${outbox.table.replaceAll(/[._]/g, '-')}`
  const slot = name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')
  const config = {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'tasks.max': '1',
    ...databaseFields(options.databaseUrl),
    'topic.prefix': name,
    'plugin.name': 'pgoutput',
    'slot.name': slot,
    'publication.name': slot,
    'publication.autocreate.mode': 'filtered',
    'table.include.list': outbox.table,
    'snapshot.mode': 'no_data',
    'skipped.operations': 'u,d,t',
    'tombstones.on.delete': 'false',
    // Its default is half a second, which every message would wait for.
    'poll.interval.ms': '5',
    // Without it an outbox at rest keeps the log of a busy database.
    'heartbeat.interval.ms': '10000',
    'key.converter': `${KAFKA}.storage.StringConverter`,
    'value.converter': `${KAFKA}.storage.StringConverter`,
    'header.converter': `${KAFKA}.storage.StringConverter`,
    ...transforms(columns, outbox, options.source ?? 'posthorn'),
  }
  const sql =
    found.headers.kind === 'column' && split.length > 0
      ? headerColumnsSql(outbox.table, found.headers.column, split)
      : undefined
  return { name, config, notes: notesOn(columns, outbox), sql }
}

/** Debezium's list of columns is divided by commas and colons. */
const HEADER = /^[\w.-]+$/

/** The column that each of these headers gets. */
function headerColumns<Row>(
  outbox: Outbox<Row>,
  { headers }: MessageColumns,
  wanted: readonly string[],
): HeaderColumn[] {
  const refuse = (problem: string): never => {
    throw new DefinitionError(outbox.name, 'headers', problem)
  }
  if (wanted.length > 0 && headers.kind === 'parts') {
    refuse('stand in columns of their own already, or are constant')
  }
  const own = new Set<string>([...Object.values(names), 'content-type'])
  const byColumn = new Map<string, string>()
  for (const header of wanted) {
    if (!HEADER.test(header)) refuse(`"${header}" must be letters, digits, "_", "-" and "."`)
    if (own.has(header)) refuse(`"${header}" is written by Posthorn itself`)
    const column = `header_${header.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`.slice(0, 63)
    const other = byColumn.get(column)
    if (other !== undefined) refuse(`"${other}" and "${header}" would share the column ${column}`)
    byColumn.set(column, header)
  }
  return [...byColumn].map(([column, header]) => ({ header, column }))
}

function withHeaders(columns: MessageColumns, split: readonly HeaderColumn[]): MessageColumns {
  const parts = split.map(({ header, column }) => [header, { column }] as const)
  const rest = [names.posthornheaders, { column: OTHER_HEADERS }] as const
  return { ...columns, headers: { kind: 'parts', parts: [...parts, rest] } }
}

/** What a relay does to a message and a connector does not. */
function checkOutbox<Row>(outbox: Outbox<Row>): void {
  const { name, encrypt, upcasters, confirmWithinMs, states, log } = outbox
  const refuse = (field: string, problem: string): never => {
    throw new DefinitionError(name, field, problem)
  }
  if (log !== undefined) refuse('storage', 'messages of a log have a table and columns of its own')
  if (encrypt) refuse('encrypt', 'relays decrypt, Debezium does not')
  if (Object.keys(upcasters).length > 0) refuse('upcasters', 'relays run them, Debezium does not')
  if (confirmWithinMs !== undefined || states.confirmed !== undefined) {
    refuse('confirm', 'nothing would be confirmed: Debezium writes nothing back')
  }
}

function databaseFields(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, pathname } = new URL(databaseUrl)
  return {
    'database.hostname': hostname,
    'database.port': port || '5432',
    'database.user': decodeURIComponent(username),
    'database.password': '${env:DATABASE_PASSWORD}',
    'database.dbname': decodeURIComponent(pathname.slice(1)),
  }
}

interface Step {
  readonly name: string
  readonly fields: Readonly<Record<string, string>>
}

/** The router, then headers for what is constant, then the payload by itself. */
function transforms<Row>(
  columns: MessageColumns,
  { columns: { createdAt } }: Outbox<Row>,
  source: string,
): Record<string, string> {
  const { topic, key, id, occurredAt = createdAt } = columns
  // The id goes through the envelope, so that there is one: a constant text can only be put there.
  const placed: string[] = [`${id}:envelope:${names.id}`]
  const constants: Step[] = []
  const place = (header: string, part: Part | undefined): void => {
    if (part === undefined) return
    if ('column' in part) placed.push(`${part.column}:header:${header}`)
    else constants.push(insertHeader(header, part.constant))
  }
  const columnPart = (column: string | undefined) => (column === undefined ? undefined : { column })
  place(names.type, columns.type)
  place(names.time, columnPart(occurredAt))
  place(names.partitionkey, columnPart(key))
  place(names.tenant, columns.tenant)
  place(names.traceparent, columnPart(columns.traceparent))
  place(names.posthornversion, columns.version)
  place(names.source, { constant: source })
  place('content-type', { constant: 'application/json' })
  if (columns.headers.kind === 'column') place(names.posthornheaders, columns.headers)
  else for (const [header, part] of columns.headers.parts) place(header, part)
  const steps: Step[] = [
    {
      name: 'outbox',
      fields: {
        type: 'io.debezium.transforms.outbox.EventRouter',
        'table.field.event.id': id,
        'table.field.event.key': key ?? id,
        'table.field.event.payload': columns.payload,
        'table.fields.additional.placement': placed.join(','),
        // It routes by a column in any case; the id is never null.
        'route.by.field': topic.column ?? id,
        'route.topic.replacement':
          topic.before + (topic.column === undefined ? '' : '${routedByValue}') + topic.after,
      },
    },
    {
      // `InsertHeader` would make the number 1 of it.
      name: 'specversion',
      fields: {
        type: `${KAFKA}.transforms.InsertField$Value`,
        'static.field': names.specversion,
        'static.value': '1.0',
      },
    },
    {
      name: 'envelope',
      fields: {
        type: `${KAFKA}.transforms.HeaderFrom$Value`,
        fields: `${names.id},${names.specversion}`,
        headers: `${names.id},${names.specversion}`,
        operation: 'copy',
      },
    },
    {
      name: 'payload',
      fields: { type: `${KAFKA}.transforms.ExtractField$Value`, field: 'payload' },
    },
    {
      // The router's and the connector's own, which a relay does not send.
      name: 'own',
      fields: { type: `${KAFKA}.transforms.DropHeaders`, headers: OWN_HEADERS.join(',') },
    },
    ...constants,
  ]
  return {
    predicates: 'heartbeat',
    'predicates.heartbeat.type': `${KAFKA}.transforms.predicates.TopicNameMatches`,
    'predicates.heartbeat.pattern': '__debezium-heartbeat.*',
    transforms: steps.map(({ name }) => name).join(','),
    ...Object.fromEntries(
      steps.flatMap(({ name, fields }) =>
        Object.entries({ ...fields, predicate: 'heartbeat', negate: 'true' }).map(
          ([field, value]) => [`transforms.${name}.${field}`, value],
        ),
      ),
    ),
  }
}

function insertHeader(header: string, value: string): Step {
  return {
    name: `header-${header}`,
    fields: { type: `${KAFKA}.transforms.InsertHeader`, header, 'value.literal': value },
  }
}

/** What is not as with a relay, and what has to be there. */
function notesOn<Row>({ occurredAt, key, headers }: MessageColumns, outbox: Outbox<Row>): string[] {
  const { columns, audit, table } = outbox
  return [
    'PostgreSQL needs wal_level = logical, and the user REPLICATION and the table.',
    'Kafka Connect reads the password from its environment (DATABASE_PASSWORD): set config.providers=env.',
    `Stop the relays of ${outbox.name} once they have sent what was there before; until then both send, with the same ids.`,
    "Spelled otherwise than by a relay: JSON has PostgreSQL's spaces, a time as many digits as its column, and a column that is null makes a header without a value, which Posthorn's consumers take for none.",
    `Rows stay in ${table} as they were written: delete old ones yourself. No retries, dead letters or delays: every row goes out when its transaction commits.`,
    ...(key === undefined
      ? ['Messages have no key: Debezium sends the id as the key.']
      : outbox.order
        ? []
        : [`Where ${key} is null, Debezium sends the row's primary key as the key.`]),
    ...(occurredAt === undefined
      ? [
          columns.createdAt === undefined
            ? 'There is no column with the time of a message: consumers see when Kafka got it.'
            : `The time of a message is ${columns.createdAt}; a relay takes it from the id.`,
        ]
      : []),
    ...(headers.kind === 'column'
      ? [
          `The headers in ${headers.column} go out as one, ${names.posthornheaders}; Posthorn's consumers take it apart, others must do it themselves. Those that are named by --headers go out one by one, as from a relay.`,
        ]
      : []),
    ...(headers.kind === 'parts' &&
    headers.parts.some(([header]) => header === names.posthornheaders)
      ? [
          `The table needs its columns for headers before the connector starts: see --sql. Headers without one go out together, as ${names.posthornheaders}.`,
        ]
      : []),
    ...(audit.claimed || audit.settled ? ['The hooks of `audit` are not called.'] : []),
  ]
}
