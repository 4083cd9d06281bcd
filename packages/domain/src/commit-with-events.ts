import type { Transaction } from '@posthorn/engine'
import type { AggregateRoot } from './aggregate-root.ts'
import type { EventOutbox, EventRow } from './event-outbox.ts'

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
