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
  Refund,
  RefundOutcome,
  SoughtCharge,
  SoughtRefund,
  VoidOutcome,
  Voiding,
} from './gateway.ts'
export { SIMULATED, gatewaySettings } from './settings.ts'
export type { GatewayOptions, GatewaySettings } from './settings.ts'
export { translateStripe } from './stripe/event.ts'
export type { StripeEvent, TranslatedEvent } from './stripe/event.ts'
export { verifyStripe } from './stripe/signature.ts'
