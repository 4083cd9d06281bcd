import type { TableName } from '../database/sql-names.ts'
import { DefinitionError } from '../errors.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Order, OutboxDefinition, Retention } from '../outbox/definition.ts'
import type { Occurrence, RecurringRule } from '../outbox/recurring.ts'
import { inSql } from '../outbox/resolved-definition.ts'
import { exponential, type EndingPolicy } from '../outbox/retry.ts'
import type { Destination } from '../outbox/transport.ts'
import {
  defineOutbox,
  isOrderedBy,
  ORDERED_BY,
  type Draft,
  type Drafted,
  type DraftOptions,
  type Drafts,
  type EnqueuesDrafts,
  type Handles,
  type Keyed,
  type OrderedBy,
} from './define-outbox.ts'
import { HANDLERS } from './handlers.ts'
import type { AnySchemas, Inputs, Payloads, Schemas, Storable } from './payload-schema.ts'
import { printDefinition } from './print-definition.ts'
import { standardTableSql } from './standard-table.sql.ts'

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
  /** When finished messages leave the table. Default `{ after: '30d', archive: '0d' }`: deleted after 30 days. */
  readonly retention?: Retention
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
  message(occurrence: Occurrence): Draft<Events> | Promise<Draft<Events>>
}

/** The key is in the payload. */
type KeyedByPayload = Omit<DraftOptions, 'key'>

type OptionsBy<By> = By extends 'key'
  ? Keyed
  : By extends `payload.${string}`
    ? KeyedByPayload
    : DraftOptions

/** An outbox on a table of its own making, typed by what it carries. */
export interface StandardOutbox<
  Events extends object = Record<string, unknown>,
  Options extends DraftOptions = DraftOptions,
  Given extends object = Events,
>
  extends Outbox<StandardRow>, Handles<Events>, EnqueuesDrafts<Given, Options> {
  /** The table, the engine's columns and indexes: for a migration, or for `setUp`. */
  tableSql(): string
  /** This outbox as a call of `defineOutbox`, to paste and edit. */
  source(): string
}

/**
 * An outbox with a table made for it: the short form of `defineOutbox`, which it expands to. `source`
 * prints that, so that growing out of it is editing.
 */
export function outbox<const Given extends AnySchemas, const By extends string | undefined>(
  table: Storable<Payloads<Given>, TableName>,
  options: Omit<StandardOptions<Payloads<Given>>, 'schemas' | 'order'> & {
    readonly schemas: Given
    readonly order?: By & OrderedBy<Payloads<Given>>
  },
): StandardOutbox<Payloads<Given>, OptionsBy<By>, Inputs<Given>>
export function outbox<Events extends object = Record<string, unknown>>(
  table: Storable<Events, TableName>,
  options: StandardOptions<Events> & { readonly order: 'key' },
): StandardOutbox<Events, Keyed>
export function outbox<Events extends object = Record<string, unknown>>(
  table: Storable<Events, TableName>,
  options: StandardOptions<Events> & { readonly order: `payload.${string}` },
): StandardOutbox<Events, KeyedByPayload>
export function outbox<Events extends object = Record<string, unknown>>(
  table: Storable<Events, TableName>,
  options?: StandardOptions<Events>,
): StandardOutbox<Events>
export function outbox(table: TableName, options: StandardOptions<Any> = {}): StandardOutbox {
  checkOptions(table, options)
  const definition = expand(table, options)
  const box = defineOutbox<StandardRow, Draft<Any>, Any>(definition as Expanded)
  return Object.assign(box, {
    tableSql: () => standardTableSql(inSql(box)),
    source: () => printDefinition(definition, standardTableSql(inSql(box))),
  })
}

type Any = Record<string, unknown>
type Expanded = OutboxDefinition<StandardRow, Draft<Any>> & {
  readonly drafts: Drafts<StandardRow, Any>
}

/** The whole definition that the short form stands for. */
function expand(table: TableName, options: StandardOptions<Any>) {
  const name = options.name ?? nameOf(table)
  const { order, dead = 'block', serialise, priority, attempts, schemas, ...rest } = options
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
    retention: options.retention ?? { after: '30d', archive: '0d' },
    destination: options.destination ?? { transport: HANDLERS, topic: name },
    message: ({
      id,
      type,
      payload,
      key,
      tenant,
      headers,
      created_at: occurredAt,
    }: StandardRow) => ({
      id,
      type,
      payload,
      key: key ?? undefined,
      tenant: tenant ?? undefined,
      headers: headers ?? {},
      occurredAt,
    }),
    drafts: {
      ...(order && { key: order }),
      ...(schemas && { schemas }),
      row: ({ type, payload, key, tenant, headers, dedupe, priority: first }: Drafted<Any>) => ({
        ...{ type, payload, key, tenant, headers, dedupe },
        ...(priority && { priority: first }),
      }),
    } satisfies Drafts<StandardRow, Any>,
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

/** Runtime check for JavaScript callers. */
function checkOptions(table: string, options: StandardOptions<Any>): void {
  const strange = Object.keys(options).find((field) => !OPTIONS.has(field))
  if (strange !== undefined) {
    throw new DefinitionError(
      table,
      strange,
      `is not an option of outbox(): ${[...OPTIONS].join(', ')}`,
    )
  }
  if (options.order !== undefined && !isOrderedBy(options.order)) {
    throw new DefinitionError(table, 'order', ORDERED_BY)
  }
  if (options.attempts !== undefined && options.retry !== undefined) {
    throw new DefinitionError(
      table,
      'attempts',
      'must be left out: retry sets the number of attempts',
    )
  }
  for (const field of ['dead', 'serialise'] as const) {
    if (options[field] !== undefined && options.order === undefined) {
      throw new DefinitionError(table, field, 'needs order')
    }
  }
}
