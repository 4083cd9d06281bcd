import { delivered, refused, retryLater, type Outcome } from '@posthorn/engine'
import { codeOf, WEBHOOK_CODES, type ErrorClass, type WebhookCode } from './errors.ts'
import type { Exchange, ExchangeResponse } from './exchange.ts'

/** Shorter than the first wait of a schedule would only make a tired endpoint more tired. */
const LEAST_WAIT_MS = 2_000
/** Longer, and a typing mistake of theirs would be a lost day of ours. */
const MOST_WAIT_MS = 3_600_000

/** An outcome with the exchange it came from; without one if nothing was sent. */
export type Answered = Outcome & {
  readonly exchange?: Exchange
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
  const failure = { code, message: `Endpoint answered ${status}${reasonIn(response)}` }
  if (status === 410) return { ...refused(failure), exchange }
  const after = retryAfterMs(response?.headers['retry-after'])
  return {
    ...retryLater(failure, { after: after === undefined ? undefined : `${after}ms` }),
    exchange,
  }
}

/** What the endpoint itself calls it, if its JSON has a short word for that: `: DOWN_FOR_MAINTENANCE`. */
function reasonIn(response: ExchangeResponse | undefined): string {
  if (response === undefined || response.encoding !== 'utf8' || response.truncated) return ''
  try {
    const body: unknown = JSON.parse(response.body)
    const { code, error, title } = (typeof body === 'object' && body !== null ? body : {}) as {
      readonly code?: unknown
      readonly error?: unknown
      readonly title?: unknown
    }
    // It goes into lists, alerts and notices: nothing that could be a payload.
    const word = [code, error, title]
      .filter((each) => typeof each === 'string')
      .find((each) => /^[\w .-]{1,80}$/.test(each))
    return word === undefined ? '' : `: ${word}`
  } catch {
    return ''
  }
}

/** The class of an answer that is not 2xx. */
export function classOfStatus(status: number): ErrorClass {
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** Not tried: the message waits, and nothing is charged. */
export function waits(code: WebhookCode, ms: number): Outcome {
  return retryLater({ code, message: WEBHOOK_CODES[code] }, { after: `${ms}ms`, charge: false })
}

/** How long an endpoint asks us to wait, within bounds; undefined if it does not say. */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return clamp(Number(text) * 1_000)
  // Dates of HTTP begin with the day: anything else that a date can be read from is not one.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : clamp(at - nowMs)
}

function clamp(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), LEAST_WAIT_MS), MOST_WAIT_MS)
}
