import { raiseAlert } from '../outbox/alert.ts'
import type { Outbox } from '../outbox/define.ts'
import { wasTried } from '../outbox/outcome.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import type { Log } from '../log.ts'
import { idOf, type Settlement } from './settle/settlement.ts'

/** Tries without a count after which a message is looked at. */
const MOST_TRIES = 20

/** A policy with so many attempts ends no message. */
const NEVER_REACHED = 100_000

/** An outage explains as many, unless others were delivered meanwhile or it is as long as this. */
const LONGEST_OUTAGE_MS = 600_000

/** Messages that are remembered: in an outage there may be any number. */
const MOST_KEPT = 1_000

interface Uncounted {
  tries: number
  readonly since: number
  /** How many this relay had delivered before the first of the tries. */
  readonly deliveredBefore: number
  isReported: boolean
}

/**
 * Notices messages that are tried again and again while no attempt is counted: without a count no policy ends
 * them. What was postponed, by a breaker or a limit, was not tried.
 */
export class StuckMessages {
  readonly #outbox: Outbox
  readonly #uncounted = new Map<string, Uncounted>()
  #delivered = 0

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** Notes what became of messages; returns the ids of those that are found to be stuck now. */
  note(settlements: readonly Settlement[], now = performance.now()): string[] {
    const repeated: string[] = []
    for (const settlement of settlements) {
      const id = idOf(this.#outbox, settlement.row)
      if (settlement.decision.role === 'sent') this.#delivered += 1
      if (this.#isRepeated(settlement)) repeated.push(id)
      else if (settlement.decision.role !== 'stay') this.#uncounted.delete(id)
    }
    return repeated.filter((id) => this.#isStuck(id, now))
  }

  /** Without a count, or counted towards a number that is never reached. */
  #isRepeated(settlement: Settlement): boolean {
    const { attempts } = this.#outbox.retry
    if (attempts === undefined || attempts < NEVER_REACHED) return isUncounted(settlement)
    return settlement.outcome.kind === 'retryLater' && wasTried(settlement.outcome)
  }

  #isStuck(id: string, now: number): boolean {
    const known = this.#uncounted.get(id)
    if (!known) {
      const first = { tries: 1, since: now, deliveredBefore: this.#delivered, isReported: false }
      // The oldest goes: another relay may have ended it.
      const [oldest] = this.#uncounted.keys()
      if (oldest !== undefined && this.#uncounted.size >= MOST_KEPT) this.#uncounted.delete(oldest)
      this.#uncounted.set(id, first)
      return false
    }
    known.tries += 1
    const isOutage =
      known.deliveredBefore === this.#delivered && now - known.since < LONGEST_OUTAGE_MS
    if (known.isReported || known.tries < MOST_TRIES || isOutage) return false
    known.isReported = true
    return true
  }
}

/** An attempt was made, and the row says nothing of it. A rate limit says for itself when to come back. */
function isUncounted({ outcome, decision }: Settlement): boolean {
  if (outcome.kind !== 'retryLater' || decision.role !== 'stay') return false
  return wasTried(outcome) && outcome.tried !== true && decision.bump <= 0
}

/** Raises `MESSAGE_STUCK` for each; the watchdog ends it when the message no longer waits. */
export async function reportStuck(
  { handle, outbox, log }: { handle: PoolHandle; outbox: Outbox; log: Log },
  settlements: readonly Settlement[],
): Promise<void> {
  for (const { row, decision } of settlements) {
    const id = idOf(outbox, row)
    const code = decision.failure?.code ?? 'UNKNOWN'
    const detail = `Tried ${MOST_TRIES} times and more without a counted attempt, last with ${code}: ${decision.failure?.message ?? ''}`
    log.error({ outbox: outbox.name, id, code }, 'message stuck; no attempt is counted')
    await handle.transaction((tx) =>
      raiseAlert(tx, { source: outbox.name, subject: id, code: 'MESSAGE_STUCK', detail }),
    )
  }
}
