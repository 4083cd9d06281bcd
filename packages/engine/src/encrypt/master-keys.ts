import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  randomBytes,
} from 'node:crypto'
import { PosthornError } from '../errors.ts'

/** A data key as it may be stored. */
export interface WrappedKey {
  /** Names the master key; no secret. */
  readonly master: string
  readonly wrapped: Uint8Array
}

/**
 * Encrypts the data keys, which encrypt the payloads: `keyRing`, or a key management service. It is
 * asked once for each data key and process, not for each message.
 */
export interface MasterKeys {
  /** Encrypts 32 bytes with the newest master key. The same `context` is given to `unwrap`. */
  wrap(key: Uint8Array, context: string): Promise<WrappedKey>
  /** Throws while the master key cannot be had: messages wait, and no attempt is counted. */
  unwrap(wrapped: WrappedKey, context: string): Promise<Uint8Array>
}

/** As for a secret of 128 bits in letters and digits. */
const LEAST_LENGTH = 32

/**
 * Master keys from secrets of the environment: wraps with the first, unwraps with any. So a new one
 * is put in front, `posthorn keys rewrap` is run, and the old one is taken away.
 */
export function keyRing(secrets: readonly string[]): MasterKeys {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < LEAST_LENGTH)) {
    const problem = `a key ring needs secrets of ${LEAST_LENGTH} or more characters`
    throw new PosthornError('DEFINITION_INVALID', problem)
  }
  const keys = new Map(secrets.map((secret) => [nameOf(secret), keyOf(secret)]))
  const [newest] = keys
  return {
    async wrap(key, context) {
      const [master, secret] = newest as [string, KeyObject]
      return { master, wrapped: encryptBytes(secret, key, context) }
    },
    async unwrap({ master, wrapped }, context) {
      const secret = keys.get(master)
      if (!secret) {
        throw new PosthornError('PAYLOAD_KEY_MISSING', `the key ring has no master key ${master}`)
      }
      return decryptBytes(secret, wrapped, context)
    },
  }
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'posthorn master key', 32)))
}

/** The same in every process, and says nothing about the secret. */
function nameOf(secret: string): string {
  const digest = createHmac('sha256', secret).update('posthorn master key name').digest('hex')
  return `ring-${digest.slice(0, 12)}`
}

/** AES with a key of 256 bits in Galois/Counter mode. */
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts bytes as a nonce, the tag and the ciphertext; `context` must be the same to decrypt them. */
export function encryptBytes(key: KeyObject, bytes: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** What `encryptBytes` was given. Throws for another key or context, and if a bit has changed. */
export function decryptBytes(key: KeyObject, encrypted: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength)
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([body, decipher.final()])
}
