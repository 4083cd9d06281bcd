import { createHash, randomBytes } from 'node:crypto'
import { isSealed, type Sealing } from '../sealing.ts'

/** 256 random bits, as one word that fits into a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The token that an event carries, sealed for it or in clear. */
export function tokenOf(
  carried: string,
  { id, sealing }: { id: string; sealing: Sealing },
): string {
  return isSealed(carried) ? sealing.open(carried, id) : carried
}

/**
 * What is stored of a token. An invitation is found by it, so that no comparison takes a time that
 * says something about the token; and it needs no salt, since 256 bits cannot be guessed.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
