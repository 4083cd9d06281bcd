import {
  DefinitionError,
  enqueueAll,
  type Outbox,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import { type NewRow } from '@posthorn/engine/internal'
import { getMessage } from '@posthorn/operate'
import type { AggregateRoot, PendingEvent } from './aggregate-root.ts'

/** An event as a row of its outbox. */
export interface EventRow {
  readonly aggregate: AggregateRoot
  readonly event: PendingEvent
  readonly row: object
}

/** Where events go, and as what. */
export interface EventOutbox {
  /** Rows for all events that an aggregate has raised and that are not committed yet, in order. */
  rowsOf(aggregate: AggregateRoot): EventRow[]
  /** One statement; events of one key keep the order of the array. */
  enqueue(tx: Transaction, events: readonly EventRow[]): Promise<void>
  /** Whether an event was stored, archived ones included. */
  has(db: Queryable, event: PendingEvent): Promise<boolean>
}

/**
 * Binds events to an outbox. `toRow` makes the row of an event, without its id: that is the
 * event's own. Throws a `DefinitionError` if the outbox cannot hold such ids.
 */
export function eventOutbox<Row, New>(
  outbox: Outbox<Row, New>,
  toRow: (event: PendingEvent, aggregate: AggregateRoot) => NewRow<Row, New>,
): EventOutbox {
  const { id, idType } = outbox.columns
  if (idType === 'bigint') {
    throw new DefinitionError(outbox.name, 'columns.idType', 'the id of an event is a UUID')
  }
  return {
    rowsOf: (aggregate) =>
      aggregate.pendingEvents.map((event) => {
        return { aggregate, event, row: { ...toRow(event, aggregate), [id]: event.id } }
      }),
    async enqueue(tx, events) {
      await enqueueAll(tx, outbox, events.map(({ row }) => row) as NewRow<Row, New>[])
    },
    has: async (db, event) => (await getMessage(db, outbox, event.id)) !== undefined,
  }
}

/** Begins a transaction of a library, and runs what is given in it: its own handle, and the engine's. */
export type BeginTransaction<Tx, Result> = (
  run: (tx: Tx, handle: Transaction) => Promise<Result>,
) => Promise<Result>

/** Says that the row of an aggregate is written: the events that it has raised so far go with it. */
export type SaveEvents = (...aggregates: readonly AggregateRoot[]) => void

/**
 * For libraries that have no hook at which the events of aggregates could be written (Prisma,
 * Drizzle, Kysely, Knex, postgres.js): runs `work` in a transaction of theirs, writes the events of
 * what it has saved at its end, after the rows, and forgets them once the transaction is committed.
 * What fails or is rolled back keeps its events, with their ids.
 *
 * Save in the outermost transaction: a nested one that is rolled back alone would not take what was
 * saved in it along. Where `begin` repeats its work, each attempt begins anew.
 */
export async function commitWithEvents<Tx, Result>(
  events: EventOutbox,
  begin: BeginTransaction<Tx, Result>,
  work: (tx: Tx, save: SaveEvents) => Promise<Result>,
): Promise<Result> {
  let written: readonly EventRow[] = []
  const result = await begin(async (tx, handle) => {
    const saved = new Map<AggregateRoot, readonly EventRow[]>()
    const answer = await work(tx, (...aggregates) => {
      for (const aggregate of aggregates) saved.set(aggregate, events.rowsOf(aggregate))
    })
    written = [...saved.values()].flat()
    if (written.length > 0) await events.enqueue(handle, written)
    return answer
  })
  for (const { aggregate, event } of written) aggregate.clearEvents([event])
  return result
}

/**
 * A transaction of an ORM, or a savepoint in one, with the events written in it. They stay pending
 * in their aggregates until the outermost one is committed: what is rolled back before that only
 * has to be forgotten here.
 */
export class Frame {
  readonly #around: Frame | undefined
  readonly #written: EventRow[] = []

  constructor(around?: Frame) {
    this.#around = around
  }

  note(events: readonly EventRow[]): void {
    this.#written.push(...events)
  }

  /** Whether this transaction or one around it has written the event. */
  has(event: PendingEvent): boolean {
    return this.#written.some((each) => each.event === event) || (this.#around?.has(event) ?? false)
  }

  /** A savepoint hands its events to the transaction around it; the outermost one clears them. */
  commit(): void {
    if (this.#around) this.#around.note(this.#written)
    else for (const { aggregate, event } of this.#written) aggregate.clearEvents([event])
  }
}
