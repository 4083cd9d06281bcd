import { PosthornError, fromTypeOrm } from '@posthorn/engine'
import { AggregateRoot } from '../aggregate-root.ts'
import type { EventOutbox, EventRow } from '../event-outbox.ts'
import { Frame } from './frame.ts'

interface TransactionEvent {
  readonly queryRunner: object
  readonly manager: Parameters<typeof fromTypeOrm>[0]
}

interface EntityEvent extends TransactionEvent {
  readonly entity?: unknown
}

/** What a subscriber of TypeORM looks like, by shape. */
export interface TypeOrmSubscriber {
  beforeInsert(event: EntityEvent): void
  afterInsert(event: EntityEvent): void
  beforeUpdate(event: EntityEvent): void
  afterUpdate(event: EntityEvent): void
  beforeRemove(event: EntityEvent): void
  beforeSoftRemove(event: EntityEvent): void
  afterSoftRemove(event: EntityEvent): void
  beforeRecover(event: EntityEvent): void
  afterRecover(event: EntityEvent): void
  afterTransactionStart(event: TransactionEvent): void
  beforeTransactionCommit(event: TransactionEvent): Promise<void>
  afterTransactionCommit(event: TransactionEvent): void
  afterTransactionRollback(event: TransactionEvent): void
}

/** A transaction, with the events of what was saved in it and waits to be written. */
interface Open {
  readonly frame: Frame
  readonly around: Open | undefined
  readonly saved: Map<AggregateRoot, readonly EventRow[]>
}

/**
 * For the `subscribers` of TypeORM: entities that extend `AggregateRoot` have their events written
 * at the end of the transaction that saves them, after their rows, and forgotten once it is
 * committed; what a rollback takes back, of the whole or of a savepoint, stays pending.
 *
 * TypeORM fires no event for a `save` that changes no column: give aggregates a version column, and
 * change a column with every event.
 */
export function typeOrmSubscriber(events: EventOutbox): TypeOrmSubscriber {
  const open = new WeakMap<object, Open>()

  const refuse = ({ entity, queryRunner }: EntityEvent) => {
    if (!(entity instanceof AggregateRoot) || entity.pendingEvents.length === 0) return
    if (open.has(queryRunner)) return
    const problem = `${entity.constructor.name} ${entity.id} has raised events: save it in a transaction`
    throw new PosthornError('NOT_IN_TRANSACTION', problem)
  }
  const collect = ({ entity, queryRunner }: EntityEvent) => {
    const here = open.get(queryRunner)
    if (!here || !(entity instanceof AggregateRoot)) return
    here.saved.set(entity, events.rowsOf(entity))
  }
  const close = (queryRunner: object) => {
    const here = open.get(queryRunner)
    if (here?.around) open.set(queryRunner, here.around)
    else open.delete(queryRunner)
    return here
  }

  return {
    beforeInsert(event) {
      refuse(event)
      // TypeORM would store the 0 of an aggregate that is not stored yet.
      if (event.entity instanceof AggregateRoot) event.entity.version ||= 1
    },
    afterInsert: collect,
    beforeUpdate: refuse,
    afterUpdate: collect,
    beforeRemove(event) {
      refuse(event)
      // Afterwards TypeORM has taken the id from the entity.
      collect(event)
    },
    beforeSoftRemove: refuse,
    afterSoftRemove: collect,
    beforeRecover: refuse,
    afterRecover: collect,

    afterTransactionStart({ queryRunner }) {
      const around = open.get(queryRunner)
      open.set(queryRunner, { frame: new Frame(around?.frame), around, saved: new Map() })
    },

    async beforeTransactionCommit({ queryRunner, manager }) {
      const here = open.get(queryRunner)
      const saved = [...(here?.saved.values() ?? [])].flat()
      const rows = saved.filter(({ event }) => !here?.frame.has(event))
      if (!here || rows.length === 0) return
      await events.enqueue(fromTypeOrm(manager), rows)
      here.frame.note(rows)
    },

    afterTransactionCommit: ({ queryRunner }) => close(queryRunner)?.frame.commit(),
    afterTransactionRollback: ({ queryRunner }) => void close(queryRunner),
  }
}
