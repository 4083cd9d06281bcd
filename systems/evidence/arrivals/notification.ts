import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** An object as an event describes it: it may be gone or replaced by now. */
export interface CreatedObject {
  readonly bucket: string
  readonly key: string
  readonly version?: string
  readonly etag?: string
  readonly size?: number
}

export interface Notification {
  readonly created: readonly CreatedObject[]
  /** Parts of it that say nothing about a new object, or nothing that we understand. */
  readonly others: number
}

const S3Record = Compile(
  Type.Object({
    eventVersion: Type.String(),
    eventName: Type.String(),
    s3: Type.Object({
      bucket: Type.Object({ name: Type.String() }),
      object: Type.Object({
        key: Type.String(),
        size: Type.Optional(Type.Number()),
        eTag: Type.Optional(Type.String()),
        versionId: Type.Optional(Type.String()),
      }),
    }),
  }),
)

const BridgeDetail = Type.Object({
  bucket: Type.Object({ name: Type.String() }),
  object: Type.Object({
    key: Type.String(),
    size: Type.Optional(Type.Number()),
    etag: Type.Optional(Type.String()),
    'version-id': Type.Optional(Type.String()),
  }),
})
const BridgeEvent = Compile(
  Type.Object({
    source: Type.Literal('aws.s3'),
    'detail-type': Type.Literal('Object Created'),
    detail: BridgeDetail,
  }),
)

const Records = Compile(Type.Object({ Records: Type.Array(Type.Unknown()) }))
const Wrapped = Compile(Type.Object({ Type: Type.Literal('Notification'), Message: Type.String() }))

/**
 * Reads what a bucket says: S3's own form, as MinIO and others send it too, the same wrapped by SNS,
 * and EventBridge's. What is not understood is counted, not refused: its sender would only repeat it.
 */
export function readNotification(body: unknown): Notification {
  if (Wrapped.Check(body)) return readNotification(unwrap(body.Message))
  if (BridgeEvent.Check(body)) return { created: [readBridgeDetail(body.detail)], others: 0 }
  if (!Records.Check(body)) return { created: [], others: 1 }
  const created = body.Records.map(readRecord).filter((object) => object !== undefined)
  return { created, others: body.Records.length - created.length }
}

/** No sender wraps a message twice. */
function unwrap(text: string): unknown {
  try {
    const inner: unknown = JSON.parse(text)
    return Wrapped.Check(inner) ? undefined : inner
  } catch {
    return undefined
  }
}

function readRecord(record: unknown): CreatedObject | undefined {
  if (!S3Record.Check(record)) return undefined
  // A new minor version only adds fields.
  if (!record.eventVersion.startsWith('2.')) return undefined
  if (!/^(s3:)?ObjectCreated:/.test(record.eventName)) return undefined
  const { bucket, object } = record.s3
  const key = decodeKey(object.key)
  if (key === undefined) return undefined
  return {
    bucket: bucket.name,
    key,
    ...(object.size !== undefined && { size: object.size }),
    ...etagOf(object.eTag),
    ...versionOf(object.versionId),
  }
}

/** Keys are not encoded here. */
function readBridgeDetail({ bucket, object }: Static<typeof BridgeDetail>): CreatedObject {
  return {
    bucket: bucket.name,
    key: object.key,
    ...(object.size !== undefined && { size: object.size }),
    ...etagOf(object.etag),
    ...versionOf(object['version-id']),
  }
}

/** Encoded as in a form, where a plus sign is a space. */
function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function etagOf(etag = ''): { etag?: string } {
  const bare = etag.replaceAll('"', '')
  return bare === '' ? {} : { etag: bare }
}

/** Buckets that stopped keeping versions call theirs `null`. */
function versionOf(version = ''): { version?: string } {
  return version === '' || version === 'null' ? {} : { version }
}
