import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { NotStored, type Storage } from '../storage/storage.ts'
import type { Artifact } from '../rows/queries.ts'
import { multipartBody } from './multipart.ts'
import { answerOf, type Answer } from './outcome.ts'

export interface DocumentsOptions {
  /** Where `/attach-evidence` is. */
  address(): string
  readonly token: string | undefined
  /** For the whole exchange. */
  readonly timeoutMs: number
  readonly storage: Storage
}

export interface Attachment {
  readonly rowId: string
  readonly caseId: string
  readonly artifacts: readonly Artifact[]
  readonly signal: AbortSignal
}

/** The document management API. */
export interface Documents {
  /**
   * Attaches files to a case, once for each row: the row's id is the idempotency key. Throws only for
   * what is not the API's doing: storage that cannot be read, or the signal.
   */
  attach(attachment: Attachment): Promise<Answer>
  close(): Promise<void>
}

/** Of an answer: no honest one comes near it. */
const MOST_BYTES = 1024 * 1024

export function documentsApi(options: DocumentsOptions): Documents {
  const { address, token, timeoutMs, storage } = options
  const agent = new Agent({ maxResponseSize: MOST_BYTES, connections: 64 })
  return {
    async attach({ rowId, caseId, artifacts, signal }) {
      const ours: { error?: Error } = {}
      const whole = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const files = artifacts.map((artifact) => prepareFile(artifact, { storage, signal: whole }))
      const body = multipartBody({ case_id: caseId }, { field: 'files', files })
      try {
        const response = await request(`${address()}/attach-evidence`, {
          dispatcher: agent,
          method: 'POST',
          headers: {
            'idempotency-key': rowId,
            'content-type': body.contentType,
            'content-length': String(body.length),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body: Readable.from(noting(body.bytes(), ours), { objectMode: false }),
          signal: whole,
        })
        return answerOf(response.statusCode, parseJson(await response.body.text()), files.length)
      } catch (error) {
        signal.throwIfAborted()
        if (ours.error instanceof NotStored) return lostAnswer(ours.error)
        if (ours.error !== undefined && !whole.aborted) throw ours.error
        return { kind: 'failed', message: noAnswer(error) }
      }
    },
    close: () => agent.close(),
  }
}

function prepareFile(
  { filename, content_type: contentType, size_bytes: size, storage_key: key }: Artifact,
  { storage, signal }: { storage: Storage; signal: AbortSignal },
) {
  // Folders of the archive are the merchant's business.
  const name = filename.slice(filename.lastIndexOf('/') + 1)
  return { name, contentType, size: Number(size), read: () => storage.read(key, { signal }) }
}

/** Tells our own mistakes from those of the network: both end the request. */
async function* noting(
  bytes: AsyncIterable<Uint8Array>,
  ours: { error?: Error },
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    ours.error = error instanceof Error ? error : new Error(String(error))
    throw error
  }
}

function lostAnswer({ key }: NotStored): Answer {
  const message = `The evidence is no longer in storage (${key}).`
  return { kind: 'refused', code: 'EVIDENCE_LOST', message }
}

function noAnswer(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') return 'The document API did not answer in time.'
  return `The document API could not be asked${code === undefined ? '' : ` (${code})`}.`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
