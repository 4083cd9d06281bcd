import { backOff, type Transaction, type Duration } from '@posthorn/engine'
import {
  defineIdempotency,
  extendLock,
  saveState,
  type IdempotencyStore,
  type KeyClaim,
} from '@posthorn/engine/inbox'

export interface KeyOptions {
  /** How long a key is known, by the business clock. */
  readonly expires: Duration
  readonly lockMs: number
  /** Of one exchange with the gateway. */
  readonly gatewayTimeoutMs: number
}

/** What a key knows of its work, so that any process can go on with it. */
export interface KeyState {
  readonly transactionId: string
  /** How often the gateway's answer left the outcome open. */
  readonly tries: number
}

/** Who takes over looks, charges, and may have to look again: the lock must outlive all three. */
const EXCHANGES = 3
const SLACK_MS = 1_000

export function paymentKeys({ expires, lockMs, gatewayTimeoutMs }: KeyOptions): IdempotencyStore {
  const leastMs = EXCHANGES * gatewayTimeoutMs + SLACK_MS
  return defineIdempotency({
    table: 'payments.idempotency_keys',
    expires,
    lock: `${Math.max(lockMs, leastMs)}ms`,
  })
}

export function stateOf({ state }: KeyClaim): KeyState | undefined {
  return state as KeyState | undefined
}

const TAKEN_OVER = { firstMs: 2_000, mostMs: 60_000 }

/** Leaves the key open, to be taken over after 2, 4, 8 … 60 s: until then it is in flight. */
export async function leaveOpen(
  tx: Transaction,
  claim: KeyClaim,
  { transactionId, tries }: KeyState,
): Promise<void> {
  await saveState(tx, claim, { transactionId, tries: tries + 1 } satisfies KeyState)
  const lockMs = backOff(tries, TAKEN_OVER)
  await extendLock(tx, { ...claim, store: { ...claim.store, lockMs } })
}
