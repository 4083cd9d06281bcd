import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

/*
 * Ed25519 as Standard Webhooks writes it: `whsk_` before the private key and `whpk_` before the
 * public one, both in base64; a signature is named `v1a`. The receiver needs the public key only.
 */

export const PRIVATE_PREFIX = 'whsk_'
export const PUBLIC_PREFIX = 'whpk_'

/** The key's 32 bytes behind these are what Node reads. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const KEY_BYTES = 32

/** A key pair for signatures that everyone can check who has the public key. */
export interface WebhookKeyPair {
  /** `whsk_…`: the private key and behind it the public one, 64 bytes. */
  readonly privateKey: string
  /** `whpk_…` */
  readonly publicKey: string
}

export function newWebhookKeyPair(): WebhookKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES)
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
  return {
    privateKey: PRIVATE_PREFIX + Buffer.concat([seed, point]).toString('base64'),
    publicKey: PUBLIC_PREFIX + point.toString('base64'),
  }
}

/** The public key that belongs to a private one. */
export function publicKeyOf(privateKey: string): string {
  const der = createPublicKey(privateKeyOf(privateKey)).export({ format: 'der', type: 'spki' })
  return PUBLIC_PREFIX + der.subarray(-KEY_BYTES).toString('base64')
}

/** Throws if the text is no private key. */
export function privateKeyOf(text: string): KeyObject {
  const bytes = bytesOf(text, PRIVATE_PREFIX)
  if (bytes.length !== KEY_BYTES && bytes.length !== 2 * KEY_BYTES) {
    throw new TypeError('a private key of webhooks is whsk_ and 32 or 64 bytes in base64')
  }
  const key = Buffer.concat([PKCS8, bytes.subarray(0, KEY_BYTES)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

export function signAsymmetric(key: KeyObject, signed: Buffer): string {
  return sign(null, signed, key).toString('base64')
}

/** Whether the owner of the private key made a signature, in base64. Throws if the key is none. */
export function verifyAsymmetric(publicKey: string, signed: Buffer, signature: string): boolean {
  const bytes = bytesOf(publicKey, PUBLIC_PREFIX)
  if (bytes.length !== KEY_BYTES) {
    throw new TypeError('a public key of webhooks is whpk_ and 32 bytes in base64')
  }
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
  return verify(null, signed, key, Buffer.from(signature, 'base64'))
}

function bytesOf(text: string, prefix: string): Buffer {
  const written = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  const bytes = Buffer.from(written, 'base64')
  // Node skips what is not base64.
  const isExact = bytes.toString('base64').replace(/=+$/, '') === written.replace(/=+$/, '')
  return isExact ? bytes : Buffer.alloc(0)
}
