import { PosthornError, fromTypeOrm } from '@posthorn/engine'
import { AggregateRoot } from '../aggregate-root.ts'
import { type EventOutbox, type EventRow, Frame } from '../event-outbox.ts'

type QueryRunner = NonNullable<Parameters<typeof fromTypeOrm>[0]['queryRunner']>

type Write = (...args: never[]) => Promise<unknown>

/** What is used of TypeORM's `EntityManager`, by shape. */
interface TypeOrmManager {
  readonly queryRunner?: QueryRunner | undefined
  save: Write
  remove: Write
  softRemove: Write
  recover: Write
  transaction(run: never): Promise<unknown>
  createQueryBuilder(target: never, alias: string): unknown
}

/** What is used of TypeORM's `DataSource`, by shape. */
export interface TypeOrmDataSource extends TypeOrmMetadataSource {
  /** Replaced when the data source is initialised. */
  readonly subscribers: object[]
  readonly manager: TypeOrmManager
  createEntityManager(queryRunner?: never): TypeOrmManager
}

interface LockingQuery {
  select(columns: string): LockingQuery
  withDeleted(): LockingQuery
  whereInIds(ids: unknown): LockingQuery
  setLock(mode: 'pessimistic_write'): LockingQuery
  getRawMany(): Promise<unknown>
}

interface TransactionEvent {
  readonly queryRunner: object
  readonly manager: Parameters<typeof fromTypeOrm>[0]
}

interface EntityEvent extends Pick<TransactionEvent, 'queryRunner'> {
  readonly entity?: unknown
}

/** A transaction, with the events of what was saved in it and waits to be written. */
interface Open {
  readonly frame: Frame
  readonly around: Open | undefined
  readonly saved: Map<AggregateRoot, readonly EventRow[]>
}

/**
 * Has a `DataSource` of TypeORM write events: entities that extend `AggregateRoot` have theirs
 * written at the end of the transaction that saves them, after their rows, and forgotten once it is
 * committed; what a rollback takes back, of the whole or of a savepoint, stays pending. Call it once,
 * before the first save, and before or after `initialize()`.
 *
 * A subscriber alone would lose events: TypeORM calls none for a `save` that changes no column, and
 * none with `listeners: false`. So the methods themselves are watched too, in every entity manager.
 */
export function connectTypeOrm(dataSource: TypeOrmDataSource, events: EventOutbox): void {
  const open = new WeakMap<object, Open>()

  const refuse = ({ entity, queryRunner }: EntityEvent) => {
    if (!(entity instanceof AggregateRoot) || entity.pendingEvents.length === 0) return
    if (open.has(queryRunner)) return
    throw notInTransaction(entity)
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

  const subscriber = {
    beforeInsert(event: EntityEvent) {
      refuse(event)
      // TypeORM would store the 0 of an aggregate that is not stored yet.
      if (event.entity instanceof AggregateRoot) event.entity.version ||= 1
    },
    afterInsert: collect,
    beforeUpdate: refuse,
    afterUpdate: collect,
    beforeRemove(event: EntityEvent) {
      refuse(event)
      // Afterwards TypeORM has taken the id from the entity.
      collect(event)
    },
    beforeSoftRemove: refuse,
    afterSoftRemove: collect,
    beforeRecover: refuse,
    afterRecover: collect,

    afterTransactionStart({ queryRunner }: TransactionEvent) {
      const around = open.get(queryRunner)
      open.set(queryRunner, { frame: new Frame(around?.frame), around, saved: new Map() })
    },

    async beforeTransactionCommit({ queryRunner, manager }: TransactionEvent) {
      const here = open.get(queryRunner)
      const saved = [...(here?.saved.values() ?? [])].flat()
      const rows = saved.filter(({ event }) => !here?.frame.has(event))
      if (!here || rows.length === 0) return
      await events.enqueue(fromTypeOrm(manager), rows)
      here.frame.note(rows)
    },

    afterTransactionCommit: ({ queryRunner }: TransactionEvent) =>
      close(queryRunner)?.frame.commit(),
    afterTransactionRollback: ({ queryRunner }: TransactionEvent) => void close(queryRunner),
  }
  /** `initialize()` makes the list anew: what is written afterwards puts the subscriber back. */
  const subscribe = () => {
    if (!dataSource.subscribers.includes(subscriber)) dataSource.subscribers.push(subscriber)
  }

  const watch = (manager: TypeOrmManager): TypeOrmManager => {
    subscribe()
    for (const name of WATCHED) {
      const write = manager[name].bind(manager)
      manager[name] = async (...args) => {
        const reached = aggregatesIn(dataSource, args, name)
        const { queryRunner } = manager
        if (reached.length === 0) return write(...args)
        if (!queryRunner || !open.has(queryRunner)) {
          const [{ aggregate }] = reached as [Reached]
          if (isOutside(args)) throw notInTransaction(aggregate)
          // Its own transaction, which TypeORM makes only for what has changed.
          const run = (own: TypeOrmManager) => own[name](...args)
          return manager.transaction(run as never)
        }
        const before = reached.map(({ aggregate }) => open.get(queryRunner)?.saved.get(aggregate))
        // Afterwards TypeORM has taken the id from what is removed.
        const last = reached.map(({ aggregate }) => events.rowsOf(aggregate))
        const written = await write(...args)
        for (const [i, each] of reached.entries()) {
          const { aggregate } = each
          const { saved } = open.get(queryRunner) ?? {}
          // Seen by the subscriber: its row was written.
          if (saved?.get(aggregate) !== before[i]) continue
          // Locked, the row still makes the writers of its events take turns.
          if (before[i] === undefined && name === 'save') await lock(manager, each)
          saved?.set(aggregate, name === 'save' ? events.rowsOf(aggregate) : (last[i] ?? []))
        }
        return written
      }
    }
    return manager
  }
  watch(dataSource.manager)
  const create = dataSource.createEntityManager.bind(dataSource)
  dataSource.createEntityManager = (queryRunner?: never) => watch(create(queryRunner))
}

/** `save(…, { transaction: false })`. */
function isOutside(args: readonly unknown[]): boolean {
  const options = args.slice(1).findLast((each) => typeof each === 'object' && each !== null)
  return typeof options === 'object' && (options as { transaction?: unknown }).transaction === false
}

async function lock(manager: TypeOrmManager, { aggregate, metadata }: Reached): Promise<void> {
  const query = manager.createQueryBuilder(metadata.target as never, 'aggregate') as LockingQuery
  await query
    .select('1')
    .withDeleted()
    .whereInIds(metadata.getEntityIdMap(aggregate))
    .setLock('pessimistic_write')
    .getRawMany()
}

function notInTransaction({ constructor, id }: AggregateRoot): PosthornError {
  const problem = `${constructor.name} ${id} has raised events: save it in a transaction`
  return new PosthornError('NOT_IN_TRANSACTION', problem)
}

interface Relation {
  readonly isCascadeInsert: boolean
  readonly isCascadeUpdate: boolean
  readonly isCascadeRemove: boolean
  readonly isCascadeSoftRemove: boolean
  readonly isCascadeRecover: boolean
}

/** By each method: which cascades write an aggregate. `save` follows those that insert as well. */
const CASCADES = {
  save: 'isCascadeUpdate',
  remove: 'isCascadeRemove',
  softRemove: 'isCascadeSoftRemove',
  recover: 'isCascadeRecover',
} as const satisfies Readonly<Record<string, keyof Relation>>

const WATCHED = ['save', 'remove', 'softRemove', 'recover'] as const

/** What is used of TypeORM's `EntityMetadata`, by shape. */
interface EntityMetadata {
  readonly target: unknown
  readonly relations: readonly Relation[]
  findInheritanceMetadata(entity: object): EntityMetadata
  getEntityIdMap(entity: object): unknown
  extractRelationValuesFromEntity(
    entity: object,
    relations: never,
  ): readonly (readonly [Relation, unknown, EntityMetadata])[]
}

interface TypeOrmMetadataSource {
  getMetadata(target: never): unknown
}

/** An aggregate with events that is written, itself or by a cascade. */
interface Reached {
  readonly aggregate: AggregateRoot
  readonly metadata: EntityMetadata
}

/** The aggregates with events that a method reaches, by the rules of TypeORM's own cascades. */
function aggregatesIn(
  source: TypeOrmMetadataSource,
  args: readonly unknown[],
  method: (typeof WATCHED)[number],
): Reached[] {
  const [first, second] = args
  const target = args.length > 1 && isTarget(first) ? first : undefined
  const reached = new Map<object, Reached | undefined>()

  const visit = (entity: unknown, metadata: EntityMetadata, isSaved: boolean): void => {
    if (typeof entity !== 'object' || entity === null) return
    const isNew = !reached.has(entity)
    if (isSaved && entity instanceof AggregateRoot && entity.pendingEvents.length > 0) {
      reached.set(entity, { aggregate: entity, metadata })
    } else if (isNew) reached.set(entity, undefined)
    if (!isNew) return
    const values = metadata.extractRelationValuesFromEntity(entity, metadata.relations as never)
    for (const [relation, value, itsMetadata] of values) {
      const isWritten = relation[CASCADES[method]]
      const isFollowed = isWritten || (method === 'save' && relation.isCascadeInsert)
      if (isFollowed) visit(value, itsMetadata, isWritten)
    }
  }

  for (const entity of [target === undefined ? first : second].flat()) {
    if (typeof entity !== 'object' || entity === null) continue
    const type = target ?? entity.constructor
    // Left to TypeORM, which says what is wrong with it.
    if (type === Object) continue
    const metadata = source.getMetadata(type as never) as EntityMetadata
    visit(entity, metadata.findInheritanceMetadata(entity), true)
  }
  return [...reached.values()].filter((each) => each !== undefined)
}

/** A class, a name, or an `EntitySchema`, as TypeORM itself recognises one. */
function isTarget(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'string') return true
  const isObject = typeof value === 'object' && value !== null
  return isObject && '@instanceof' in value && value['@instanceof'] === Symbol.for('EntitySchema')
}
