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
