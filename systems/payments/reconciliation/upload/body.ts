import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { keepPace, type Pace } from '@posthorn/bulk/upload'
import { invalid, ProblemError } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import { problem } from '../../problems.ts'

/** A file of a request, not read yet. */
export interface Incoming {
  readonly stream: Readable
  /** What the form calls it. */
  readonly filename: string | undefined
  /** What the client says that it is. */
  readonly contentType: string | undefined
  /** How many bytes the request has; undefined if it does not say. */
  readonly totalBytes: number | undefined
}

/** What a form may have around its file. */
const FORM_BYTES = 64 * 1024
const LONGEST_NAME = 255

/** The file in a request, as its body or in a form. */
export async function incomingFile(request: FastifyRequest, maxBytes: number): Promise<Incoming> {
  const length = request.headers['content-length']
  const totalBytes = length === undefined ? undefined : Number(length)
  if (!request.isMultipart()) {
    if (totalBytes !== undefined && totalBytes > maxBytes) throw tooLarge(maxBytes)
    // No content type and no body: nothing was parsed.
    const stream = (request.body ?? request.raw) as Readable
    const contentType = request.headers['content-type']
    return { stream, filename: undefined, contentType, totalBytes }
  }
  if (totalBytes !== undefined && totalBytes > maxBytes + FORM_BYTES) throw tooLarge(maxBytes)
  const part = await filePart(request)
  if (!part) throw invalid([{ field: 'file', reason: 'is required' }])
  const { file: stream, mimetype: contentType } = part
  return { stream, filename: shownName(part.filename), contentType, totalBytes }
}

async function filePart(request: FastifyRequest): Promise<MultipartFile | undefined> {
  try {
    return await request.file()
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause
    throw problem('BAD_REQUEST', { detail: 'The form cannot be read.', cause })
  }
}

function shownName(name: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken away
  const plain = name?.replaceAll(/[\u0000-\u001F\u007F]/g, '').trim()
  return plain === undefined || plain === '' ? undefined : plain.slice(-LONGEST_NAME).toWellFormed()
}

export interface BodyLimits {
  readonly maxBytes: number
  readonly pace: Pace
}

/** Given on in parts: what is read of a part waits with it, and may survive a collection. */
const PART_BYTES = 16_384

/**
 * The bytes of a file as they arrive, counted and hashed on the way. A part is good until the next one
 * is asked for: then its memory is freed, since a file that comes fast would else be in memory before
 * the first collection.
 */
export class FileBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  readonly #limits: BodyLimits
  readonly #hash = createHash('sha256')
  #bytes = 0

  constructor(stream: Readable, limits: BodyLimits) {
    this.#stream = stream
    this.#limits = limits
  }

  get maxBytes(): number {
    return this.#limits.maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** SHA-256, once all has been read. */
  digest(): Buffer {
    return this.#hash.digest()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { maxBytes, pace } = this.#limits
    for await (const bytes of keepPace(whole(this.#stream), pace)) {
      this.#bytes += bytes.length
      if (this.#bytes > maxBytes) throw tooLarge(maxBytes)
      this.#hash.update(bytes)
      for (let at = 0; at < bytes.length; at += PART_BYTES) {
        yield bytes.subarray(at, at + PART_BYTES)
      }
      free(bytes)
    }
  }
}

/** Not what others have a part of, as in a form: there the whole goes with the last of them. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** The stream to its end; one that breaks off is a bad request, not our mistake. */
async function* whole(stream: Readable): AsyncGenerator<Uint8Array> {
  // A request that is destroyed takes its connection along, and with it the answer why.
  const chunks = stream.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw problem('BAD_REQUEST', { detail: 'The body ended early.', cause })
      })
      if (next.done === true) return
      yield next.value as Uint8Array
    }
  } finally {
    await chunks.return?.()
  }
}

/** What a body begins with, and all of it. */
export async function peek(
  body: AsyncIterable<Uint8Array>,
  wanted: number,
): Promise<{ readonly beginning: Buffer; readonly bytes: AsyncIterable<Uint8Array> }> {
  const chunks = body[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let size = 0
  while (size < wanted) {
    const next = await chunks.next()
    if (next.done === true) break
    first.push(Uint8Array.from(next.value))
    size += next.value.length
  }
  return { beginning: Buffer.concat(first), bytes: joined(first, chunks) }
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** How long a client may go on sending what is not read; then its connection is cut. */
const DISCARD_MS = 10_000

/**
 * Throws away what is left of a body, so that the client can finish, and read why its file was
 * refused: a connection that is closed before is reset, and the answer lost.
 */
export function discardRest(request: IncomingMessage, stream: Readable = request): void {
  stream.resume()
  if (request.complete || request.destroyed) return
  const cut = setTimeout(() => request.destroy(), DISCARD_MS).unref()
  request.once('close', () => clearTimeout(cut))
}

function tooLarge(maxBytes: number): ProblemError {
  return problem('PAYLOAD_TOO_LARGE', { detail: `A file may have ${maxBytes} bytes.` })
}
