import { formatMoney, type ItemOf, type StateRole } from '@posthorn/dashboard/kit'

export type Proposal = ItemOf<'/api/v1/approvals'>

export const STATES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const

export const ROLES: Readonly<Record<Proposal['status'], StateRole>> = {
  pending: 'ready',
  approved: 'confirmed',
  rejected: 'dead',
  withdrawn: 'cancelled',
  expired: 'cancelled',
}

export const KINDS: Readonly<Record<Proposal['kind'], string>> = {
  refund: 'Refund',
  capture: 'Capture',
  void: 'Void',
  decision: 'Decision about a line',
  discard: 'Discard a file',
  limits: 'Change the limits',
}

export function amountOf({ amount, currency }: Proposal): string {
  return amount === null || currency === null ? '–' : formatMoney(amount, currency)
}

/** What an action on a proposal changes on other pages. */
export const CHANGED = ['approvals', 'payments', 'reconciliations'] as const
