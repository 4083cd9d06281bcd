import { decryptRows, type DecryptedRow } from '../../encrypt/encrypt-rows.ts'
import type { PoolHandle } from '../../database/pool-handle.ts'
import { PosthornError, failureOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { raiseAlert, recoverAlert } from '../../outbox/alert.ts'
import { attemptWithin } from './bounded-attempt.ts'
import type { Permit } from './breaker.ts'

/** How long messages, and a relay that can read none of them, wait for their key. */
export const KEY_PAUSE_MS = 5_000

/** A key management service has this long to answer. */
const KEYS_MS = 10_000

/** What the alert is about. */
const SUBJECT = 'encryption'

/**
 * Opens encrypted rows just before their attempt. A key that cannot be had is an outage, not a failure
 * of the message: nothing is counted, one alert says so, and a relay that can read nothing at all
 * claims one message at a time until it can.
 */
export class Decrypter {
  readonly #options: { readonly outbox: Outbox; readonly handle: PoolHandle; readonly log: Log }
  #blockedUntil: number | undefined
  /** Unknown at the start: the alert of a process before this one may stand. */
  #alert: 'unknown' | 'raised' | 'none' = 'unknown'

  constructor(options: { outbox: Outbox; handle: PoolHandle; log: Log }) {
    this.#options = options
  }

  get isBlocked(): boolean {
    return this.#blockedUntil !== undefined
  }

  /** Asked before each claim. */
  permit(): Permit {
    if (this.#blockedUntil === undefined) return { kind: 'go' }
    const ms = this.#blockedUntil - performance.now()
    if (ms > 0) return { kind: 'wait', ms }
    this.#blockedUntil = performance.now() + KEY_PAUSE_MS
    return { kind: 'probe' }
  }

  /** One result for each row; never throws. */
  async open(rows: readonly OutboxRow[], signal: AbortSignal): Promise<readonly DecryptedRow[]> {
    const { outbox, handle } = this.#options
    const decrypt = () => decryptRows(handle.db, outbox, rows)
    let opened: readonly DecryptedRow[]
    try {
      const bounds = { ms: Math.min(KEYS_MS, outbox.attemptMs), signal }
      opened = (await attemptWithin(decrypt, bounds)) ?? rows.map(() => TOO_LATE)
    } catch (error) {
      const { message } = failureOf(error, 'PAYLOAD_KEY_MISSING')
      const unavailable = new PosthornError('PAYLOAD_KEY_MISSING', message)
      opened = rows.map(() => ({ unavailable }))
    }
    const missing = opened.flatMap((each) => ('unavailable' in each ? [each.unavailable] : []))
    const isBlocked = missing.length > 0 && missing.length === rows.length
    this.#blockedUntil = isBlocked ? performance.now() + KEY_PAUSE_MS : undefined
    await this.#alertOf(missing[0])
    return opened
  }

  /** One alert for as long as keys are missing; it ends with the first batch that can be read whole. */
  async #alertOf(error: PosthornError | undefined): Promise<void> {
    const wanted = error ? 'raised' : 'none'
    if (this.#alert === wanted) return
    const { outbox, handle, log } = this.#options
    const alert = { source: outbox.name, subject: SUBJECT }
    try {
      await handle.transaction(async (tx) => {
        if (error) await raiseAlert(tx, { ...alert, code: error.code, detail: error.message })
        else await recoverAlert(tx, alert)
      })
      this.#alert = wanted
    } catch (failure) {
      log.warn({ outbox: outbox.name, err: failure }, 'alert about keys not written; trying again')
    }
    if (error) {
      log.error({ outbox: outbox.name, code: error.code }, 'no key for payloads; messages wait')
    }
  }
}

const TOO_LATE: DecryptedRow = {
  unavailable: new PosthornError('PAYLOAD_KEY_MISSING', 'the key was not available in time'),
}
