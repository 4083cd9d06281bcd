/**
 * Every code the webhook transport writes into an outcome, with the sentence that explains it. What
 * was tried and failed has a code for its class of error; the others say why nothing was tried yet.
 */
export const WEBHOOK_CODES = {
  WEBHOOK_ABORTED: 'The exchange was cancelled: its claim was lost or the relay stopped.',
  WEBHOOK_BLOCKED: 'Webhooks may not go to this address.',
  WEBHOOK_BUSY: 'The endpoint is at its concurrency limit.',
  WEBHOOK_CONNECT: 'No connection to the endpoint could be made.',
  WEBHOOK_DNS: 'The name of the endpoint could not be resolved.',
  WEBHOOK_GONE: 'The endpoint answered 410: it wants no more webhooks.',
  WEBHOOK_PACED: 'The rate of the endpoint is used up; further requests wait.',
  WEBHOOK_PROTOCOL: 'The endpoint did not answer with HTTP.',
  WEBHOOK_REDIRECT: 'The endpoint answered with a redirect, which is never followed.',
  WEBHOOK_RESET: 'The connection was lost before the answer was complete.',
  WEBHOOK_STATUS: 'The endpoint answered with another status than 2xx.',
  WEBHOOK_TIMEOUT: 'The exchange, including the answer, took too long.',
  WEBHOOK_TLS: 'The certificate or the TLS handshake of the endpoint failed.',
} as const

export type WebhookCode = keyof typeof WEBHOOK_CODES

/** What went wrong with an exchange that was tried. */
export type ErrorClass =
  | 'aborted'
  | 'blocked'
  | 'connect'
  | 'dns'
  | 'gone'
  | 'protocol'
  | 'redirect'
  | 'reset'
  | 'status'
  | 'timeout'
  | 'tls'

/** The code of a class of error. */
export function codeOf(errorClass: ErrorClass): WebhookCode {
  return `WEBHOOK_${errorClass.toUpperCase() as Uppercase<ErrorClass>}`
}
