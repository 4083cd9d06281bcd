import type { ItemOf, StateRole } from '@posthorn/dashboard/kit'

export type Payment = ItemOf<'/api/v1/payments'>
export type GatewayTransaction = ItemOf<'/api/v1/payments/{id}/transactions'>
export type AuditEntry = ItemOf<'/api/v1/payments/{id}/audit'>

export type Refund = ItemOf<'/api/v1/payments/{id}/refunds'>
export type Dispute = ItemOf<'/api/v1/payments/{id}/disputes'>

export const PAYMENT_STATES = ['pending', 'succeeded', 'failed', 'refunded'] as const

/** The role of a message in the same state. */
export const PAYMENT_ROLES: Readonly<Record<Payment['status'], StateRole>> = {
  pending: 'ready',
  succeeded: 'confirmed',
  failed: 'dead',
  refunded: 'cancelled',
}

/** Roles of an authorisation. */
export const AUTHORISATION_ROLES: Readonly<
  Record<NonNullable<Payment['authorisation']>, StateRole>
> = {
  authorised: 'sent',
  captured: 'confirmed',
  voided: 'cancelled',
  expired: 'cancelled',
}

/** The progress of a refund, as a word and a role. */
export function progressOf({ status, confirmedAt, gatewayRef }: Refund): {
  word: string
  role: StateRole
} {
  if (status === 'failed') return { word: 'failed', role: 'dead' }
  if (confirmedAt !== null) return { word: 'refunded', role: 'confirmed' }
  return gatewayRef === null
    ? { word: 'requested', role: 'claimed' }
    : { word: 'accepted', role: 'sent' }
}

export const DISPUTE_ROLES: Readonly<Record<Dispute['status'], StateRole>> = {
  inquiry: 'ready',
  opened: 'retry',
  won: 'confirmed',
  lost: 'dead',
  withdrawn: 'cancelled',
}
