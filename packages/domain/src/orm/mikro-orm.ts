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

/** What a subscriber of MikroORM looks like, by shape. */
export interface MikroOrmSubscriber {
  beforeCreate(args: { readonly entity: unknown }): void
  onFlush(args: FlushArgs): void
  beforeTransactionStart(args: TransactionArgs): void
  afterTransactionStart(args: TransactionArgs): void
  beforeTransactionCommit(args: TransactionArgs): Promise<void>
  afterTransactionCommit(args: TransactionArgs): void
  afterTransactionRollback(args: TransactionArgs): void
}

/** `LockMode.PESSIMISTIC_WRITE`: `for update`. */
const FOR_UPDATE = 3

/**
 * For the `subscribers` of MikroORM: entities that extend `AggregateRoot` have their events written
 * in the transaction of the flush, after their rows, and forgotten once it is committed. In an
 * explicit transaction that is its end, however many flushes it has; what a rollback takes back, of
 * the whole or of a savepoint, stays pending.
 */
export function mikroOrmSubscriber(events: EventOutbox): MikroOrmSubscriber {
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
    beforeCreate({ entity }) {
      // MikroORM would store the 0 of an aggregate that is not stored yet.
      if (entity instanceof AggregateRoot) entity.version ||= 1
    },

    onFlush({ em, uow }) {
      const isInTransaction = em.isInTransaction()
      if (!isInTransaction) flushed.delete(uow)
      const known = look(uow)
      if (!isInTransaction && known.size > 0 && isIdle(uow)) throw unwrittenError(known.keys())
    },

    beforeTransactionStart({ em, transaction }) {
      starting.set(em, transaction && frames.get(transaction))
    },

    afterTransactionStart({ em, transaction }) {
      if (transaction) frames.set(transaction, new Frame(starting.get(em)))
      starting.delete(em)
    },

    async beforeTransactionCommit({ em, uow, transaction }) {
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

    afterTransactionCommit({ uow, transaction }) {
      if (transaction) frames.get(transaction)?.commit()
      if (uow) flushed.delete(uow)
    },

    afterTransactionRollback({ uow }) {
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
  return [...new Set(entities)].filter(
    (entity) => entity instanceof AggregateRoot && entity.pendingEvents.length > 0,
  ) as AggregateRoot[]
}

/** Whether the flush is about to end without a transaction. */
function isIdle(uow: MikroOrmUnitOfWork): boolean {
  const isUnchanged = uow.getChangeSets().length === 0 && uow.getExtraUpdates().size === 0
  return isUnchanged && uow.getCollectionUpdates().length === 0
}

function unwrittenError(aggregates: Iterable<AggregateRoot>): DomainError {
  const names = [...aggregates].map(({ constructor, id }) => `${constructor.name} ${id}`).join(', ')
  return new DomainError(
    'EVENTS_UNWRITTEN',
    `${names}: events were raised, but nothing has changed that could be flushed; use em.transactional()`,
  )
}
