import type { AggregateRoot } from './aggregate-root.ts'
import { DomainError } from './errors.ts'
import type { Mapper } from './mapper.ts'

/** What was asked to happen to an aggregate; a new object each time, so that a later wish is not lost. */
interface Wish {
  readonly to: 'save' | 'remove'
}

/** One change that a commit makes. */
export interface Change {
  readonly kind: 'insert' | 'update' | 'remove'
  readonly mapper: Mapper
  readonly aggregate: AggregateRoot
  /** As it was before. */
  readonly version: number
  readonly wish: Wish | undefined
}

/** The aggregates of a unit, each once, and what is to become of them. */
export class Tracker {
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
