import type { OutboxRow } from '../outbox/resolved-definition.ts'

/**
 * Why these messages were taken: `batch` and `held` are ordinary, `suspect` holds one message whose
 * last claim was lost, `expired` are claims whose relay is gone, `resend` were sent and never confirmed.
 */
export type ClaimKind = 'batch' | 'held' | 'suspect' | 'expired' | 'resend'

/** Messages that are ours until the lease runs out. */
export interface Claim {
  readonly kind: ClaimKind
  readonly rows: readonly OutboxRow[]
  /** Fresh for every claim: the fence of everything that settles it. */
  readonly token: string
  /** Of an ordered outbox: the buckets read, with the token of each one's lease. */
  readonly buckets: readonly number[]
  readonly tokens: readonly string[]
  /** True when there is probably more where these came from. */
  readonly more: boolean
}
