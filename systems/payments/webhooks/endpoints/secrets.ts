import { uuid, type Transaction } from '@posthorn/engine'
import { newWebhookSecret } from '@posthorn/transports/webhook'
import type { Sealing } from '../../../sealing.ts'
import { expireSecrets, insertSecret } from './queries.ts'

/** Gives an endpoint a new secret; the ones before sign beside it for another 24 hours. */
export async function renewSecret(
  tx: Transaction,
  sealing: Sealing,
  endpointId: string,
): Promise<string> {
  const secret = newWebhookSecret()
  await expireSecrets(tx, endpointId)
  await insertSecret(tx, {
    id: uuid(),
    endpointId,
    sealed: sealing.seal(secret, owner(endpointId)),
  })
  return secret
}

/** Opened secrets that are kept; the ones that were opened first go first. */
const MOST_KEPT = 10_000

/**
 * Opens the secrets of endpoints, each once: a sealed word never comes to mean something else. Which
 * of them still sign is asked of the database for every batch.
 */
export class OpenedSecrets {
  readonly #sealing: Sealing
  readonly #kept = new Map<string, { readonly endpointId: string; readonly secret: string }>()

  constructor(sealing: Sealing) {
    this.#sealing = sealing
  }

  /** In their order. Throws for what was not sealed for this endpoint. */
  open(endpointId: string, sealed: readonly string[]): string[] {
    return sealed.map((word) => {
      const known = this.#kept.get(word)
      if (known?.endpointId === endpointId) return known.secret
      const secret = this.#sealing.open(word, owner(endpointId))
      this.#keep(word, { endpointId, secret })
      return secret
    })
  }

  #keep(word: string, opened: { endpointId: string; secret: string }): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(word, opened)
  }
}

function owner(endpointId: string): string {
  return `webhook endpoint ${endpointId}`
}
