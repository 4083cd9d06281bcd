import {
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import {
  PRIVATE_PREFIX,
  PUBLIC_PREFIX,
  privateKeyOf,
  signAsymmetric,
  verifyAsymmetric,
} from './key-pair.ts'

/** Secrets whose keys are kept; the ones that were made first go first. */
const MOST_KEPT = 10_000

/** What is signed: the bytes that are sent, under an id that stays the same for every attempt. */
export interface Signable {
  readonly id: string
  readonly body: string | Uint8Array
  /** `whsec_…` or `whsk_…`, newest first. During a rotation all of them sign. */
  readonly secrets: readonly string[]
  /** Default now. */
  readonly at?: Date
}

/** The headers of Standard Webhooks, and the plain one that signs the body alone. */
export interface WebhookHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
  /** Absent where no `whsec_…` signs. */
  readonly 'x-webhook-signature'?: string
}

export interface Verifiable {
  /** As they came; names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes as they came: never a parsed body written anew. */
  readonly body: string | Uint8Array
  /** One of them must have signed: `whsec_…`, or `whpk_…` of a key pair. */
  readonly secrets: readonly string[]
  /** Default now. */
  readonly at?: Date
  /** How far the sender's clock may be off, either way. Default 300. */
  readonly toleranceSeconds?: number
}

/** Why a request is not believed; `missing` if it is not signed at all. */
export type Verification =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'timestamp' | 'signature' }

const PREFIX = 'whsec_'
/** What Standard Webhooks asks of a key. */
const KEY_BYTES = { made: 32, least: 24, most: 64 }
const TOLERANCE_SECONDS = 300
/** Longer headers of signatures are not read: hashing is cheap, but not free. */
const MAX_HEADER = 4_096

/** A fresh secret. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES.made).toString('base64')
}

/** What a secret becomes for each of the two ways to sign. */
interface SigningKeys {
  /** As an object: Node takes several times as long with a key of bytes. */
  readonly standard: KeyObject
  /** Undefined for a private key, which only signs by Standard Webhooks. */
  readonly plain: string | undefined
}

/** Throws if the secret is not one. */
function signingKeys(secret: string): SigningKeys {
  return secret.startsWith(PRIVATE_PREFIX)
    ? { standard: privateKeyOf(secret), plain: undefined }
    : { standard: createSecretKey(keyOf(secret)), plain: secret }
}

/**
 * Signs a body by Standard Webhooks with every secret, and by `x-webhook-signature` with the oldest
 * `whsec_…`.
 * That one holds a single signature, which many receivers compare as a whole: until the old secret
 * ends they need not know the new one.
 */
export function signWebhook({ secrets, ...request }: Signable): WebhookHeaders {
  return signWith(secrets.map(signingKeys), request)
}

/** The same with keys that are there already. */
function signWith(
  keys: readonly SigningKeys[],
  { id, body, at = new Date() }: Omit<Signable, 'secrets'>,
): WebhookHeaders {
  if (keys.length === 0) throw new TypeError('a webhook needs a secret to be signed with')
  const plain = keys.findLast((key) => key.plain !== undefined)?.plain
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys
      .map(({ standard }) => standardSignature(standard, { id, timestamp, body }))
      .join(' '),
    ...(plain !== undefined && { 'x-webhook-signature': plainSignature(plain, body) }),
  }
}

/**
 * Checks the signatures of a request in constant time. One kind suffices; a kind that is there must
 * be right. Compare `webhook-id` with the ones you have seen: a repeat within the tolerance is valid.
 */
export function verifyWebhook(request: Verifiable): Verification {
  const { headers, body, secrets } = request
  const plain = headers['x-webhook-signature']
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  )
  const isStandard = standard.some((value) => value !== undefined)
  if (plain === undefined && !isStandard) return { ok: false, reason: 'missing' }
  if (isStandard) {
    const [id, timestamp, signatures] = standard
    if (!isText(id) || !isText(timestamp) || !isText(signatures) || !/^\d{1,12}$/.test(timestamp)) {
      return { ok: false, reason: 'malformed' }
    }
    if (!isTimely(Number(timestamp), request)) return { ok: false, reason: 'timestamp' }
    const given = signatures.split(' ')
    const right = secrets.filter((secret) => hasSigned(secret, given, { id, timestamp, body }))
    if (right.length === 0) return { ok: false, reason: 'signature' }
  }
  // Who has a public key only cannot check the plain one, and has checked the other.
  const shared = secrets.filter((secret) => !secret.startsWith(PUBLIC_PREFIX))
  if (plain === undefined || (isStandard && shared.length === 0)) return { ok: true }
  if (!isText(plain)) return { ok: false, reason: 'malformed' }
  const right = shared.filter((secret) => isEqual(plain, plainSignature(secret, body)))
  return right.length > 0 ? { ok: true } : { ok: false, reason: 'signature' }
}

interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly body: string | Uint8Array
}

/** With its version: `v1,…` of a shared secret, `v1a,…` of a private key. */
function standardSignature(key: KeyObject, signed: Signed): string {
  if (key.type === 'private') return `v1a,${signAsymmetric(key, bytesOf(signed))}`
  const { id, timestamp, body } = signed
  const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${hash.digest('base64')}`
}

/** Whether one of the signatures was made with a secret, or with the private key of a public one. */
function hasSigned(secret: string, signatures: readonly string[], signed: Signed): boolean {
  if (secret.startsWith(PUBLIC_PREFIX)) {
    return signatures
      .filter((each) => each.startsWith('v1a,'))
      .some((each) => verifyAsymmetric(secret, bytesOf(signed), each.slice('v1a,'.length)))
  }
  const expected = standardSignature(createSecretKey(keyOf(secret)), signed)
  return signatures.some((signature) => isEqual(signature, expected))
}

function bytesOf({ id, timestamp, body }: Signed): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), content])
}

/** The secret is the key as it stands, its prefix included: what `createHmac('sha256', secret)` does. */
function plainSignature(secret: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** A `whsec_` secret is base64; any other is a key of its own bytes. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) return Buffer.from(secret)
  const text = secret.slice(PREFIX.length)
  const key = Buffer.from(text, 'base64')
  // Node skips what is not base64: a key of other bytes than the owner thinks is worse than none.
  const isExact = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (!isExact || key.length < KEY_BYTES.least || key.length > KEY_BYTES.most) {
    throw new TypeError('a webhook secret is whsec_ and 24 to 64 bytes in base64')
  }
  return key
}

function isTimely(seconds: number, { at = new Date(), toleranceSeconds }: Verifiable): boolean {
  const off = Math.abs(at.getTime() / 1000 - seconds)
  return off <= (toleranceSeconds ?? TOLERANCE_SECONDS)
}

function isText(value: string | readonly string[] | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_HEADER
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

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
