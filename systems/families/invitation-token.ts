import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, as one word that fits into a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * What is stored of a token. An invitation is found by it, so that no comparison takes a time that
 * says something about the token; and it needs no salt, since 256 bits cannot be guessed.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
