import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Secrets remembered; the oldest go first. */
const MOST = 1_000
/** How far the sender's clock may be off, by Standard Webhooks. */
const TOLERANCE_SECONDS = 300

/**
 * What the merchant knows to check signatures with. Written for itself, not with the sender's code:
 * a mistake there would not be seen here.
 */
export class Secrets {
  readonly #known = new Set<string>()

  add(secrets: readonly string[]): void {
    for (const secret of secrets) {
      this.#known.delete(secret)
      this.#known.add(secret)
    }
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST) break
      this.#known.delete(oldest)
    }
  }

  /**
   * Whether the signatures of a request are right, and lately made: that of Standard Webhooks by one
   * of the secrets or public keys, and the plain one, which only secrets make, wherever it is sent.
   */
  verify(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const [id, timestamp, signatures, plain] = [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'x-webhook-signature',
    ].map((name) => String(headers[name] ?? ''))
    if (!id || !timestamp || !signatures) return false
    const off = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(off <= TOLERANCE_SECONDS)) return false
    const given = signatures.split(' ')
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
    const known = [...this.#known]
    const isStandard = known.some((secret) => given.some((each) => hasMade(secret, each, signed)))
    const isAsymmetric = given.every((each) => each.startsWith('v1a,'))
    if (!plain) return isStandard && isAsymmetric
    const isPlain = known.some((secret) =>
      isEqual(plain, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`),
    )
    return isStandard && isPlain
  }
}

/** Before a public key of Ed25519, for Node to read it. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

function hasMade(secret: string, signature: string, signed: Buffer): boolean {
  const [version, text = ''] = signature.split(',')
  if (!secret.startsWith('whpk_')) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return isEqual(signature, `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  }
  const bytes = Buffer.from(secret.slice('whpk_'.length), 'base64')
  if (version !== 'v1a' || bytes.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
  return verify(null, signed, key, Buffer.from(text, 'base64'))
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
