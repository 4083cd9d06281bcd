import { DefinitionError, type Outbox } from '@posthorn/engine'

/** A part of a message: always the same, or what stands in a column. */
export type Part = { readonly column: string } | { readonly constant: string }

/** Where the parts of an outbox's messages stand in its table. */
export interface MessageColumns {
  readonly id: string
  readonly type: Part
  readonly payload: string
  readonly key: string | undefined
  readonly tenant: Part | undefined
  readonly traceparent: string | undefined
  readonly version: Part
  /** Undefined: the definition leaves it to the id. */
  readonly occurredAt: string | undefined
  /** One column that holds all headers, or a part for each. */
  readonly headers:
    | { readonly kind: 'column'; readonly column: string }
    | { readonly kind: 'parts'; readonly parts: readonly (readonly [string, Part])[] }
  /** Without a column it is always the same. */
  readonly topic: {
    readonly before: string
    readonly column: string | undefined
    readonly after: string
  }
}

/** No column's value looks like this, so what comes out of `message` says where it came from. */
const marked = (column: string): string => `\ue000${column}\ue000`
const MARKED = /^\ue000([^\ue000]+)\ue000$/
const CONTAINS_MARKED = /^([^\ue000]*)\ue000([^\ue000]+)\ue000([^\ue000]*)$/

/**
 * Finds the columns by giving `message` a row that says of each value which column it is. Throws a
 * `DefinitionError` for a part that is computed: there is code in the way, which no connector runs.
 */
export function messageColumns<Row>(outbox: Outbox<Row>): MessageColumns {
  const refuse = (field: string, problem: string): never => {
    throw new DefinitionError(outbox.name, field, problem)
  }
  const row = new Proxy(
    {},
    {
      get: (_, column) => (typeof column === 'string' ? marked(column) : undefined),
    },
  ) as Row
  const message = run(outbox, () => outbox.message(row))
  const columnOf = (field: string, value: unknown): string =>
    columnIn(value) ?? refuse('message', `${field} is computed; only a column as it is can be sent`)
  const partOf = (field: string, value: unknown): Part => {
    const column = columnIn(value)
    if (column !== undefined) return { column }
    const isPlain = typeof value === 'string' || typeof value === 'number'
    if (isPlain && !String(value).includes('\ue000')) return { constant: String(value) }
    return refuse('message', `${field} is computed; only a column or a constant can be sent`)
  }
  const { key, tenant, version = 1, headers = {}, occurredAt, traceparent } = message
  const headersColumn = columnIn(headers)
  return {
    id: columnOf('id', message.id),
    type: partOf('type', message.type),
    payload: columnOf('payload', message.payload),
    key: key === undefined ? outbox.order?.key : columnOf('key', key),
    tenant: tenant === undefined ? undefined : partOf('tenant', tenant),
    traceparent:
      traceparent === undefined ? outbox.columns.traceparent : columnOf('traceparent', traceparent),
    version: partOf('version', version),
    occurredAt: occurredAt === undefined ? undefined : columnOf('occurredAt', occurredAt),
    headers:
      headersColumn === undefined
        ? {
            kind: 'parts',
            parts: Object.entries(headers).map(
              ([name, value]) => [name, partOf(`headers.${name}`, value)] as const,
            ),
          }
        : { kind: 'column', column: headersColumn },
    topic: topicOf(outbox, row) ?? refuse('destination', 'the topic is computed'),
  }
}

function columnIn(value: unknown): string | undefined {
  return typeof value === 'string' ? MARKED.exec(value)?.[1] : undefined
}

/** A topic may be a constant, or have a column's value in it. */
function topicOf<Row>(outbox: Outbox<Row>, row: Row): MessageColumns['topic'] | undefined {
  const { destination } = outbox
  const { topic } =
    typeof destination === 'function' ? run(outbox, () => destination(row)) : destination
  if (!topic.includes('\ue000')) return { before: topic, column: undefined, after: '' }
  const [, before = '', column, after = ''] = CONTAINS_MARKED.exec(topic) ?? []
  return column === undefined ? undefined : { before, column, after }
}

function run<Result>({ name }: { readonly name: string }, compute: () => Result): Result {
  try {
    return compute()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DefinitionError(name, 'message', `computes what it sends (${reason})`)
  }
}
