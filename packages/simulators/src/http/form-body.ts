import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { keepMultipart, keepStart, MOST_KEPT_BYTES, type KeptBody } from './kept-body.ts'
import { MultipartParser } from './multipart.ts'
import { malformedBody, type RequestBody } from './request-body.ts'

interface FormOptions {
  readonly contentType: string
  /** The most bytes of the whole body. */
  readonly limit: number
}

/** Reads `multipart/form-data` as it streams in: of a file of any size, only its hash is held. */
export async function readForm(
  stream: Readable,
  { contentType, limit }: FormOptions,
): Promise<RequestBody> {
  const parser = new MultipartParser(contentType)
  const seen = new Seen()
  // To the end also if it is malformed: who is still sending does not hear an answer.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    seen.take(chunk)
    if (seen.size > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
    parser.write(chunk)
  }
  try {
    const form = parser.end()
    return { kept: keepMultipart(form), value: form }
  } catch (cause) {
    return malformedBody({ kept: seen.keep(), type: 'multipart/form-data', cause })
  }
}

/** What is remembered of the bytes themselves: enough to show a body that is no form. */
class Seen {
  readonly #hash = createHash('sha256')
  readonly #start: Buffer[] = []
  size = 0

  take(chunk: Buffer): void {
    const room = MOST_KEPT_BYTES - this.size
    if (room > 0) this.#start.push(Buffer.from(chunk.subarray(0, room)))
    this.size += chunk.length
    this.#hash.update(chunk)
  }

  keep(): KeptBody {
    const start = Buffer.concat(this.#start)
    return keepStart({ start, size: this.size, sha256: this.#hash.digest('hex') })
  }
}
