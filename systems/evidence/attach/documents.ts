import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { NotStored, type Storage } from '../storage/storage.ts'
import { noteErrors } from '../scan/clamd.ts'
import { type Answer, answerOf } from './outcome.ts'
import type { RequestedFile } from './queries.ts'

/** A file to send; its bytes are asked for when their turn comes. */
interface SentFile {
  readonly name: string
  readonly contentType: string
  readonly size: number
  read(): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>
}

interface MultipartBody {
  readonly contentType: string
  /** Known beforehand, so that the other side can refuse what is too large. */
  readonly length: number
  bytes(): AsyncGenerator<Uint8Array>
}

/** A form with fields and files that is made while it is sent: no file is held in memory. */
function multipartBody(
  fields: Readonly<Record<string, string>>,
  { field, files }: { field: string; files: readonly SentFile[] },
): MultipartBody {
  const boundary = `posthorn-${randomUUID()}`
  const head = (disposition: string, more = '') =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`)
  const texts = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([head(`name="${escapeName(name)}"`), Buffer.from(`${value}\r\n`)]),
  )
  const parts = files.map((file) => ({
    file,
    head: head(
      `name="${escapeName(field)}"; filename="${escapeName(file.name)}"`,
      `Content-Type: ${file.contentType}\r\n`,
    ),
  }))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const line = Buffer.from('\r\n')
  const sizes = [
    ...texts.map((text) => text.length),
    ...parts.map((part) => part.head.length + part.file.size + line.length),
  ]
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, end.length),
    async *bytes() {
      yield* texts
      for (const part of parts) {
        yield part.head
        yield* await part.file.read()
        yield line
      }
      yield end
    },
  }
}

/** As browsers do it. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

export interface DocumentsOptions {
  /** Where `/attach-evidence` is. */
  address(): string
  readonly token: string | undefined
  /** For the whole exchange. */
  readonly timeoutMs: number
  readonly storage: Storage
  /** Connections at once; calls beyond them wait for one. */
  readonly connections: number
}

export interface Attachment {
  readonly rowId: string
  readonly caseId: string
  readonly artifacts: readonly RequestedFile[]
  readonly signal: AbortSignal
  /** What the rows of one poll have in common. */
  readonly small: SmallFiles
}

/** The document management API. */
export interface Documents {
  /**
   * Attaches files to a case, once for each row: the row's id is the idempotency key. Throws only for
   * what is not the API's doing: storage that cannot be read, or the signal.
   */
  attach(attachment: Attachment): Promise<Answer>
  /** Where the files are. */
  readonly storage: Storage
  close(): Promise<void>
}

/** Of an answer: no honest one comes near it. */
const MOST_BYTES = 1024 * 1024

export function documentsApi(options: DocumentsOptions): Documents {
  const { address, token, timeoutMs, storage, connections } = options
  const agent = new Agent({ maxResponseSize: MOST_BYTES, connections })
  return {
    storage,
    async attach({ rowId, caseId, artifacts, signal, small }) {
      const ours: { error?: Error } = {}
      const whole = startDeadline(signal, timeoutMs)
      const files = artifacts.map((artifact) =>
        prepareFile(artifact, { storage, small, signal: whole.signal }),
      )
      const form = multipartBody({ case_id: caseId }, { field: 'files', files })
      try {
        const isSmall = form.length <= WHOLE_BYTES
        const response = await request(`${address()}/attach-evidence`, {
          dispatcher: agent,
          method: 'POST',
          headers: {
            'idempotency-key': rowId,
            'content-type': form.contentType,
            'content-length': String(form.length),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body: isSmall ? await readForm(form, ours) : streamForm(form, ours),
          signal: whole.signal,
        })
        return answerOf(response.statusCode, parseJson(await response.body.text()), files.length)
      } catch (error) {
        signal.throwIfAborted()
        if (ours.error instanceof NotStored) return lostAnswer(ours.error)
        if (ours.error !== undefined && !whole.signal.aborted) throw ours.error
        return { kind: 'failed', message: noAnswer(whole.signal.aborted ? LATE : error) }
      } finally {
        whole.clear()
      }
    },
    close: () => agent.close(),
  }
}

/** A form up to this is sent as one piece: a stream costs more than its bytes. */
const WHOLE_BYTES = 128 * 1024

const LATE = new DOMException('too late', 'TimeoutError')

/** Aborts with the signal or when the time is over. One controller: `AbortSignal.any` costs more. */
function startDeadline(signal: AbortSignal, ms: number) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(LATE), ms)
  const follow = () => controller.abort(signal.reason)
  if (signal.aborted) follow()
  signal.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}

function prepareFile(
  { filename, content_type: contentType, size_bytes, storage_key: key }: RequestedFile,
  { storage, small, signal }: { storage: Storage; small: SmallFiles; signal: AbortSignal },
) {
  // Folders of the archive are the merchant's business.
  const name = filename.slice(filename.lastIndexOf('/') + 1)
  const size = Number(size_bytes)
  const read = async () => {
    const bytes = await small.read(key, size)
    return bytes ? [bytes] : storage.read(key, { signal })
  }
  return { name, contentType, size, read }
}

async function readForm(form: MultipartBody, ours: { error?: Error }): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of noteErrors(form.bytes(), ours)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function streamForm(form: MultipartBody, ours: { error?: Error }): Readable {
  return Readable.from(noteErrors(form.bytes(), ours), { objectMode: false })
}

function lostAnswer({ key }: NotStored): Answer {
  const message = `The evidence is no longer in storage (${key}).`
  return { kind: 'refused', code: 'EVIDENCE_LOST', message }
}

function noAnswer(error: unknown): string {
  const { code } = error as { code?: string }
  if (error === LATE) return 'The document API did not answer in time.'
  return `The document API could not be asked${code === undefined ? '' : ` (${code})`}.`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Files of one poll that are read whole, once for all rows which name them. */
export interface SmallFiles {
  /** The bytes; undefined where the file is streamed instead. */
  read(key: string, size: number): Promise<Uint8Array> | undefined
}

const SMALL_BYTES = 64 * 1024
/** Of all that is kept for one poll. */
const MOST_POLL_BYTES = 4 * 1024 * 1024

/** Reads each small file once, as long as they are few megabytes together. */
export function createSmallFiles(storage: Storage): SmallFiles {
  const files = new Map<string, Promise<Uint8Array>>()
  let bytes = 0
  return {
    read(key, size) {
      const known = files.get(key)
      if (known || size > SMALL_BYTES || bytes + size > MOST_POLL_BYTES) return known
      bytes += size
      const reading = readWhole(storage, key)
      // A row whose call is over before its file is read leaves no caller for a failure.
      reading.catch(() => undefined)
      files.set(key, reading)
      return reading
    },
  }
}

async function readWhole(storage: Storage, key: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await storage.read(key)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
