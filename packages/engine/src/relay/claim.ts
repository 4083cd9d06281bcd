import type { OutboxRow } from '../outbox/resolved-definition.ts'

/**
 * Why these messages were taken: `batch` and `held` are ordinary, `suspect` holds one message whose
 * last claim was lost, `expired` are claims whose relay is gone, `resend` were sent and never confirmed.
 */
export type ClaimKind = 'batch' | 'held' | 'suspect' | 'expired' | 'resend'

/** A bucket that is ours until the lease runs out, with the number of the run that was read from it. */
export interface Lease {
  readonly bucket: number
  readonly token: string
  readonly run: string
}

/** Messages that are ours until the lease runs out. */
export interface Claim {
  readonly kind: ClaimKind
  readonly rows: readonly OutboxRow[]
  /** Fresh for every claim: the fence of everything that settles it. */
  readonly token: string
  /** Of an ordered outbox: the leases of the buckets read. */
  readonly leases: readonly Lease[]
  /** True when there is probably more where these came from. */
  readonly more: boolean
}
