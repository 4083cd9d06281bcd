import { createHmac } from 'node:crypto'

/** A webhook that is about to be signed. */
export interface Unsigned {
  readonly id: string
  readonly body: string
  /** In seconds since 1970. */
  readonly timestamp: number
}

/**
 * The headers of both schemes: `x-webhook-signature` over the raw body, and the three of Standard
 * Webhooks. A secret that begins with `whsec_` is base64 for the latter, as its specification says.
 */
export function signatureHeaders(
  secret: string,
  { id, body, timestamp }: Unsigned,
): Record<string, string> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signed}`,
  }
}
