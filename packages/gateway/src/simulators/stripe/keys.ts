import { invalid, StripeRefusal } from './errors.ts'

/** An answer as it is kept under a key. */
export interface Result {
  readonly status: number
  readonly body: unknown
}

interface Kept {
  readonly request: string
  readonly requestId: string
  readonly result: Result
}

export interface KeyedRequest {
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
