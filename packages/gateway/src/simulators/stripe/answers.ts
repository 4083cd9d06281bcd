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

/** An answer as it is kept under a key. */
interface Result {
  readonly status: number
  readonly body: unknown
}

interface Kept {
  readonly request: string
  readonly requestId: string
  readonly result: Result
}

interface KeyedRequest {
  readonly key: string | undefined
  /** Method, path and parameters, to be compared. */
  readonly request: string
  readonly requestId: string
}

/** Stripe's idempotency: what was carried out is answered the same again, failures too. */
export class Keys {
  readonly #kept = new Map<string, Kept>()

  /** Carries a request out, or finds what came of it. `original`: the request that it repeats. */
  answer(
    { key, request, requestId }: KeyedRequest,
    work: () => unknown,
  ): Result & { readonly original?: string } {
    if (key === undefined) return resultOf(work).result
    if (key.length > 255) throw invalid('Idempotency key is too long: up to 255 characters')
    const kept = this.#kept.get(key)
    if (kept) {
      if (kept.request !== request) throw reusedKeyError(key)
      return { ...kept.result, original: kept.requestId }
    }
    const { result, isExecuted } = resultOf(work)
    if (isExecuted) this.#kept.set(key, { request, requestId, result })
    return result
  }

  /** As after a day. */
  forget(): void {
    this.#kept.clear()
  }
}

function resultOf(work: () => unknown): { readonly result: Result; readonly isExecuted: boolean } {
  try {
    // As it is now: the objects change later.
    return { result: { status: 200, body: structuredClone(work()) }, isExecuted: true }
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error
    const { status, error: body } = structuredClone(error.refusal)
    return { result: { status, body: { error: body } }, isExecuted: error.isExecuted }
  }
}

function reusedKeyError(key: string): StripeRefusal {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
  const refusal = { status: 400, error: { type: 'idempotency_error', message } }
  return new StripeRefusal(refusal, { isExecuted: false })
}
