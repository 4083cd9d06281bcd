import { invalid } from '@posthorn/http'
import type { Sealing } from '@posthorn/system'

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
