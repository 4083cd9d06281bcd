import {
  signingKeys,
  signWith,
  type Signable,
  type SigningKeys,
  type WebhookHeaders,
} from './signature.ts'

/** Secrets whose keys are kept; the ones that were made first go first. */
const MOST_KEPT = 10_000

/** Signs much with the same secrets: making a key takes as long as signing with it. */
export class Signer {
  readonly #kept = new Map<string, SigningKeys>()

  sign({ secrets, ...request }: Signable): WebhookHeaders {
    return signWith(
      secrets.map((secret) => this.#keysOf(secret)),
      request,
    )
  }

  #keysOf(secret: string): SigningKeys {
    const known = this.#kept.get(secret)
    if (known) return known
    const keys = signingKeys(secret)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(secret, keys)
    return keys
  }
}
