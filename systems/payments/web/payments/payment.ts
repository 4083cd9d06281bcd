import type { paths, StateRole } from '@posthorn/dashboard/kit'

export type Payment =
  paths['/api/v1/payments']['get']['responses']['200']['content']['application/json']['items'][number]
export type GatewayTransaction =
  paths['/api/v1/payments/{id}/transactions']['get']['responses']['200']['content']['application/json']['items'][number]
export type AuditEntry =
  paths['/api/v1/payments/{id}/audit']['get']['responses']['200']['content']['application/json']['items'][number]

export type Refund =
  paths['/api/v1/payments/{id}/refunds']['get']['responses']['200']['content']['application/json']['items'][number]
export type Dispute =
  paths['/api/v1/payments/{id}/disputes']['get']['responses']['200']['content']['application/json']['items'][number]

export const PAYMENT_STATES = ['pending', 'succeeded', 'failed', 'refunded'] as const

/** Payments look like messages that are as far as they are. */
export const PAYMENT_ROLES: Readonly<Record<Payment['status'], StateRole>> = {
  pending: 'ready',
  succeeded: 'confirmed',
  failed: 'dead',
  refunded: 'cancelled',
}

/** Of money that is held before it is taken. */
export const AUTHORISATION_ROLES: Readonly<
  Record<NonNullable<Payment['authorisation']>, StateRole>
> = {
  authorised: 'sent',
  captured: 'confirmed',
  voided: 'cancelled',
  expired: 'cancelled',
}

/** How far a refund is, in a word and as a message of that role looks. */
export function progressOf({ status, confirmedAt }: Refund): { word: string; role: StateRole } {
  if (status === 'failed') return { word: 'failed', role: 'dead' }
  if (confirmedAt !== null) return { word: 'refunded', role: 'confirmed' }
  return status === 'pending'
    ? { word: 'requested', role: 'claimed' }
    : { word: 'accepted', role: 'sent' }
}

export const DISPUTE_ROLES: Readonly<Record<Dispute['status'], StateRole>> = {
  opened: 'retry',
  won: 'confirmed',
  lost: 'dead',
  withdrawn: 'cancelled',
}

/** A unique key; `crypto.randomUUID` is not there on a page without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
