import type { Duration } from '../duration.ts'
import {
  asOneCall,
  enqueue,
  enqueueAll,
  type Enqueued,
  type EnqueueOptions,
  type NewRow,
} from '../enqueue/enqueue.ts'
import { checkWord } from '../enqueue/message-limits.ts'
import type { Transaction } from '../database/transaction.ts'
import { DefinitionError } from '../errors.ts'
import { defineOutbox as checkedOutbox, type Outbox } from '../outbox/define.ts'
import type { OutboxDefinition } from '../outbox/definition.ts'
import { checkObject } from '../outbox/definition-shape.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import type { Occurrence, Recurring } from '../outbox/recurring.ts'
import {
  handlers,
  type Handlers,
  type HandlersByType,
  type HandlersOptions,
  type OutsideHandlersByType,
  type OutsideOptions,
} from './handlers.ts'
import {
  checkPayload,
  checkSchemas,
  type Schemas,
  type StorablePayloads,
} from './payload-schema.ts'

/** What a message has besides its type and payload. */
export interface DraftOptions {
  readonly key?: string
  readonly tenant?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A second message with this word is not stored; the answer has the id of the first. Not in a log. */
  readonly dedupe?: string
  /** Smaller ones go first. Needs a priority column. Default 0. */
  readonly priority?: number
  /** Not before this long from now, by the business clock. */
  readonly delay?: Duration
}

export type Keyed = DraftOptions & { readonly key: string }

/** A message to be enqueued, for any of the outbox's types. */
export type Draft<Events extends object, Options = DraftOptions> = {
  readonly [Type in keyof Events & string]: { readonly type: Type; readonly payload: Events[Type] }
}[keyof Events & string] &
  Omit<Options, 'delay'>

/** How `enqueue(tx, type, payload)` writes a message into a table of your own. */
export interface Drafts<Row, Events extends object> {
  /** Where an ordered outbox finds a message's key: `key` (default), or a property such as `payload.order`. */
  readonly key?: OrderedBy<Events>
  /** What checks the payloads of a type at `enqueue`: zod, valibot, or another Standard Schema. */
  readonly schemas?: Schemas<Events>
  /** Pure: a message as a row. A column that is undefined gets its default. */
  row(draft: Drafted<Events>): DraftRow<Row>
}

/** A message that was checked, with its key. */
export interface Drafted<Events extends object> {
  readonly type: keyof Events & string
  readonly payload: Events[keyof Events & string]
  readonly key: string | undefined
  readonly tenant: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly dedupe: string | undefined
  readonly priority: number | undefined
}

type DraftRow<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined }

/** Writes messages given by type and payload. */
export interface EnqueuesDrafts<Events extends object, Options extends DraftOptions> {
  /** Writes a message in the caller's transaction: it is delivered if and only if that commits. */
  // oxlint-disable-next-line max-params -- the sentence people say
  enqueue<Type extends keyof Events & string>(
    tx: Transaction,
    type: Type,
    payload: Events[Type],
    ...options: Options extends Keyed ? [Options] : [Options?]
  ): Promise<Enqueued>
  /** The same for many, in one statement. */
  enqueueAll(tx: Transaction, drafts: readonly Draft<Events, Options>[]): Promise<Enqueued[]>
}

/** Writes messages given as rows. */
interface EnqueuesRows<Row, New> {
  /** Writes a message in the caller's transaction: it is delivered if and only if that commits. */
  enqueue(tx: Transaction, row: NewRow<Row, New>, options?: EnqueueOptions): Promise<Enqueued>
  /** The same for many, in one statement. */
  enqueueAll(
    tx: Transaction,
    rows: readonly NewRow<Row, New>[],
    options?: EnqueueOptions,
  ): Promise<Enqueued[]>
}

export interface Handles<Events extends object> {
  /** Says which function of this process handles which type, for `posthorn({ handlers })`. */
  handle(byType: OutsideHandlersByType<Events>, options: OutsideOptions): Handlers
  handle(byType: HandlersByType<Events>, options?: HandlersOptions): Handlers
  /** Never there: carries the type of the events. */
  readonly events?: Events
}

/** An outbox on a table of your own, with what an application calls. */
export type DefinedOutbox<Row, New = Partial<Row>, Events extends object = never> = Outbox<
  Row,
  New
> &
  ([Events] extends [never]
    ? Handles<Record<string, unknown>> & EnqueuesRows<Row, New>
    : Handles<Events> & EnqueuesDrafts<Events, DraftOptions>)

type Drafting<Row, Events extends object> = [Events] extends [never]
  ? { readonly drafts?: never }
  : { readonly drafts: Drafts<Row, Events> } & StorablePayloads<Events>

/**
 * Checks a definition and makes the outbox. Throws a `DefinitionError` that names the field.
 *
 * `Row` is a row as the database has it, with the names of its columns. `New` is what a message must be enqueued
 * with, as an ORM's type for inserts says; by default any part of a row. With `Events`, payloads by type, the
 * definition has `drafts`, and `enqueue` takes type and payload.
 *
 * Defaults: `claim: { batch: 100, every: '5s', lease: '30s', attempt: '5m', atOnce: 200 }`, `states.retry` =
 * `states.ready`, `columns: { id: 'id', status: 'status' }`, `storage: 'table'`, `audit.record: 'all'`
 * (`failures` in a log), no breaker, no order, no retention, no encryption.
 */
export function defineOutbox<Row, New = Partial<Row>, Events extends object = never>(
  definition: OutboxDefinition<Row, New> & Drafting<Row, Events>,
): DefinedOutbox<Row, New, Events> {
  const { drafts, ...rest } = (definition ?? {}) as unknown as AnyDefinition
  const box = drafts === undefined ? withRows(rest) : withDrafts(rest, drafts)
  return box as unknown as DefinedOutbox<Row, New, Events>
}

type AnyDefinition = OutboxDefinition<OutboxRow> & { readonly drafts?: AnyDrafts }

function withRows(definition: OutboxDefinition<OutboxRow>) {
  const box = checkedOutbox(definition)
  return Object.assign(box, handling(box), {
    enqueue: (tx: Transaction, row: never, options?: EnqueueOptions) =>
      enqueue(tx, box, row, options),
    enqueueAll: (tx: Transaction, rows: readonly never[], options?: EnqueueOptions) =>
      enqueueAll(tx, box, rows, options),
  })
}

type AnyDraft = DraftOptions & { readonly type: string; readonly payload: unknown }
type AnyDrafts = Drafts<OutboxRow, Record<string, unknown>>

function withDrafts(definition: OutboxDefinition<OutboxRow>, drafts: AnyDrafts) {
  checkDrafts(definition.name, drafts)
  const rowOf = async (draft: AnyDraft): Promise<Partial<OutboxRow>> => {
    checkDraft(box.name, draft)
    const { type, tenant, headers } = draft
    checkWord(box.name, 'key', draft.key)
    const payload = await checkPayload(box.name, drafts.schemas, draft)
    const key = box.order ? keyOf(box.name, drafts.key ?? 'key', { ...draft, payload }) : draft.key
    const dedupe = checkDedupe(box, draft.dedupe)
    return drafts.row({
      ...{ type, payload, key, tenant, headers, dedupe },
      priority: checkPriority(box, draft.priority),
    })
  }
  const recurring = definition.recurring as Readonly<Record<string, unknown>> | undefined
  const box: Outbox = checkedOutbox({
    ...definition,
    ...(recurring && {
      recurring: recurringRows(recurring as Readonly<Record<string, RecurringDraft>>, rowOf),
    }),
  })
  const write = (tx: Transaction, all: readonly AnyDraft[], delay?: Duration) =>
    asOneCall(tx, async () => {
      const rows = await Promise.all(all.map(rowOf))
      return enqueueAll(tx, box, rows, delay === undefined ? {} : { delay })
    })
  return Object.assign(box, handling(box), {
    schemas: drafts.schemas ?? {},
    // oxlint-disable-next-line max-params -- as above
    async enqueue(tx: Transaction, type: string, payload: unknown, given: DraftOptions = {}) {
      const { delay, ...draft } = given
      const [enqueued] = await write(tx, [{ ...draft, type, payload }], delay)
      return enqueued as Enqueued
    },
    enqueueAll: (tx: Transaction, all: readonly never[]) => write(tx, all),
  })
}

function handling(box: Outbox) {
  return {
    handle: (byType: object, options?: HandlersOptions) => handlers(box, byType, options),
  }
}

type RecurringDraft = Omit<Recurring<OutboxRow>, 'message'> & {
  message(occurrence: Occurrence): AnyDraft | Promise<AnyDraft>
}

/** What recurs is checked as what is enqueued by hand. */
function recurringRows(
  recurring: Readonly<Record<string, RecurringDraft>>,
  rowOf: (draft: AnyDraft) => Promise<Partial<OutboxRow>>,
): Record<string, Recurring<OutboxRow>> {
  return Object.fromEntries(
    Object.entries(recurring).map(([name, each]) => [
      name,
      {
        ...each,
        ...(typeof each.message === 'function' && {
          message: async (occurrence: Occurrence) => rowOf(await each.message(occurrence)),
        }),
      } as Recurring<OutboxRow>,
    ]),
  )
}

/** Runtime check for JavaScript callers. */
function checkDrafts(name: string, drafts: AnyDrafts): void {
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError(name, field, problem)
  }
  const fields = { row: 'needed', key: 'optional', schemas: 'optional' } as const
  checkObject(drafts, fields, { prefix: 'drafts.', wrong })
  if (drafts.key !== undefined && !isOrderedBy(drafts.key)) wrong('order', ORDERED_BY)
  checkSchemas(name, drafts.schemas)
}

const DRAFT = ['type', 'payload', 'key', 'tenant', 'headers', 'dedupe', 'priority']

/** A misspelt option would go unnoticed: a message sent at once, or without its dedupe word. */
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

function checkPriority({ name, columns }: Outbox, priority: number | undefined) {
  if (columns.priority !== undefined || priority === undefined) return priority
  throw new DefinitionError(name, 'priority', 'needs priority: true in the definition')
}

function checkDedupe({ name, log }: Outbox, dedupe: string | undefined) {
  if (log === undefined || dedupe === undefined) return dedupe
  throw new DefinitionError(name, 'dedupe', 'must be left out: a log has no unique index')
}

/** What an outbox is ordered by: the key that each `enqueue` names, or a property of the payload. */
export type OrderedBy<Events extends object> = 'key' | `payload.${PayloadProperty<Events>}`

/** A property that the payload of every type has; any, where payloads have no types. */
type PayloadProperty<Events extends object> = unknown extends Events[keyof Events]
  ? string
  : keyof Events[keyof Events] & string

export const ORDERED_BY =
  'must be "key", a property of the payload like "payload.order", or left out'

/** Whether a text says what to order by: `key`, or `payload.` and the properties on the way. */
export function isOrderedBy(text: unknown): boolean {
  return typeof text === 'string' && /^(key|payload(\.[\w-]{1,63})+)$/.test(text)
}

/** The key of a message: the option, or the property of its payload. */
function keyOf(
  name: string,
  by: string,
  { type, payload, key }: { type: string; payload: unknown; key?: string },
): string {
  if (by === 'key') {
    if (typeof key === 'string' && key !== '') return key
    const form = `enqueue(tx, '${type}', payload, { key: '7' })`
    throw new DefinitionError(name, 'key', `${type} needs one, as text: ${form}`)
  }
  if (key !== undefined) {
    throw new DefinitionError(name, 'key', `must be left out: the order is by ${by}`)
  }
  const found = valueAt(payload, by.split('.').slice(1))
  if ((typeof found === 'string' && found !== '') || typeof found === 'number') return String(found)
  throw new DefinitionError(name, by, `${type} needs it, as text or a number`)
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
