import type { Queryable, Transaction } from '@posthorn/engine'
import type { AggregateRoot } from './aggregate-root.ts'
import { DomainError } from './errors.ts'

/** The class of an aggregate, with any constructor. */
export type AggregateClass<Aggregate extends AggregateRoot> = abstract new (
  ...args: never[]
) => Aggregate

/** The answer to a statement with `returning`. No row: the version was not the stored one. */
export interface Written {
  readonly rows: readonly unknown[]
}

/**
 * How the aggregates of a class are read and written. The row holds a version: `insert` and `update`
 * store `aggregate.version + 1`, `update` and `remove` touch the row only where the version is still
 * `aggregate.version`, and all three return what they touched (`returning`).
 */
export interface Mapper<Aggregate extends AggregateRoot = AggregateRoot> {
  readonly type: AggregateClass<Aggregate>
  /** Reads an aggregate and sets its version; undefined if there is none. Needed by `load`. */
  load?(db: Queryable, id: string): Promise<Aggregate | undefined>
  insert(tx: Transaction, aggregate: Aggregate): Promise<Written>
  update(tx: Transaction, aggregate: Aggregate): Promise<Written>
  /** Needed by `remove`. */
  remove?(tx: Transaction, aggregate: Aggregate): Promise<Written>
}

/** The mapper of an aggregate's class or of the nearest one above it. */
export function mapperOf(mappers: readonly Mapper[], type: AggregateClass<AggregateRoot>): Mapper {
  for (let at: unknown = type; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const mapper = mappers.find((each) => each.type === at)
    if (mapper) return mapper
  }
  throw new DomainError('MAPPER_MISSING', `the unit has no mapper for ${type.name}`)
}

/** Loads by a mapper, and makes sure that it gave what was asked for. */
export async function loadWith(
  mapper: Mapper,
  db: Queryable,
  id: string,
): Promise<AggregateRoot | undefined> {
  const { type } = mapper
  if (!mapper.load) throw invalid(type, 'has no load')
  const aggregate = await mapper.load(db, id)
  if (aggregate === undefined) return undefined
  // Version 0 would be inserted again, and another id would be another aggregate.
  if (!(aggregate.version >= 1)) throw invalid(type, 'load must set a version from 1 up')
  if (aggregate.id !== id) throw invalid(type, `load of ${id} gave ${aggregate.id}`)
  return aggregate
}

export function invalid(type: AggregateClass<AggregateRoot>, problem: string): DomainError {
  return new DomainError('MAPPER_INVALID', `mapper of ${type.name}: ${problem}`)
}
