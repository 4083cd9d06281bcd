import { delivered, refused, retryLater, type Outcome } from '@posthorn/engine'
import { codeOf, WEBHOOK_CODES, type ErrorClass, type WebhookCode } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { retryAfterMs } from './retry-after.ts'

/** An outcome with the exchange it came from; without one if nothing was sent. */
export type Answered = Outcome & {
  readonly exchange?: Exchange
  /** Of the attempt: the same for a late answer and for the outcome that said it is pending. */
  readonly attemptId?: string
}

/** The endpoint was not reached, so that nothing of the message left. */
const UNREACHED = new Set<ErrorClass>(['blocked', 'connect', 'dns', 'tls'])

/** What an exchange means for its message. */
export function outcomeOf(exchange: Exchange): Answered {
  const { response, error } = exchange
  if (error?.class === 'aborted') return { ...waits('WEBHOOK_ABORTED', 1_000), exchange }
  if (error) {
    const failure = { code: codeOf(error.class), message: error.message }
    return { ...retryLater(failure, { unreachable: UNREACHED.has(error.class) }), exchange }
  }
  const status = response?.status ?? 0
  if (status >= 200 && status < 300) return { ...delivered(), exchange }
  const code = codeOf(classOfStatus(status))
  const failure = { code, message: `the endpoint answered ${status}` }
  if (status === 410) return { ...refused(failure), exchange }
  const after = retryAfterMs(response?.headers['retry-after'])
  return {
    ...retryLater(failure, { after: after === undefined ? undefined : `${after}ms` }),
    exchange,
  }
}

/** The class of an answer that is not 2xx. */
export function classOfStatus(status: number): ErrorClass {
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** Not tried, or not over: the message waits, and nothing is charged. */
export function waits(code: WebhookCode, ms: number): Outcome {
  return retryLater({ code, message: WEBHOOK_CODES[code] }, { after: `${ms}ms`, charge: false })
}
