import { problem } from '@posthorn/http'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { keepBody, type KeptBody, keepMultipart, keepStart, MOST_KEPT_BYTES } from './kept-body.ts'
import { MultipartParser } from './multipart.ts'

/** A body as the handler gets it and as the journal keeps it. */
export interface RequestBody {
  readonly kept: KeptBody
  /** JSON as a value, multipart parsed, text as a string, everything else as bytes. */
  readonly value: unknown
  /** Set if the body is not what its content type says. */
  readonly malformed?: Error
}

/** Of everything but `multipart/form-data`, which is read as it streams in. */
export function readBody(bytes: Buffer, contentType: string | undefined): RequestBody {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const kept = keepBody(bytes)
  try {
    return { kept, value: valueOf(bytes, type) }
  } catch (cause) {
    return malformedBody({ kept, type, cause })
  }
}

export function malformedBody(body: { kept: KeptBody; type: string; cause: unknown }): RequestBody {
  const { kept, type, cause } = body
  const malformed = problem('BAD_REQUEST', { detail: `The body is not ${type}.`, cause })
  return { kept, value: undefined, malformed }
}

function valueOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined
  if (type === 'application/json' || type.endsWith('+json')) return JSON.parse(bytes.toString())
  if (type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(bytes.toString()))
  }
  return type.startsWith('text/') ? bytes.toString() : bytes
}

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
