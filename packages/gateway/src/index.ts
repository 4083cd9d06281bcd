export { createGateway } from './create.ts'
export type {
  AuthorisationOutcome,
  Capture,
  CaptureOutcome,
  Charge,
  ChargeOutcome,
  FoundCharge,
  FoundRefund,
  Gateway,
  GatewayError,
  NextAction,
  Pending,
  Refund,
  RefundOutcome,
  SoughtCharge,
  SoughtRefund,
  VoidOutcome,
  Voiding,
} from './gateway.ts'
export { SIMULATED, gatewaySettings } from './create.ts'
export type { GatewayOptions, GatewaySettings } from './create.ts'
export { translateStripe } from './stripe/event.ts'
export type { StripeEvent, TranslatedEvent } from './stripe/event.ts'
export { verifyStripe } from './stripe/event.ts'
