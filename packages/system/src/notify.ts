import type { Queryable, Transaction } from '@posthorn/engine'

/** An event for the webhooks of an organisation. */
export interface OrgEvent {
  readonly org: string
  /** Its own: announced again, it is not delivered again. */
  readonly id: string
  /** E.g. `payment.succeeded`. */
  readonly type: string
  readonly data: unknown
  /** What it is about: an ordered endpoint gets the events of one key one after the other. */
  readonly key?: string
}

/** Writes an event down for the organisation's webhooks, in the caller's transaction. */
export type Notify = (tx: Transaction, event: OrgEvent) => Promise<unknown>

/** What became of an event at one of the organisation's endpoints. */
export interface EventDelivery {
  readonly id: string
  readonly eventId: string
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly deliveredAt: Date | null
}

/** Finds the deliveries of events, whichever state they are in. */
export type FindDeliveries = (
  db: Queryable,
  events: { readonly org: string; readonly ids: readonly string[] },
) => Promise<readonly EventDelivery[]>
