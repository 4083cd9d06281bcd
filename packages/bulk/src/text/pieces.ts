/** Pieces of less are put together first: what comes in crumbs is not read again for each. */
const PIECE_BYTES = 16 * 1024

/** The same bytes in pieces that are worth the work. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    waiting.push(chunk)
    size += chunk.length
    if (size < PIECE_BYTES) continue
    yield together(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield together(waiting)
}

function together(chunks: readonly Uint8Array[]): Buffer {
  const [first] = chunks
  if (first === undefined || chunks.length > 1) return Buffer.concat(chunks)
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength)
}
