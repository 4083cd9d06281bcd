import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../database/transaction.ts'
import { notifyWakes } from '../../database/wake.sql.ts'
import { sleep } from '../../sleep.ts'

/** It takes milliseconds where it comes at all. */
const WITHIN_MS = 3_000

/**
 * A notification that a relay sends to itself at its start and with each poll. A pooler in transaction mode
 * gives the connection that listens to another client, and does so without an error: then it never comes.
 */
export class SelfNotification {
  readonly #payload = `self ${randomUUID()}`
  #heard = Promise.withResolvers<void>()

  /** Every notification of the channel. */
  hear(payload: string): void {
    if (payload === this.#payload) this.#heard.resolve()
  }

  /** Sends it; false if it does not come back. Rejects if the database cannot be reached. */
  async comesBack(db: Queryable, signal: AbortSignal): Promise<boolean> {
    this.#heard = Promise.withResolvers()
    await db.query(notifyWakes([this.#payload]))
    const heard = this.#heard.promise.then(() => true)
    const over = new AbortController()
    const late = sleep(WITHIN_MS, AbortSignal.any([signal, over.signal])).then(() => false)
    return Promise.race([heard, late]).finally(() => over.abort())
  }
}
