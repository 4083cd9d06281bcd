import { uuid, wasTried, type ErrorCode, type Outcome } from '@posthorn/engine'
import type { Answered } from '@posthorn/transports/webhook'
import { maskUrl } from '../endpoints/endpoint-url.ts'

/** A request and its answer as they are kept. */
export interface Attempt {
  readonly id: string
  readonly deliveryId: string
  readonly attemptNo: number
  readonly startedAt: string | null
  /** With a mask for each value of its query. */
  readonly url: string | null
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly body: string | null
  readonly encoding: string | null
  readonly truncated: boolean | null
  readonly durationMs: number | null
  readonly errorClass: string | null
  readonly error: string | null
  /** True: the row that holds it was written when the answer came. */
  readonly isKept: boolean
}

/** The engine's codes for attempts of which no request is known. */
const REQUEST_UNKNOWN = new Set<string>(['CLAIM_EXPIRED', 'TRANSPORT_BROKEN'] satisfies ErrorCode[])

/** Whether an outcome is that of a request: only these count, and only these are on record. */
export function isTried(outcome: Outcome): boolean {
  if (outcome.kind === 'delivered') return true
  return wasTried(outcome) && !REQUEST_UNKNOWN.has(outcome.failure.code)
}

/** An outcome that was read back from its attempt's row. */
export type Recalled = Outcome & { readonly attemptId: string; readonly isKept: true }

export function attemptOf(
  outcome: Outcome,
  { deliveryId, attemptNo }: { deliveryId: string; attemptNo: number },
): Attempt {
  const { exchange, attemptId = uuid() } = outcome as Answered
  const { response, error } = exchange ?? {}
  const failure = outcome.kind === 'delivered' ? undefined : outcome.failure
  const errorClass = error?.class ?? classIn(failure?.code)
  return {
    ...{ id: attemptId, deliveryId, attemptNo },
    startedAt: exchange?.startedAt.toISOString() ?? null,
    url: exchange === undefined ? null : maskUrl(exchange.url),
    requestHeaders: exchange?.headers ?? null,
    status: response?.status ?? null,
    responseHeaders: response?.headers ?? null,
    body: response?.body ?? null,
    encoding: response?.encoding ?? null,
    truncated: response?.truncated ?? null,
    durationMs: exchange?.durationMs ?? null,
    errorClass: errorClass ?? null,
    error: failure?.message ?? null,
    isKept: 'isKept' in outcome,
  }
}

/** `WEBHOOK_STATUS` is of the class `status`. */
function classIn(code: string | undefined): string | undefined {
  return code?.startsWith('WEBHOOK_') ? code.slice('WEBHOOK_'.length).toLowerCase() : code
}
