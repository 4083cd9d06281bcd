import { createHash } from 'node:crypto'

export interface Hashed {
  readonly bytes: AsyncIterable<Uint8Array>
  /** SHA-256 in hex, once the bytes have been read to their end. */
  digest(): string
}

/** Hashes bytes on their way to another reader. */
export function hashBytes(bytes: AsyncIterable<Uint8Array>): Hashed {
  const hash = createHash('sha256')
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk)
      yield chunk
    }
  }
  return { bytes: passing(), digest: () => hash.digest('hex') }
}
