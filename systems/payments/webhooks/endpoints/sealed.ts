import { uuid, type Transaction } from '@posthorn/engine'
import { invalid } from '@posthorn/http'
import type { Sealing } from '@posthorn/system'
import { newWebhookKeyPair, newWebhookSecret } from '@posthorn/transports/webhook'
import type { Signing } from './endpoint.ts'
import { expireSecrets, insertSecret } from './queries.ts'

/* What is sealed of an endpoint: the query of its URL, and its secrets. */

/** Shown in place of a value; sent back as it is, it keeps what is stored. */
const MASK = '••••••'

/** A URL as it is stored: readable without the values of its query, and those sealed. */
export interface StoredUrl {
  /** With `••••••` for each value of its query. */
  readonly url: string
  /** The query as it is sent; null where there is none. */
  readonly url_query: string | null
}

/**
 * A URL without the values of its query, which often are secrets: `?token=••••••`. A word without a
 * name may be one as well. What is masked already stays as it is.
 */
export function maskUrl(url: string): string {
  const [base, tail] = splitUrl(url)
  if (tail === '') return url
  const [query = '', ...fragment] = tail.split('#')
  const masked = query === '' ? '' : `?${query.slice(1).split('&').map(maskPair).join('&')}`
  return `${base}${masked}${fragment.length === 0 ? '' : `#${MASK}`}`
}

interface SealOptions {
  readonly sealing: Sealing
  readonly endpointId: string
  /** What is stored now: masked values that are sent back keep theirs. */
  readonly before?: StoredUrl
}

/** Throws a problem where a masked value stands for none that may be kept. */
export function sealUrl(given: string, { sealing, endpointId, before }: SealOptions): StoredUrl {
  const [base, tail] = splitUrl(given)
  if (tail === '') return { url: given, url_query: null }
  if (!tail.includes(MASK)) {
    const owner = queryOwner(endpointId, base)
    return { url: maskUrl(given), url_query: sealing.seal(tail, owner) }
  }
  if (!before || !isKept(given, before)) throw nothingToKeep()
  return { url: given, url_query: before.url_query }
}

/** The URL as it is sent. */
export function openUrl(
  { id, url, url_query: word }: StoredUrl & { readonly id: string },
  words: { open(word: string, owner: string): string },
): string {
  if (word === null) return url
  const [base] = splitUrl(url)
  return `${base}${words.open(word, queryOwner(id, base))}`
}

/**
 * Whether masked values stand for those that are stored. Only at the same host: who may change an
 * endpoint, and was never given its secret, must not have it sent elsewhere.
 */
function isKept(given: string, before: StoredUrl): boolean {
  const [[base, tail], [oldBase, oldTail]] = [splitUrl(given), splitUrl(before.url)]
  return tail === oldTail && new URL(base).origin === new URL(oldBase).origin
}

function nothingToKeep() {
  const reason = `has ${MASK} for a value that is not there to be kept at this host`
  return invalid([{ field: 'url', reason }])
}

/** Bound to the host: what is sealed for one is not sent to another. */
function queryOwner(endpointId: string, base: string): string {
  return `webhook query ${endpointId} ${new URL(base).origin}`
}

function maskPair(pair: string): string {
  const at = pair.indexOf('=')
  return at < 0 ? MASK : `${pair.slice(0, at)}=${MASK}`
}

/** What stands before the query or the fragment, and the rest. */
function splitUrl(url: string): [base: string, tail: string] {
  const at = url.search(/[?#]/)
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)]
}

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
