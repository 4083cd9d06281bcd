import type { Duration } from '../duration.ts'
import { asOneCall, enqueueAll, type Enqueued } from '../enqueue/enqueue.ts'
import { checkWord } from '../enqueue/message-limits.ts'
import type { Transaction } from '../database/transaction.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import type { Order, OutboxDefinition } from '../outbox/definition.ts'
import type { TableName } from '../database/sql-names.ts'
import type { Occurrence, Recurring, RecurringRule } from '../outbox/recurring.ts'
import { exponential, type EndingPolicy } from '../outbox/retry.ts'
import type { Destination } from '../outbox/transport.ts'
import { standardTableSql } from './standard-table.sql.ts'
import {
  handlers,
  HANDLERS,
  type Handlers,
  type HandlersByType,
  type HandlersOptions,
  type OutsideHandlersByType,
  type OutsideOptions,
} from './handlers.ts'
import {
  checkPayload,
  checkSchemas,
  type AnySchemas,
  type Inputs,
  type Outputs,
  type Schemas,
} from './payload-schema.ts'
import { printDefinition } from './print-definition.ts'
import { inSql } from '../outbox/resolved-definition.ts'
import { DefinitionError } from '../errors.ts'

/** A row of the table that `outbox` makes. */
export interface StandardRow {
  readonly id: string
  readonly type: string
  readonly payload: unknown
  readonly key: string | null
  readonly tenant: string | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly dedupe: string | null
  readonly priority?: number
  readonly status: string
  readonly attempts: number
  readonly due_at: Date
  readonly created_at: Date
  readonly finished_at: Date | null
  readonly error: string | null
  readonly error_code: string | null
  readonly traceparent: string | null
}

/** What `outbox` lets its caller choose; every field but these has one good value. */
export interface StandardOptions<Events extends object> extends Pick<
  OutboxDefinition<StandardRow>,
  | 'label'
  | 'claim'
  | 'limit'
  | 'storage'
  | 'breaker'
  | 'retention'
  | 'unknown'
  | 'upcasters'
  | 'secrets'
  | 'audit'
> {
  /**
   * Messages with the same value go out one after the other: of the key that each `enqueue` names
   * (`key`), or of a property of the payload (`payload.order`), text or a number. Default: none.
   */
  readonly order?: OrderedBy<Events>
  /** What happens behind a dead message of its key. Default `block`. Needs `order`. */
  readonly dead?: Order<StandardRow>['dead']
  /** The table gets a column for it: messages with a smaller one go first. Default false. */
  readonly priority?: boolean
  /** Delivers in the order of commits, also of writers that overlap. Needs `order`. Default false. */
  readonly serialise?: boolean
  /** Attempts in all, 2, 4, 8 … seconds apart. Default 10. */
  readonly attempts?: number
  /** Default: as `attempts` says. */
  readonly retry?: EndingPolicy
  /** Default: the handlers of this process. */
  readonly destination?: Destination | ((row: StandardRow) => Destination)
  /** Default: the table's name in lower case, with "-" for "_". */
  readonly name?: string
  /** What checks the payloads of a type at `enqueue`: zod, valibot, or another Standard Schema. */
  readonly schemas?: Schemas<Events>
  /** Messages that the outbox gives itself, by name: by a calendar, or every so often. */
  readonly recurring?: Readonly<Record<string, RecurringMessage<Events>>>
}

/** As `recurring` of `defineOutbox`, with the message as `enqueueAll` takes it. */
export type RecurringMessage<Events extends object> = RecurringRule & {
  readonly missed?: 'latest' | 'all' | 'skip'
  message(
    occurrence: Occurrence,
  ): Draft<Events, DraftOptions> | Promise<Draft<Events, DraftOptions>>
}

/** What a message has beside its type and payload. */
export interface DraftOptions {
  readonly key?: string
  readonly tenant?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A second message with this word is not stored; the answer has the id of the first. Not in a log. */
  readonly dedupe?: string
  /** Smaller ones go first. Needs `priority: true` of the outbox. Default 0. */
  readonly priority?: number
  /** Not before this long from now, by the business clock. */
  readonly delay?: Duration
}

type Keyed = DraftOptions & { readonly key: string }

/** The key is in the payload. */
type KeyedByPayload = Omit<DraftOptions, 'key'>

type OptionsBy<By> = By extends 'key'
  ? Keyed
  : By extends `payload.${string}`
    ? KeyedByPayload
    : DraftOptions

/** A message to be enqueued, for any of the outbox's types. */
export type Draft<Events extends object, Options> = {
  readonly [Type in keyof Events & string]: { readonly type: Type; readonly payload: Events[Type] }
}[keyof Events & string] &
  Omit<Options, 'delay'>

/** An outbox on a table of its own making, typed by what it carries. */
export interface StandardOutbox<
  Events extends object = Record<string, unknown>,
  Options extends DraftOptions = DraftOptions,
  Given extends object = Events,
> extends Outbox<StandardRow> {
  /** Writes a message in the caller's transaction: it is delivered if and only if that commits. */
  // oxlint-disable-next-line max-params -- the sentence people say
  enqueue<Type extends keyof Given & string>(
    tx: Transaction,
    type: Type,
    payload: Given[Type],
    ...options: Options extends Keyed ? [Options] : [Options?]
  ): Promise<Enqueued>
  /** The same for many, in one statement. */
  enqueueAll(tx: Transaction, drafts: readonly Draft<Given, Options>[]): Promise<Enqueued[]>
  /** Says which function of this process handles which type, for `posthorn(pool, …)`. */
  handle(byType: OutsideHandlersByType<Events>, options: OutsideOptions): Handlers
  handle(byType: HandlersByType<Events>, options?: HandlersOptions): Handlers
  /** The table, the engine's columns and indexes: for a migration, or for `setUp`. */
  tableSql(): string
  /** This outbox as `defineOutbox` would have it, as TypeScript: where there is more to say. */
  source(): string
  /** Never there: carries the type of the events. */
  readonly events?: Events
}

/**
 * An outbox with a table made for it: the short form of `defineOutbox`, which it expands to. `source`
 * prints that, so that growing out of it is editing.
 */
export function outbox<const Given extends AnySchemas, const By extends string | undefined>(
  table: TableName,
  options: Omit<StandardOptions<Outputs<Given>>, 'schemas' | 'order'> & {
    readonly schemas: Given
    readonly order?: By & OrderedBy<Outputs<Given>>
  },
): StandardOutbox<Outputs<Given>, OptionsBy<By>, Inputs<Given>>
export function outbox<Events extends object = Record<string, unknown>>(
  table: TableName,
  options: StandardOptions<Events> & { readonly order: 'key' },
): StandardOutbox<Events, Keyed>
export function outbox<Events extends object = Record<string, unknown>>(
  table: TableName,
  options: StandardOptions<Events> & { readonly order: `payload.${string}` },
): StandardOutbox<Events, KeyedByPayload>
export function outbox<Events extends object = Record<string, unknown>>(
  table: TableName,
  options?: StandardOptions<Events>,
): StandardOutbox<Events>
export function outbox<Events extends object>(
  table: TableName,
  options: StandardOptions<Events> = {},
): StandardOutbox<Events> {
  checkOptions(table, options)
  const definition = expand(table, options)
  const rowOf = async (draft: AnyDraft): Promise<Partial<StandardRow>> => {
    checkDraft(box.name, draft)
    const { type, key, tenant, headers, dedupe, priority } = draft
    checkWord(box.name, 'key', key)
    const payload = await checkPayload(box.name, options.schemas, draft)
    const row = {
      type,
      payload,
      key: keyOf(box.name, options.order, { type, payload, key }),
      tenant,
      headers,
      dedupe: checkDedupe(box, dedupe),
      priority: checkPriority(box, priority),
    }
    // A field that is undefined is left to the column's default.
    return row as Partial<StandardRow>
  }
  const box: Outbox<StandardRow> = defineOutbox<StandardRow>({
    ...definition,
    ...(options.recurring && { recurring: checkedRecurring(options.recurring, rowOf) }),
  })
  const write = (tx: Transaction, drafts: readonly AnyDraft[], delay?: Duration) =>
    asOneCall(tx, async () => {
      const rows = await Promise.all(drafts.map(rowOf))
      return enqueueAll(tx, box, rows, delay === undefined ? {} : { delay })
    })
  return Object.assign(box, {
    // oxlint-disable-next-line max-params -- as above
    async enqueue(tx: Transaction, type: string, payload: unknown, given: DraftOptions = {}) {
      const { delay, ...draft } = given
      const [enqueued] = await write(tx, [{ ...draft, type, payload }], delay)
      return enqueued as Enqueued
    },
    enqueueAll: (tx: Transaction, drafts: readonly never[]) => write(tx, drafts),
    handle: (byType: object, given?: HandlersOptions) => handlers(box, byType, given),
    tableSql: () => standardTableSql(inSql(box)),
    source: () => printDefinition(definition, standardTableSql(inSql(box))),
  })
}

type AnyDraft = DraftOptions & { readonly type: string; readonly payload: unknown }

/** What recurs is checked as what is enqueued by hand. */
function checkedRecurring<Events extends object>(
  recurring: Readonly<Record<string, RecurringMessage<Events>>>,
  rowOf: (draft: AnyDraft) => Promise<Partial<StandardRow>>,
): Record<string, Recurring<StandardRow>> {
  return Object.fromEntries(
    Object.entries(recurring).map(([name, each]) => [
      name,
      {
        ...each,
        ...(typeof each.message === 'function' && {
          message: async (occurrence: Occurrence) => rowOf(await each.message(occurrence)),
        }),
      },
    ]),
  )
}

/** The whole definition that the short form stands for. */
function expand<Events extends object>(
  table: TableName,
  options: StandardOptions<Events>,
): OutboxDefinition<StandardRow> {
  const name = options.name ?? nameOf(table)
  const { order, dead = 'block', serialise, priority, attempts, schemas: _, ...rest } = options
  return {
    ...rest,
    name,
    table,
    states: { ready: 'pending', sent: 'sent', dead: 'dead', cancelled: 'cancelled' },
    columns: {
      type: 'type',
      tenant: 'tenant',
      dueAt: 'due_at',
      createdAt: 'created_at',
      finishedAt: 'finished_at',
      error: 'error',
      errorCode: 'error_code',
      traceparent: 'traceparent',
      ...(rest.storage !== 'log' && { dedupe: ['dedupe'] }),
      ...(priority && { priority: 'priority' as const }),
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: options.retry ?? exponential('2s', { attempts: attempts ?? 10 }),
    ...(order && {
      order: { key: 'key', dead, ...(serialise !== undefined && { serialise }) } as const,
    }),
    destination: options.destination ?? { transport: HANDLERS, topic: name },
    message: ({ id, type, payload, key, tenant, headers, created_at: occurredAt }) => ({
      id,
      type,
      payload,
      key: key ?? undefined,
      tenant: tenant ?? undefined,
      headers: headers ?? {},
      occurredAt,
    }),
  }
}

/** `public.OutboxEvent` and `public.outbox_event` are `public.outbox-event`. */
function nameOf(table: string): string {
  return table
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

const OPTIONS: ReadonlySet<string> = new Set<keyof StandardOptions<object>>([
  'order',
  'dead',
  'serialise',
  'priority',
  'attempts',
  'retry',
  'destination',
  'name',
  'schemas',
  'label',
  'claim',
  'limit',
  'storage',
  'breaker',
  'retention',
  'unknown',
  'upcasters',
  'secrets',
  'audit',
  'recurring',
])

/** For those whom no compiler warns. */
function checkOptions<Events extends object>(
  table: string,
  options: StandardOptions<Events>,
): void {
  const strange = Object.keys(options).find((field) => !OPTIONS.has(field))
  if (strange !== undefined) {
    throw new DefinitionError(
      table,
      strange,
      `is not an option of outbox(): ${[...OPTIONS].join(', ')}`,
    )
  }
  if (options.order !== undefined && !isOrderedBy(options.order)) {
    throw new DefinitionError(
      table,
      'order',
      'must be "key", a property of the payload like "payload.order", or left out',
    )
  }
  checkSchemas(table, options.schemas)
  if (options.attempts !== undefined && options.retry !== undefined) {
    throw new DefinitionError(table, 'attempts', 'must be left out: retry says how many there are')
  }
  for (const field of ['dead', 'serialise'] as const) {
    if (options[field] !== undefined && options.order === undefined) {
      throw new DefinitionError(table, field, `needs order`)
    }
  }
}

const DRAFT = ['type', 'payload', 'key', 'tenant', 'headers', 'dedupe', 'priority']

/** Misspelt options would go unheard: a message sent at once, or without its dedupe word. */
function checkDraft(name: string, draft: AnyDraft): void {
  const strange = Object.keys(draft).find((field) => !DRAFT.includes(field))
  if (strange === undefined) return
  throw new DefinitionError(
    name,
    strange,
    strange === 'delay'
      ? 'must be left out of enqueueAll(): enqueue() takes it, for one message'
      : `is not an option of enqueue(): ${DRAFT.slice(2).join(', ')}, delay`,
  )
}

function checkPriority({ name, columns }: Outbox<StandardRow>, priority: number | undefined) {
  if (columns.priority !== undefined || priority === undefined) return priority
  throw new DefinitionError(name, 'priority', 'needs priority: true of the outbox')
}

function checkDedupe({ name, log }: Outbox<StandardRow>, dedupe: string | undefined) {
  if (log === undefined || dedupe === undefined) return dedupe
  throw new DefinitionError(name, 'dedupe', 'must be left out: a log has no unique index')
}

/** What an outbox is ordered by: the key that each `enqueue` names, or a property of the payload. */
type OrderedBy<Events extends object> = 'key' | `payload.${PayloadProperty<Events>}`

/** A property that the payload of every type has; any, where payloads have no types. */
type PayloadProperty<Events extends object> = unknown extends Events[keyof Events]
  ? string
  : keyof Events[keyof Events] & string

/** Whether a text says what to order by: `key`, or `payload.` and the properties on the way. */
function isOrderedBy(text: unknown): boolean {
  return typeof text === 'string' && /^(key|payload(\.[\w-]{1,63})+)$/.test(text)
}

/** The key of a message, as the outbox's order says; what it may be without one is the caller's. */
function keyOf(
  name: string,
  order: string | undefined,
  { type, payload, key }: { type: string; payload: unknown; key?: string | undefined },
): string | undefined {
  if (order === undefined) return key
  if (order === 'key') {
    if (typeof key === 'string' && key !== '') return key
    const form = `enqueue(tx, '${type}', payload, { key: '7' })`
    throw new DefinitionError(name, 'key', `${type} needs one, as text: ${form}`)
  }
  if (key !== undefined) {
    throw new DefinitionError(name, 'key', `must be left out: the order is by ${order}`)
  }
  const found = valueAt(payload, order.split('.').slice(1))
  if ((typeof found === 'string' && found !== '') || typeof found === 'number') return String(found)
  throw new DefinitionError(name, order, `${type} needs it, as text or a number`)
}

function valueAt(payload: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, property) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string, unknown>)[property]
        : undefined,
    payload,
  )
}
