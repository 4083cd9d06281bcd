import { createHmac, timingSafeEqual } from 'node:crypto'
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

  /** Whether one of the secrets made both signatures of a request, and lately. */
  verify(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const [id, timestamp, signatures, plain] = [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'x-webhook-signature',
    ].map((name) => String(headers[name] ?? ''))
    if (!id || !timestamp || !signatures || !plain) return false
    const off = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(off <= TOLERANCE_SECONDS)) return false
    const given = signatures.split(' ')
    const secrets = [...this.#known]
    const bySecret = secrets.some((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
      const expected = `v1,${hash.digest('base64')}`
      return given.some((signature) => isEqual(signature, expected))
    })
    const byBody = secrets.some((secret) =>
      isEqual(plain, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`),
    )
    return bySecret && byBody
  }
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
