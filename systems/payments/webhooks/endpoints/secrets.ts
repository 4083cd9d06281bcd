import { uuid, type Transaction } from '@posthorn/engine'
import { newWebhookKeyPair, newWebhookSecret } from '@posthorn/transports/webhook'
import type { Sealing } from '@posthorn/system'
import type { Signing } from './endpoint.ts'
import { expireSecrets, insertSecret } from './queries.ts'

/** A new secret to show once; null where the merchant gets the public key of a pair instead. */
export interface NewSecret {
  readonly secret: string | null
  readonly publicKey: string | null
}

/** Gives an endpoint a new secret or key pair; the ones before sign beside it for another 24 hours. */
export async function renewSecret(
  tx: Transaction,
  sealing: Sealing,
  { id: endpointId, signing }: { id: string; signing: Signing },
): Promise<NewSecret> {
  const { signs, ...shown } = signing === 'hmac' ? sharedSecret() : keyPair()
  await expireSecrets(tx, endpointId)
  await insertSecret(tx, {
    id: uuid(),
    endpointId,
    sealed: sealing.seal(signs, secretOwner(endpointId)),
    publicKey: shown.publicKey,
  })
  return shown
}

function sharedSecret() {
  const secret = newWebhookSecret()
  return { signs: secret, secret, publicKey: null }
}

function keyPair() {
  const { privateKey, publicKey } = newWebhookKeyPair()
  return { signs: privateKey, secret: null, publicKey }
}

/** Opened words that are kept; the ones that were opened first go first. */
const MOST_KEPT = 10_000

/**
 * Opens what is sealed for endpoints, each word once: it never comes to mean something else. Which
 * of the secrets still sign is asked of the database for every batch.
 */
export class OpenedWords {
  readonly #sealing: Sealing
  readonly #kept = new Map<string, { readonly owner: string; readonly text: string }>()

  constructor(sealing: Sealing) {
    this.#sealing = sealing
  }

  /** Throws for what was not sealed for this owner. */
  open(word: string, owner: string): string {
    const known = this.#kept.get(word)
    if (known?.owner === owner) return known.text
    const text = this.#sealing.open(word, owner)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(word, { owner, text })
    return text
  }
}

export function secretOwner(endpointId: string): string {
  return `webhook endpoint ${endpointId}`
}
