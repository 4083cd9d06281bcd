/** What to charge. The key is ours: the gateway charges once for it, however often it is asked. */
export interface Charge {
  readonly key: string
  /** In minor units. */
  readonly amount: number
  readonly currency: string
  /** Our own id; the gateway's webhooks name it as `paymentId`. */
  readonly reference: string
  /** What is charged, by the gateway's name for it; left out: what the gateway is set to. */
  readonly paymentMethod?: string | undefined
  /** The customer can answer the bank: the charge is `pending` until then. Else its question is a decline. */
  readonly canAuthenticate?: boolean
}

/** A charge that is asked about. */
export interface SoughtCharge extends Charge {
  /** The gateway's own, where an answer or a webhook has brought it. */
  readonly ref?: string | null | undefined
}

/** Why not, in the gateway's words where it had any. */
export interface GatewayError {
  readonly code: string
  readonly message: string
}

/** Perhaps done: ask again with the same key, never with another. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly error: GatewayError
}

/** Refused for good; nothing was charged. */
export interface Declined {
  readonly kind: 'declined'
  readonly ref: string | undefined
  readonly error: GatewayError
}

/** Taken in, and undecided for hours or days: the webhook, or a later look, says what came of it. */
export interface Pending {
  readonly kind: 'pending'
  readonly ref: string
  /** What the customer has to do first. */
  readonly nextAction?: NextAction
}

/** How a customer authenticates: on a page, or in the gateway's own library. Both values are secrets. */
export type NextAction =
  | { readonly type: 'redirect'; readonly url: string }
  | { readonly type: 'sdk'; readonly clientSecret: string }

/** The gateway failed, and says that nothing stands under the key. */
export interface Failed {
  readonly kind: 'failed'
  readonly error: GatewayError
}

/** What became of a charge. */
export type ChargeOutcome =
  { readonly kind: 'charged'; readonly ref: string } | Pending | Declined | Failed | Unknown

/** What became of an authorisation: money that is held for us, and not taken. */
export type AuthorisationOutcome =
  { readonly kind: 'authorised'; readonly ref: string } | Pending | Declined | Failed | Unknown

/** What stands under a key. */
export type FoundCharge =
  /** `amount` is what was taken, in minor units. */
  | { readonly kind: 'charged'; readonly ref: string; readonly amount: number }
  | { readonly kind: 'authorised'; readonly ref: string }
  /** Was authorised; the money is free again, by our word or by time. */
  | { readonly kind: 'voided'; readonly ref: string }
  | { readonly kind: 'none' }
  | Pending
  | Declined
  | Unknown

/** What to take of what is authorised, under a key of ours as for charges. */
export interface Capture {
  readonly key: string
  readonly chargeRef: string
  /** In minor units; the rest is set free. */
  readonly amount: number
  readonly currency: string
}

export interface Refused {
  readonly kind: 'refused'
  readonly error: GatewayError
}

export type CaptureOutcome = { readonly kind: 'captured'; readonly ref: string } | Refused | Unknown

/** What to set free or to call off, under a key of ours as for charges. */
export interface Voiding {
  readonly key: string
  readonly chargeRef: string
}

export type VoidOutcome = { readonly kind: 'voided'; readonly ref: string } | Refused | Unknown

/** What to give back of a charge, under a key of ours as for charges. */
export interface Refund {
  readonly key: string
  readonly chargeRef: string
  readonly currency: string
  /** In minor units. Left out: all that is left. */
  readonly amount?: number
}

/** A refund that is asked about. */
export type SoughtRefund = Pick<Refund, 'key' | 'chargeRef'>

/** What became of a refund. `pending`: taken in, and undecided for days. */
export type RefundOutcome =
  { readonly kind: 'refunded'; readonly ref: string } | Pending | Refused | Unknown

/** What stands under a refund's key; `refused`: it was begun, and failed at the bank. */
export type FoundRefund = RefundOutcome | { readonly kind: 'none' }

/**
 * A payment gateway. None of its verbs throws: what came of them is a value. Each does the same key
 * once; `testing/conformance.ts` holds every adapter to that.
 */
export interface Gateway {
  /** Takes money; where the gateway answers 5xx it is asked what stands under the key. */
  charge(charge: Charge): Promise<ChargeOutcome>
  /** Has money held for us, to be captured or voided later. */
  authorise(charge: Charge): Promise<AuthorisationOutcome>
  /** Takes what is authorised, or less; once. */
  capture(capture: Capture): Promise<CaptureOutcome>
  /** Sets free what is authorised, or calls off what waits for the customer. */
  void(voiding: Voiding): Promise<VoidOutcome>
  /** Gives an amount of a charge back, or all that is left of it. */
  refund(refund: Refund): Promise<RefundOutcome>
  /** Looks a charge or an authorisation up by the key it was made with: as it is now. */
  find(charge: SoughtCharge): Promise<FoundCharge>
  /** Looks a refund up by the key it was made with: as it is now. */
  findRefund(refund: SoughtRefund): Promise<FoundRefund>
}
