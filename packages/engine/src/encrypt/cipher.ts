import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'

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
