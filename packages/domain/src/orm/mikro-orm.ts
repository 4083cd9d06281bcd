import { fromMikroOrm } from '@posthorn/engine'
import { AggregateRoot } from '../aggregate-root.ts'
import { DomainError } from '../errors.ts'
import { type EventOutbox, Frame } from '../event-outbox.ts'

type MikroOrmManager = Parameters<typeof fromMikroOrm>[0] & {
  isInTransaction(): boolean
  getTransactionContext(): object | undefined
  getDriver(): { lockPessimistic(entity: object, options: object): Promise<void> }
}

interface MikroOrmUnitOfWork {
  getIdentityMap(): Iterable<object>
  getPersistStack(): Iterable<object>
  getRemoveStack(): Iterable<object>
  getChangeSets(): readonly { readonly entity: object }[]
  getCollectionUpdates(): readonly object[]
  getExtraUpdates(): ReadonlySet<unknown>
}

interface FlushArgs {
  readonly em: MikroOrmManager
  readonly uow: MikroOrmUnitOfWork
}

interface TransactionArgs {
  readonly em: MikroOrmManager
  readonly uow?: MikroOrmUnitOfWork
  readonly transaction?: object
}

type Write = (...args: never[]) => Promise<unknown>

/** What is used of MikroORM's `EntityManager` to see its writes, by shape. */
interface WatchedManager {
  insert: Write
  insertMany: Write
  upsert: Write
  upsertMany: Write
  fork(...args: never[]): WatchedManager
  getEventManager(): { registerSubscriber(subscriber: object): void }
}

/** What is used of `MikroORM`, by shape. */
export interface MikroOrm {
  readonly em: object
}

/** Writes that go past the unit of work: no hook sees the end of them. */
const UNSEEN = ['insert', 'insertMany', 'upsert', 'upsertMany'] as const

/** `LockMode.PESSIMISTIC_WRITE`: `for update`. */
const FOR_UPDATE = 3

/**
 * Has MikroORM write events: entities that extend `AggregateRoot` have theirs written in the
 * transaction of the flush, after their rows, and forgotten once it is committed. In an explicit
 * transaction that is its end, however many flushes it has; what a rollback takes back, of the whole
 * or of a savepoint, stays pending. Call it once, before the first `fork`.
 *
 * Writes that go past the unit of work (`em.insert`, `em.upsert` and their plurals) throw
 * `EVENTS_UNWRITTEN` for an aggregate that has raised events.
 */
export function connectMikroOrm(orm: MikroOrm, events: EventOutbox): void {
  const subscriber = subscriberFor(events)
  const watch = (em: WatchedManager): WatchedManager => {
    // A fork may have an event manager of its own.
    em.getEventManager().registerSubscriber(subscriber)
    for (const name of UNSEEN) {
      const write = em[name].bind(em)
      em[name] = async (...args) => {
        const aggregates = args.flat().filter(hasEvents)
        if (aggregates.length === 0) return write(...args)
        throw unwrittenError(aggregates, `em.${name}() sends none; use em.persist() and em.flush()`)
      }
    }
    const fork = em.fork.bind(em)
    em.fork = (...args) => watch(fork(...args))
    return em
  }
  watch(orm.em as WatchedManager)
}

function subscriberFor(events: EventOutbox) {
  const frames = new WeakMap<object, Frame>()
  /** By entity manager: the transaction in which it is about to set a savepoint. */
  const starting = new WeakMap<MikroOrmManager, Frame | undefined>()
  /** Aggregates that were flushed in a transaction, and whether their row was written. */
  const flushed = new WeakMap<MikroOrmUnitOfWork, Map<AggregateRoot, boolean>>()

  const look = (uow: MikroOrmUnitOfWork) => {
    const known = flushed.get(uow) ?? new Map<AggregateRoot, boolean>()
    const written = new Set(uow.getChangeSets().map(({ entity }) => entity))
    for (const aggregate of findTracked(uow)) {
      known.set(aggregate, known.get(aggregate) === true || written.has(aggregate))
    }
    flushed.set(uow, known)
    return known
  }

  return {
    beforeCreate({ entity }: { readonly entity: unknown }) {
      // MikroORM would store the 0 of an aggregate that is not stored yet.
      if (entity instanceof AggregateRoot) entity.version ||= 1
    },

    onFlush({ em, uow }: FlushArgs) {
      const isInTransaction = em.isInTransaction()
      if (!isInTransaction) flushed.delete(uow)
      const known = look(uow)
      if (!isInTransaction && known.size > 0 && isIdle(uow)) {
        throw unwrittenError(
          known.keys(),
          'nothing has changed that could be flushed; use em.transactional()',
        )
      }
    },

    beforeTransactionStart({ em, transaction }: TransactionArgs) {
      starting.set(em, transaction && frames.get(transaction))
    },

    afterTransactionStart({ em, transaction }: TransactionArgs) {
      if (transaction) frames.set(transaction, new Frame(starting.get(em)))
      starting.delete(em)
    },

    async beforeTransactionCommit({ em, uow, transaction }: TransactionArgs) {
      const frame = transaction && frames.get(transaction)
      if (!uow || !frame) return
      // Once more: a hook of an entity may have raised something during the flush.
      const known = look(uow)
      const rows = [...known.keys()]
        .flatMap((aggregate) => events.rowsOf(aggregate))
        .filter(({ event }) => !frame.has(event))
      if (rows.length === 0) return
      for (const aggregate of new Set(rows.map((row) => row.aggregate))) {
        // Its row is as it was, perhaps only a part of it has changed. Locked, it still makes the
        // writers of its events take turns.
        if (known.get(aggregate)) continue
        const options = { lockMode: FOR_UPDATE, ctx: em.getTransactionContext() }
        await em.getDriver().lockPessimistic(aggregate, options)
      }
      await events.enqueue(fromMikroOrm(em), rows)
      frame.note(rows)
    },

    afterTransactionCommit({ uow, transaction }: TransactionArgs) {
      if (transaction) frames.get(transaction)?.commit()
      if (uow) flushed.delete(uow)
    },

    afterTransactionRollback({ uow }: TransactionArgs) {
      if (uow) flushed.delete(uow)
    },
  }
}

/** Every aggregate with events that a flush can see, removed ones included. */
function findTracked(uow: MikroOrmUnitOfWork): AggregateRoot[] {
  const entities = [
    ...uow.getIdentityMap(),
    ...uow.getPersistStack(),
    ...uow.getRemoveStack(),
    ...uow.getChangeSets().map(({ entity }) => entity),
  ]
  return [...new Set(entities)].filter(hasEvents)
}

function hasEvents(entity: unknown): entity is AggregateRoot {
  return entity instanceof AggregateRoot && entity.pendingEvents.length > 0
}

/** Whether the flush is about to end without a transaction. */
function isIdle(uow: MikroOrmUnitOfWork): boolean {
  const isUnchanged = uow.getChangeSets().length === 0 && uow.getExtraUpdates().size === 0
  return isUnchanged && uow.getCollectionUpdates().length === 0
}

function unwrittenError(aggregates: Iterable<AggregateRoot>, why: string): DomainError {
  const names = [...aggregates].map(({ constructor, id }) => `${constructor.name} ${id}`).join(', ')
  return new DomainError('EVENTS_UNWRITTEN', `${names}: events were raised, but ${why}`)
}
