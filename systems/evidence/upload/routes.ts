import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import { UploadSlots, inTime, keepPace, type Pace, type SlotLimits } from '@posthorn/bulk/upload'
import { transaction, uuid } from '@posthorn/engine'
import { fingerprint } from '@posthorn/engine/inbox'
import { callerOf, ProblemError, type App } from '@posthorn/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { createOneByOne } from '@posthorn/system'
import { warningsOf } from '../jobs/job.ts'
import { countUsage, findByIdempotencyKey } from '../jobs/queries.ts'
import { limitOf, receiveUpload, type MerchantLimits, type Reception } from '../jobs/receive.ts'
import { problem } from '../problems.ts'
import { TooLarge, type Storage } from '../storage/storage.ts'

interface Hashed {
  readonly bytes: AsyncIterable<Uint8Array>
  /** SHA-256 in hex, once the bytes have been read to their end. */
  digest(): string
}

export interface UploadOptions {
  readonly pool: Pool
  readonly storage: Storage
  readonly limits: MerchantLimits
  /** The same bytes within so many days are worth a warning; 0 for none. */
  readonly sameWithinDays: number
  readonly atOnce: SlotLimits
  readonly pace: Omit<Pace, 'tooSlow'>
  /** Of the ZIP. */
  readonly maxBytes: number
}

interface Taken {
  readonly request: FastifyRequest<{ Querystring: { filename?: string } }>
  readonly reply: FastifyReply
  readonly key: string | undefined
}

const PATH = '/api/v1/file-jobs'
const ZIP_TYPES = ['application/zip', 'application/x-zip-compressed', 'application/octet-stream']
/** What the form around the file may add. */
const FORM_BYTES = 64 * 1024

const schema = {
  summary: 'Upload a ZIP with one CSV and evidence files, once per Idempotency-Key',
  description:
    'Body: `application/zip`, or `multipart/form-data` with one file. The file is processed after the answer; read the job for its progress.',
  tags: ['evidence'],
  querystring: Type.Object({
    filename: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }),
    ),
  }),
  response: {
    202: Type.Object({ fileJobId: Type.String(), warnings: Type.Array(Type.String()) }),
  },
}

/** Where an upload is kept. Not under `incoming/`, where it would be found once more. */
export function uploadKey(jobId: string): string {
  return `uploads/${jobId}.zip`
}

export async function uploadRoutes(app: App, options: UploadOptions): Promise<void> {
  const { pool, storage, limits, maxBytes, sameWithinDays } = options
  const slots = new UploadSlots(options.atOnce)
  // Each takes the merchant's lock, and one that waits for it in the database has a connection meanwhile.
  const receiving = createOneByOne()
  const pace = { ...options.pace, tooSlow: () => slowProblem(options.pace.minBytesPerSecond) }

  await app.register(async (scope) => {
    const limit = { files: 1, fields: 10, fieldSize: FORM_BYTES, fileSize: Number.MAX_SAFE_INTEGER }
    await scope.register(multipart, { limits: limit })
    scope.addContentTypeParser(ZIP_TYPES, (_request, payload, done) => done(null, payload))

    scope.post<{ Querystring: { filename?: string } }>(PATH, { schema }, async (request, reply) => {
      const { org } = callerOf(request)
      const key = keyOf(request)
      if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw tooLarge()
      await refuseEarly({ org, key })
      takeSlot(org)
      try {
        return await takeUpload({ request, reply, key })
      } finally {
        slots.free(org)
      }
    })

    async function takeUpload({ request, reply, key }: Taken) {
      const { org, sub } = callerOf(request)
      const { bytes, name } = await inTime(bodyOf(request), pace)
      const filename = request.query.filename ?? name ?? 'upload.zip'
      const id = uuid()
      const body = hashBytes(keepPace(bytes, pace))
      const stored = await storage
        .put(uploadKey(id), body.bytes, { contentType: 'application/zip', maxBytes })
        .catch((error: unknown) => {
          throw explain(error)
        })
      const sha256 = body.digest()
      const upload = {
        ...{ id, org, filename, key: stored.key, etag: stored.etag, size: stored.size },
        version: stored.version,
        idempotencyKey: key,
        fingerprint: fingerprint({ method: 'POST', route: PATH, body: { filename, sha256 } }),
        ...{ sha256, by: sub },
      }
      const reception = await receiving(org, () =>
        transaction(pool, (tx) => receiveUpload(tx, upload, { limits, sameWithinDays })),
      )
      // What has no job is swept away later, if this does not succeed.
      if (reception.kind !== 'created') await storage.remove(stored.key).catch(() => undefined)
      const job = acceptedResource(reception)
      if (reception.kind === 'existing') reply.header('idempotent-replayed', 'true')
      return reply.code(202).send({ fileJobId: job.id, warnings: warningsOf(job) })
    }
  })

  function takeSlot(org: string): void {
    const slot = slots.take(org)
    if (slot === 'taken') return
    const detail = `${slot === 'all used up' ? 'All' : "The merchant's"} uploads at once are under way.`
    const code = slot === 'all used up' ? 'UPLOADS_BUSY' : 'MERCHANT_LIMIT'
    throw problem(code, { detail, retryAfterSeconds: 5 })
  }

  /** Refuses before a gigabyte is sent. A repeat of an accepted upload is never refused. */
  async function refuseEarly({ org, key }: { org: string; key: string | undefined }) {
    if (key !== undefined && (await findByIdempotencyKey(pool, { org, key }))) return
    const limited = limitOf(await countUsage(pool, org), limits)
    if (limited) acceptedResource(limited)
  }
}

/** The header alone: the fingerprint needs the bytes, and they have not come yet. */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const key = /^"(.*)"$/.exec(String(header))?.[1] ?? String(header)
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  const reason = 'must be 1 to 255 printable ASCII characters'
  throw problem('IDEMPOTENCY_KEY_INVALID', { errors: [{ field: 'Idempotency-Key', reason }] })
}

/** The ZIP's bytes as they come, and the name that the form gives them. */
async function bodyOf(
  request: FastifyRequest,
): Promise<{ bytes: AsyncIterable<Uint8Array>; name: string | undefined }> {
  if (request.isMultipart()) {
    const part = await request.file().catch((error: unknown) => {
      // A form without a boundary, or one that cannot be read: the client's mistake.
      throw isFormMistake(error) ? malformedProblem(error) : error
    })
    if (!part)
      throw problem('VALIDATION_FAILED', { errors: [{ field: 'file', reason: 'is required' }] })
    return { bytes: part.file, name: cleanName(part.filename) }
  }
  if (request.body instanceof Readable) return { bytes: request.body, name: undefined }
  throw problem('UNSUPPORTED_MEDIA_TYPE', {
    detail: 'Send the file as application/zip, or as multipart/form-data with one file.',
  })
}

/** What busboy says of a form it cannot begin to read, and the plugin of one that breaks its rules. */
function isFormMistake(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { statusCode } = error as { statusCode?: unknown }
  return (
    statusCode === undefined &&
    /^(Multipart|Malformed|Unsupported|Missing|Unexpected end)/.test(error.message)
  )
}

function malformedProblem(cause: unknown) {
  const reason = 'must be multipart/form-data with a boundary, or application/zip'
  return problem('VALIDATION_FAILED', { cause, errors: [{ field: 'content-type', reason }] })
}

function cleanName(name: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const text = name?.replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, 255)
  return text === '' ? undefined : text
}

function acceptedResource(reception: Reception) {
  switch (reception.kind) {
    case 'created':
    case 'existing':
      return reception.job
    case 'reused':
      throw problem('IDEMPOTENCY_KEY_REUSED', {
        detail: 'The Idempotency-Key was used with another file. Use a new key.',
      })
    case 'limited': {
      const { detail, retryAfterSeconds } = reception
      throw problem('MERCHANT_LIMIT', { detail, retryAfterSeconds })
    }
  }
}

function slowProblem(minBytesPerSecond: number) {
  const detail = `An upload has to bring ${minBytesPerSecond} bytes a second.`
  return problem('UPLOAD_TOO_SLOW', { detail })
}

function tooLarge() {
  return problem('PAYLOAD_TOO_LARGE', { detail: 'The ZIP is larger than allowed.' })
}

/** A client that went away is not our fault. */
function explain(error: unknown): unknown {
  if (error instanceof TooLarge) return tooLarge()
  const { cause } = error as { cause?: unknown }
  if (cause instanceof ProblemError) return cause
  const { code } = error as { code?: unknown }
  const isGone = code === 'ECONNRESET' || code === 'FST_MP_PREMATURE_CLOSE'
  return isGone ? problem('UPLOAD_INCOMPLETE', { cause: error }) : error
}

/** Hashes bytes on their way to another reader. */
function hashBytes(bytes: AsyncIterable<Uint8Array>): Hashed {
  const hash = createHash('sha256')
  async function* hashAndPass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk)
      yield chunk
    }
  }
  return { bytes: hashAndPass(), digest: () => hash.digest('hex') }
}
