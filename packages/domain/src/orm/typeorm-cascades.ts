import { AggregateRoot } from '../aggregate-root.ts'

interface Relation {
  readonly isCascadeInsert: boolean
  readonly isCascadeUpdate: boolean
}

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

export interface TypeOrmMetadataSource {
  getMetadata(target: never): unknown
}

/** An aggregate with events that a `save` stores, itself or by a cascade. */
export interface Reached {
  readonly aggregate: AggregateRoot
  readonly metadata: EntityMetadata
}

/** The aggregates with events that `save(…args)` reaches, by the rules of TypeORM's own cascades. */
export function aggregatesIn(source: TypeOrmMetadataSource, args: readonly unknown[]): Reached[] {
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
      const { isCascadeInsert, isCascadeUpdate } = relation
      if (isCascadeInsert || isCascadeUpdate) visit(value, itsMetadata, isCascadeUpdate)
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
