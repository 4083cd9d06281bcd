/** Pieces of less are put together first: what comes in crumbs is not read again for each. */
const PIECE_BYTES = 16 * 1024

/** The same bytes in pieces that are worth the work; each is good until the next is asked for. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size < PIECE_BYTES) {
      // A copy: of what is read here, no more is promised.
      waiting.push(Uint8Array.from(chunk))
      continue
    }
    yield waiting.length === 0 ? viewOf(chunk) : Buffer.concat([...waiting, chunk])
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
