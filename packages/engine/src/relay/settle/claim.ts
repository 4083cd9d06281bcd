import type { OutboxRow } from '../../outbox/resolved-definition.ts'

/**
 * Why these messages were taken: `batch` and `held` are ordinary, `suspect` holds a few messages whose
 * last claim was lost, `expired` are claims whose relay is gone, `resend` were sent and never confirmed.
 */
export type ClaimKind = 'batch' | 'held' | 'suspect' | 'expired' | 'resend'

/**
 * Most suspects that are tried together once, before each of them is tried alone. About the root of a
 * batch: where the relay was killed from outside, five hundred messages go in twenty-five claims, and
 * where one of them did it, twenty are left to be tried alone.
 */
export const SUSPECT_GROUP = 20

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
