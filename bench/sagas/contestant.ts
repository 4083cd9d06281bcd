import type { Pool } from 'pg'
import type { Named } from '../queues/contestant.ts'

/** The four steps of an order. They only compute: what is measured is what durability costs. */
export const SAGA_STEPS = {
  place: (order: number) => ({ order }),
  reserve: (order: number) => ({ reservation: `reservation ${order}` }),
  pay: (order: number) => ({ receipt: `receipt ${order}` }),
  ship: (order: number) => ({ parcel: `parcel ${order}` }),
} as const

/** A contestant of `sagas`. */
export interface SagaContestant extends Named {
  /** Starts in an empty database, by no other connections than the pool's. */
  open(database: { readonly url: string; readonly pool: Pool }): Promise<SagaEngine>
}

export interface SagaEngine {
  /** Begins so many at once and comes back when all have ended; each has stored its four steps. */
  run(count: number): Promise<void>
  close(): Promise<void>
}
