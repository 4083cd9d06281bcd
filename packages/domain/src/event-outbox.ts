import {
  DefinitionError,
  enqueueAll,
  type NewRow,
  type Outbox,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import { getMessage } from '@posthorn/engine/operate'
import type { AggregateRoot } from './aggregate-root.ts'
import type { PendingEvent } from './event.ts'

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
