import {
  PosthornError,
  sqlState,
  transaction,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { AggregateRoot } from './aggregate-root.ts'
import { CommitUnknownError, ConflictError, DomainError } from './errors.ts'
import type { EventOutbox, EventRow } from './event-outbox.ts'
import {
  invalid,
  loadWith,
  mapperOf,
  type AggregateClass,
  type Mapper,
  type Written,
} from './mapper.ts'

/** What Postgres says instead of an answer when it goes away or cannot tell. */
const UNSURE = /^(08|57P|40003)/

/** Postgres's own codes begin so; the codes of a broken socket do not. */
const SQLSTATE_CLASS = /^(\d|P0|XX)/

export interface UnitOfWorkOptions {
  readonly pool: Pool
  /** One for each class; what others refer to comes first. */
  readonly mappers: readonly Mapper[]
  readonly events: EventOutbox
}

/** What else a transaction does; it calls `write` once, or not at all if nothing is to be written. */
export type CommitAround<Result> = (
  tx: Transaction,
  write: (tx: Transaction) => Promise<void>,
) => Promise<Result>

/** What one try to commit wrote. */
interface Attempt {
  readonly changes: readonly Change[]
  readonly events: readonly EventRow[]
}

/** An attempt whose commit is not known to have happened or failed. */
interface Unsure extends Attempt {
  /** What `around` came to. */
  readonly result: unknown
}

/**
 * The aggregates of one piece of business, written together with their events or not at all. Make
 * a new one for each request or message; it holds no connection until it commits.
 */
export class UnitOfWork {
  readonly #options: UnitOfWorkOptions
  readonly #tracked = new Tracker()
  readonly #loading = new Map<string, Promise<AggregateRoot | undefined>>()
  #unsure: readonly Unsure[] = []
  #isCommitting = false

  constructor(options: UnitOfWorkOptions) {
    this.#options = options
  }

  /**
   * Reads an aggregate; undefined if there is none or it was removed in this unit. Asked twice, it
   * gives the same object. It is written at the commit if it has raised an event by then.
   */
  async load<Aggregate extends AggregateRoot>(
    type: AggregateClass<Aggregate>,
    id: string,
  ): Promise<Aggregate | undefined> {
    const mapper = this.#mapperOf(type)
    const key = `${this.#options.mappers.indexOf(mapper)} ${id}`
    if (!this.#tracked.find(mapper, id)) {
      const loading = this.#loading.get(key) ?? this.#read(mapper, id)
      this.#loading.set(key, loading)
      await loading.finally(() => this.#loading.delete(key))
    }
    const found = this.#tracked.find(mapper, id)
    return found && !this.#tracked.isRemoved(found) ? (found as Aggregate) : undefined
  }

  /**
   * Has an aggregate written at the commit: a new one is inserted, a stored one updated, whether it
   * has raised an event or not.
   */
  save(aggregate: AggregateRoot): void {
    this.#tracked.add(this.#mapperOf(classOf(aggregate)), aggregate)
    this.#tracked.wish(aggregate, 'save')
  }

  /** Has an aggregate removed at the commit; the events it has raised are still sent. */
  remove(aggregate: AggregateRoot): void {
    const mapper = this.#mapperOf(classOf(aggregate))
    if (!mapper.remove) throw invalid(mapper.type, 'has no remove')
    this.#tracked.add(mapper, aggregate)
    if (aggregate.version === 0) this.#tracked.forget(mapper, aggregate)
    else this.#tracked.wish(aggregate, 'remove')
  }

  /**
   * Writes every changed aggregate, then their events, in one transaction; forgets the events once
   * that is through. If it fails, everything stays as it was, the ids of the events included:
   *
   * - `ConflictError`: another transaction was first.
   * - `CommitUnknownError`: the outcome is unknown. Commit again: it writes what is not there.
   * - anything else, a database error for one: nothing was written.
   *
   * With `around`, other writes join the transaction: `unit.commit((tx, write) => once(tx, receipt,
   * write))`.
   */
  async commit(): Promise<void>
  async commit<Result>(around: CommitAround<Result>): Promise<Result>
  async commit(around?: CommitAround<unknown>): Promise<unknown> {
    if (this.#isCommitting) throw new DomainError('COMMIT_RUNNING')
    this.#isCommitting = true
    try {
      return await this.#commit(around ?? justWrite)
    } finally {
      this.#isCommitting = false
    }
  }

  async #commit(around: CommitAround<unknown>): Promise<unknown> {
    if (around === justWrite && this.#changes.length === 0) return undefined
    let result: unknown
    let writing: Promise<Attempt> | undefined
    let attempt: Attempt | undefined
    let isComplete = false
    try {
      await transaction(this.#options.pool, async (tx) => {
        result = await around(tx, async (same) => {
          writing = this.#write(same)
          await writing
        })
        // Also where `around` has swallowed its failure: half of a unit must not be committed.
        attempt = await writing
        isComplete = true
      })
      if (attempt) this.#settle(attempt)
      // Nothing was to be written: because an earlier attempt of ours has done it?
      else await this.#settleEarlier().catch(() => undefined)
      return result
    } catch (error) {
      if (isComplete && !isRolledBack(error)) {
        if (attempt) this.#unsure = [...this.#unsure, { ...attempt, result }]
        throw new CommitUnknownError(error)
      }
      // What stood in the way may be our own commit, of which we had no answer.
      const earlier = await this.#settleEarlier().catch(() => undefined)
      if (!earlier) throw error
      // What `around` does was done with it; only what has happened since is left.
      await this.#commit(justWrite)
      return earlier.result
    }
  }

  async #write(tx: Transaction): Promise<Attempt> {
    const changes = this.#changes
    const events: EventRow[] = []
    for (const change of changes) {
      // In the same moment as the mapper reads the aggregate: what is raised later is not in the row.
      events.push(...this.#options.events.rowsOf(change.aggregate))
      // The row first: it is locked from here to the commit, so that the events of an aggregate get
      // their numbers in the order of its versions.
      const { rows } = await writeChange(tx, change)
      if (rows.length === 0) throw new ConflictError(change.aggregate)
    }
    await this.#options.events.enqueue(tx, events)
    return { changes, events }
  }

  #settle({ changes, events }: Attempt): void {
    for (const change of changes) this.#tracked.settle(change)
    for (const { aggregate, event } of events) aggregate.clearEvents([event])
    this.#unsure = []
  }

  /**
   * Settles an attempt that turns out to have been committed; its events prove it. Without events
   * there is no proof, and the version alone keeps it from being written twice.
   */
  async #settleEarlier(): Promise<Unsure | undefined> {
    for (const { events } of this.#unsure.toReversed()) {
      if (!(await this.#areStored(events))) continue
      // Of attempts with the same events any may be the one. To take the first is safe: what a later
      // one had besides is written again, or found stale.
      const first = this.#unsure.find((each) => each.events.length === events.length)
      if (first) this.#settle(first)
      return first
    }
    return undefined
  }

  async #areStored(events: readonly EventRow[]): Promise<boolean> {
    for (const { event } of events) {
      if (!(await this.#options.events.has(this.#db, event))) return false
    }
    return events.length > 0
  }

  async #read(mapper: Mapper, id: string): Promise<AggregateRoot | undefined> {
    const aggregate = await loadWith(mapper, this.#db, id)
    // It may have been saved, as a new one, while it was read.
    if (aggregate && !this.#tracked.find(mapper, id)) this.#tracked.add(mapper, aggregate)
    return aggregate
  }

  #mapperOf(type: AggregateClass<AggregateRoot>): Mapper {
    return mapperOf(this.#options.mappers, type)
  }

  get #changes(): Change[] {
    return this.#tracked.changes(this.#options.mappers)
  }

  get #db(): Queryable {
    return this.#options.pool
  }
}

const justWrite: CommitAround<void> = (tx, write) => write(tx)

function writeChange(tx: Transaction, { kind, mapper, aggregate }: Change): Promise<Written> {
  if (kind === 'insert') return mapper.insert(tx, aggregate)
  if (kind === 'update') return mapper.update(tx, aggregate)
  if (!mapper.remove) throw invalid(mapper.type, 'has no remove')
  return mapper.remove(tx, aggregate)
}

function classOf(aggregate: AggregateRoot): AggregateClass<AggregateRoot> {
  return aggregate.constructor as AggregateClass<AggregateRoot>
}

/**
 * Whether an error of a COMMIT means that nothing was stored. A lost connection does not: the commit
 * may have happened, with its answer under way.
 */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof PosthornError) return true
  const state = sqlState(error)
  return state !== undefined && SQLSTATE_CLASS.test(state) && !UNSURE.test(state)
}

/** What was asked to happen to an aggregate; a new object each time, so that a later wish is not lost. */
interface Wish {
  readonly to: 'save' | 'remove'
}

/** One change that a commit makes. */
interface Change {
  readonly kind: 'insert' | 'update' | 'remove'
  readonly mapper: Mapper
  readonly aggregate: AggregateRoot
  /** As it was before. */
  readonly version: number
  readonly wish: Wish | undefined
}

/** The aggregates of a unit, each once, and what is to become of them. */
class Tracker {
  readonly #byId = new Map<Mapper, Map<string, AggregateRoot>>()
  readonly #wishes = new Map<AggregateRoot, Wish>()

  find(mapper: Mapper, id: string): AggregateRoot | undefined {
    return this.#byId.get(mapper)?.get(id)
  }

  /** Throws `AGGREGATE_TWICE` if there is another object for the same one. */
  add(mapper: Mapper, aggregate: AggregateRoot): void {
    const known = this.find(mapper, aggregate.id)
    if (known && known !== aggregate) {
      const name = `${mapper.type.name} ${aggregate.id}`
      throw new DomainError('AGGREGATE_TWICE', `the unit has another object for ${name}`)
    }
    const ofMapper = this.#byId.get(mapper) ?? new Map<string, AggregateRoot>()
    this.#byId.set(mapper, ofMapper.set(aggregate.id, aggregate))
  }

  wish(aggregate: AggregateRoot, to: Wish['to']): void {
    this.#wishes.set(aggregate, { to })
  }

  isRemoved(aggregate: AggregateRoot): boolean {
    return this.#wishes.get(aggregate)?.to === 'remove'
  }

  forget(mapper: Mapper, aggregate: AggregateRoot): void {
    this.#byId.get(mapper)?.delete(aggregate.id)
    this.#wishes.delete(aggregate)
  }

  /**
   * Every change, in the order of the mappers: what others refer to first, removals last and the
   * other way round. Rows of a class are updated in the order of their ids, so that two units that
   * change the same ones do not deadlock.
   */
  changes(mappers: readonly Mapper[]): Change[] {
    const changesOf = (mapper: Mapper, ...kinds: Change['kind'][]) =>
      kinds.flatMap((kind) => this.#changesOf(mapper, kind))
    return [
      ...mappers.flatMap((mapper) => changesOf(mapper, 'insert', 'update')),
      ...mappers.toReversed().flatMap((mapper) => changesOf(mapper, 'remove')),
    ]
  }

  /** A change was committed. */
  settle({ kind, mapper, aggregate, version, wish }: Change): void {
    if (this.#wishes.get(aggregate) === wish) this.#wishes.delete(aggregate)
    if (kind === 'remove') this.forget(mapper, aggregate)
    else aggregate.version = version + 1
  }

  #changesOf(mapper: Mapper, kind: Change['kind']): Change[] {
    const aggregates = [...(this.#byId.get(mapper)?.values() ?? [])]
    const changes = aggregates
      .filter((aggregate) => this.#kindOf(aggregate) === kind)
      .map((aggregate) => {
        const { version } = aggregate
        return { kind, mapper, aggregate, version, wish: this.#wishes.get(aggregate) }
      })
    // New rows go in as they came: they may refer to each other.
    return kind === 'insert' ? changes : changes.toSorted(byId)
  }

  #kindOf(aggregate: AggregateRoot): Change['kind'] | undefined {
    if (this.isRemoved(aggregate)) return 'remove'
    if (aggregate.version === 0) return 'insert'
    return this.#wishes.has(aggregate) || aggregate.pendingEvents.length > 0 ? 'update' : undefined
  }
}

function byId(a: Change, b: Change): number {
  return a.aggregate.id < b.aggregate.id ? -1 : 1
}
