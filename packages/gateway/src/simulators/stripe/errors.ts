/** What Stripe says instead of an object. */
export interface StripeError {
  readonly status: number
  readonly error: Readonly<Record<string, unknown>>
}

/** Thrown within the simulator, and answered as Stripe does. */
export class StripeRefusal extends Error {
  readonly refusal: StripeError
  /**
   * Whether the request was carried out as far as it goes: only then is its result kept under its
   * key. Parameters that are wrong are found before.
   */
  readonly isExecuted: boolean

  constructor(refusal: StripeError, { isExecuted }: { readonly isExecuted: boolean }) {
    super(String(refusal.error['message']))
    this.refusal = refusal
    this.isExecuted = isExecuted
  }
}

/** A parameter that is missing, unknown or wrong. */
export function invalid(message: string, about: { param?: string; code?: string } = {}) {
  const error = { type: 'invalid_request_error', message, ...about }
  return new StripeRefusal({ status: 400, error }, { isExecuted: false })
}

export function missingError(what: string, id: string, param = 'intent'): StripeRefusal {
  const message = `No such ${what}: '${id}'`
  const error = { type: 'invalid_request_error', code: 'resource_missing', message, param }
  return new StripeRefusal({ status: 404, error }, { isExecuted: false })
}

/** Right by its parameters, and not possible as things stand. */
export function impossible(code: string, message: string, more: object = {}): StripeRefusal {
  const error = { type: 'invalid_request_error', code, message, ...more }
  return new StripeRefusal({ status: 400, error }, { isExecuted: true })
}

/** Why a card was declined: Stripe's `code`, and `decline_code` for the bank's reason. */
export interface Decline {
  readonly code: string
  readonly decline_code?: string
  readonly message: string
}

export function broken(): StripeRefusal {
  const error = { type: 'api_error', message: 'An unknown error occurred' }
  return new StripeRefusal({ status: 500, error }, { isExecuted: true })
}
