import { Readable, addAbortSignal } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { NotStored, type ReadOptions, type Storage, countBytes, ignoreErrors } from './storage.ts'

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Of a server other than Amazon's; its buckets are then part of the path. */
  readonly endpoint?: string
  /** Default what the SDK finds: variables, profiles, the machine's role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

const PART_BYTES = 8 * 1_048_576
/** Parts of one put on their way at once: with the one being filled, 32 MB of memory. */
const PARTS_AT_ONCE = 3
/** Of one process to the server: reads keep theirs until their last byte. */
const CONNECTIONS = 200

/** Keeps objects in a bucket. */
export function s3Storage({ bucket: Bucket, ...options }: S3Options): Storage {
  const client = new S3Client(clientConfig(options))

  return {
    async put(key, bytes, putOptions = {}) {
      const { contentType } = putOptions
      const body = countBytes(key, bytes, putOptions)
      const Body = Readable.from(body, { objectMode: false })
      // The uploader's own abort answers before its parts are gone, a body that fails does not: so
      // the signal goes to the body.
      const upload = new Upload({
        client,
        params: { Bucket, Key: key, Body, ...(contentType && { ContentType: contentType }) },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      })
      try {
        const { ETag, VersionId } = await upload.done()
        const modifiedAt = new Date()
        return { key, size: body.count, etag: bare(ETag), ...versionField(VersionId), modifiedAt }
      } finally {
        Body.destroy()
      }
    },

    async read(key, readOptions = {}) {
      const { start = 0, end = Number.POSITIVE_INFINITY, version, signal } = readOptions
      const isEmpty = end <= start
      const command = new GetObjectCommand({
        Bucket,
        Key: key,
        ...(version !== undefined && { VersionId: version }),
        ...(isEmpty ? { Range: 'bytes=0-0' } : rangeOf(readOptions)),
      })
      try {
        const { Body } = await client.send(command, signal ? { abortSignal: signal } : {})
        const body = Body as Readable
        if (isEmpty) body.destroy()
        if (isEmpty) return Readable.from([])
        return ignoreErrors(signal ? addAbortSignal(signal, body) : body)
      } catch (error) {
        if (isMissing(error)) throw new NotStored(key, { cause: error })
        if (isBehindEnd(error)) return Readable.from([])
        throw error
      }
    },

    async head(key) {
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: key }))
        const { ETag, VersionId, ContentLength: size = 0, LastModified } = found
        const modifiedAt = LastModified ?? new Date(0)
        return { key, size, etag: bare(ETag), ...versionField(VersionId), modifiedAt }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    async *list(prefix) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
        for (const { Key: key, Size: size = 0, ETag, LastModified } of page.Contents ?? []) {
          if (key === undefined) continue
          yield { key, size, etag: bare(ETag), modifiedAt: LastModified ?? new Date(0) }
        }
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    },
  }
}

function clientConfig({
  endpoint,
  region,
  credentials,
}: Omit<S3Options, 'bucket'>): S3ClientConfig {
  return {
    region,
    ...(endpoint !== undefined && {
      endpoint,
      forcePathStyle: true,
      // Servers other than Amazon's do not all know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    ...(credentials && { credentials }),
    maxAttempts: 5,
    requestHandler: {
      // Waiting for a free connection counts too: those who stream evidence hold theirs for long.
      connectionTimeout: 30_000,
      // A line that says nothing for so long is dead: without, a lost packet holds a job for ever.
      socketTimeout: 60_000,
      httpAgent: { maxSockets: CONNECTIONS },
      httpsAgent: { maxSockets: CONNECTIONS },
    },
  }
}

function rangeOf({ start = 0, end }: ReadOptions): { Range?: string } {
  if (start === 0 && end === undefined) return {}
  return { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` }
}

function versionField(version: string | undefined): { version?: string } {
  return version === undefined || version === 'null' ? {} : { version }
}

function bare(etag = ''): string {
  return etag.replaceAll('"', '')
}

const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchVersion'])

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && MISSING.has(error.name)
}

function isBehindEnd(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 416
}
