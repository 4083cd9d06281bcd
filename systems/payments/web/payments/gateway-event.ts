import type { ItemOf, StateRole } from '@posthorn/dashboard/kit'

export type GatewayEvent = ItemOf<'/api/v1/webhook-events'>

export const EVENT_STATES = [
  'applied',
  'unchanged',
  'parked',
  'forbidden',
  'mismatch',
  'kept',
  'unknown_payment',
] as const

/** Events look like messages that are as far as they are. */
export const EVENT_ROLES: Readonly<Record<GatewayEvent['status'], StateRole>> = {
  applied: 'confirmed',
  unchanged: 'sent',
  parked: 'ready',
  forbidden: 'dead',
  mismatch: 'dead',
  kept: 'cancelled',
  unknown_payment: 'retry',
}

/** What a state of an event means. */
export const EVENT_MEANINGS: Readonly<Record<GatewayEvent['status'], string>> = {
  applied: 'It did what it says, and the merchant’s endpoints were notified.',
  unchanged: 'It says what was known before.',
  parked: 'It waits: it is checked again with each event of its payment.',
  forbidden: 'It contradicts what came first. Nothing was changed, and an alert was raised.',
  mismatch:
    'Its amount, currency or reference is not the payment’s. Nothing was changed, and an alert was raised.',
  kept: 'Its type changes nothing here. It was passed on to the merchant’s endpoints.',
  unknown_payment: 'Its payment is not here. It is applied when that appears.',
}
