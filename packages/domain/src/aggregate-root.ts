import { uuid } from '@posthorn/engine'
import { DomainError } from './errors.ts'

/** Something that happened to an aggregate: a fact, said in the past tense. */
export interface DomainEvent<Type extends string = string, Payload = unknown> {
  readonly type: Type
  /** Of the payload's shape, from 1 up. */
  readonly version: number
  readonly payload: Payload
  /** By the clock of the process; nothing is decided by it. */
  readonly occurredAt: Date
}

/** An event as an aggregate raises it. Defaults: version 1, now. */
export type NewEvent<Event extends DomainEvent> = Event extends DomainEvent
  ? Omit<Event, 'version' | 'occurredAt'> & Partial<Pick<Event, 'version' | 'occurredAt'>>
  : never

/**
 * An event that waits in its aggregate. Its id is made when it is raised and becomes the message's
 * id, so that a commit that is tried again cannot write the event a second time.
 */
export type PendingEvent<Event extends DomainEvent = DomainEvent> = Event & { readonly id: string }

/**
 * Beside the aggregates, not in them: an ORM makes entities without calling a constructor, stores
 * the fields it finds, and prints them.
 */
const pendingOf = new WeakMap<AggregateRoot, readonly PendingEvent[]>()

/**
 * The one object of a consistency boundary that is loaded, changed and stored as a whole. Extend it,
 * and `raise` an event with every change that others should hear of.
 */
export abstract class AggregateRoot<Event extends DomainEvent = DomainEvent> {
  abstract readonly id: string

  /** Of the stored row, from 1 up; 0: not stored yet. Set by who loads and by who commits. */
  version = 0

  /** What was raised and is not committed yet, in order. */
  get pendingEvents(): readonly PendingEvent<Event>[] {
    return (pendingOf.get(this) ?? []) as readonly PendingEvent<Event>[]
  }

  protected raise(event: NewEvent<Event>): void {
    const { type, version = 1 } = event
    if (typeof type !== 'string' || type === '' || !Number.isInteger(version) || version < 1) {
      throw new DomainError('EVENT_INVALID', `${this.constructor.name}: ${describe(type, version)}`)
    }
    const occurredAt = event.occurredAt ?? new Date()
    const raised = { ...event, version, occurredAt, id: uuid() }
    pendingOf.set(this, [...this.pendingEvents, raised])
  }

  /** Forgets events that were committed, by default all; who calls it has stored them. */
  clearEvents(committed: readonly PendingEvent[] = this.pendingEvents): void {
    const ids = new Set(committed.map(({ id }) => id))
    const left = this.pendingEvents.filter(({ id }) => !ids.has(id))
    pendingOf.set(this, left)
  }
}

/**
 * What an aggregate is called in its events: `static aggregateType` of its class, else the name of
 * the class. A name that a minifier has made is refused: the next build would make another one.
 */
export function aggregateTypeOf({ constructor }: AggregateRoot): string {
  const given: unknown = 'aggregateType' in constructor ? constructor.aggregateType : undefined
  if (typeof given === 'string' && given !== '') return given
  if (/^[A-Z][A-Za-z0-9]{2,}$/.test(constructor.name)) return constructor.name
  throw new DomainError(
    'AGGREGATE_UNNAMED',
    `class "${constructor.name}" has a name of a minifier; give it a static aggregateType`,
  )
}

function describe(type: unknown, version: unknown): string {
  const problem = 'an event needs a type and a version from 1 up'
  return `${problem}, not ${JSON.stringify({ type, version })}`
}
