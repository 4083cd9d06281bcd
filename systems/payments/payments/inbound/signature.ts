import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What to make of a webhook's signatures. */
export type Checked =
  | { readonly kind: 'invalid'; readonly reason: string }
  /** `timestamp` (seconds since 1970) is set if a scheme signed one: the caller has to judge it. */
  | { readonly kind: 'valid'; readonly timestamp: number | undefined }

/**
 * Checks `x-webhook-signature` and the three headers of Standard Webhooks, in constant time. One
 * scheme suffices; where both are there, both must be right.
 */
export function checkSignature(
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Checked {
  const plain = headers['x-webhook-signature']
  const standard = headers['webhook-signature']
  if (plain === undefined && standard === undefined) return invalid('The webhook is not signed.')
  if (plain !== undefined && !isPlain(secret, String(plain), body)) {
    return invalid('x-webhook-signature is not the signature of this body.')
  }
  if (standard === undefined) return { kind: 'valid', timestamp: undefined }
  const id = String(headers['webhook-id'] ?? '')
  const timestamp = String(headers['webhook-timestamp'] ?? '')
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) {
    return invalid('webhook-signature needs webhook-id and webhook-timestamp beside it.')
  }
  if (!isStandard(secret, String(standard), [`${id}.${timestamp}.`, body])) {
    return invalid('webhook-signature is not the signature of this webhook.')
  }
  return { kind: 'valid', timestamp: Number(timestamp) }
}

function isPlain(secret: string, header: string, body: Buffer): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  return isSame(header, `sha256=${expected}`)
}

/** The header may hold several, of several secrets or versions; ours are `v1`. */
function isStandard(
  secret: string,
  header: string,
  content: readonly (string | Buffer)[],
): boolean {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const hmac = createHmac('sha256', key)
  content.forEach((part) => hmac.update(part))
  const expected = `v1,${hmac.digest('base64')}`
  return header.split(' ', MOST_SIGNATURES).some((each) => isSame(each, expected))
}

const MOST_SIGNATURES = 16

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function invalid(reason: string): Checked {
  return { kind: 'invalid', reason }
}
