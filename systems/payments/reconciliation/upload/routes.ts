import { tmpdir } from 'node:os'
import multipart from '@fastify/multipart'
import { sweepSpool } from '@posthorn/bulk/spool'
import { UploadSlots, inTime, type Pace } from '@posthorn/bulk/upload'
import type { Queryable } from '@posthorn/engine'
import { callerOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { findProfile, type Profile, type ProfileKey } from '../profiles/queries.ts'
import { FileBody, discardRest } from './body.ts'
import { incomingFile, type Incoming } from './incoming.ts'
import { problem } from '../../problems.ts'
import type { NewRun } from './queries.ts'
import { uploadFile } from './schemas.ts'
import { createProgress, storeUpload } from './upload.ts'

export interface UploadRoutesOptions {
  readonly pool: Pool
  readonly settings: {
    readonly RECONCILIATION_MAX_BYTES: number
    readonly RECONCILIATION_MAX_RECORDS: number
    readonly RECONCILIATION_MAX_UPLOADS: number
    readonly RECONCILIATION_UPLOADS_PER_ORG: number
    readonly RECONCILIATION_UPLOAD_BYTES_PER_SECOND: number
    readonly RECONCILIATION_UPLOAD_WINDOW_MS: number
    readonly RECONCILIATION_SPOOL_FOLDER?: string
  }
}

/** What a client may call its file; what it is, its content says. */
const FILE_TYPES = [
  'text/csv',
  'text/plain',
  'text/xml',
  'application/xml',
  'application/octet-stream',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]

/** Adds `POST /api/v1/reconciliations`, in a scope of its own: no other route takes files. */
export async function uploadRoutes(
  app: App,
  { pool, settings }: UploadRoutesOptions,
): Promise<void> {
  const slots = new UploadSlots({
    inAll: settings.RECONCILIATION_MAX_UPLOADS,
    perOrg: settings.RECONCILIATION_UPLOADS_PER_ORG,
  })
  const maxBytes = settings.RECONCILIATION_MAX_BYTES
  const folder = settings.RECONCILIATION_SPOOL_FOLDER ?? tmpdir()
  const pace: Pace = {
    minBytesPerSecond: settings.RECONCILIATION_UPLOAD_BYTES_PER_SECOND,
    windowMs: settings.RECONCILIATION_UPLOAD_WINDOW_MS,
    tooSlow: () => problem('REQUEST_TIMEOUT', { detail: 'The file came too slowly.' }),
  }
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FILE_TYPES, (_request, payload, done) => done(null, payload))
    scope.addHook('onReady', () => sweepSpool(folder))
    // How large a file may be is counted where it is read.
    const limits = { files: 1, fields: 20, fieldSize: 16_384, fileSize: Number.MAX_SAFE_INTEGER }
    await scope.register(multipart, { limits })
    scope.post('/api/v1/reconciliations', { schema: uploadFile }, async (request, reply) => {
      const { org: orgId, sub: userId } = callerOf(request)
      const { profile: profileId, uploadId, filename } = request.query
      if (slots.take(orgId) !== 'taken') {
        discardRest(request.raw)
        throw problem('TOO_MANY_UPLOADS', { retryAfterSeconds: 5 })
      }
      const tell = createProgress(pool, { uploadId, orgId })
      let incoming: Incoming | undefined
      try {
        const profile = profileId && (await findOwn(pool, { id: profileId, orgId }))
        incoming = await inTime(incomingFile(request, maxBytes), pace)
        const { contentType, totalBytes } = incoming
        const run = await storeUpload(pool, {
          orgId,
          userId,
          filename: filename ?? incoming.filename ?? 'upload.csv',
          body: new FileBody(incoming.stream, { maxBytes, pace }),
          contentType,
          totalBytes,
          folder,
          profile: profile || undefined,
          uploadId,
          maxRecords: settings.RECONCILIATION_MAX_RECORDS,
          tell,
        })
        const location = `/api/v1/reconciliations/${run.id}`
        return await reply.code(201).header('location', location).send(toResource(run))
      } finally {
        slots.free(orgId)
        discardRest(request.raw, incoming?.stream)
      }
    })
  })
}

async function findOwn(db: Queryable, key: ProfileKey): Promise<Profile> {
  const profile = await findProfile(db, key)
  if (!profile) throw problem('NOT_FOUND', { detail: `There is no profile ${key.id}.` })
  return profile
}

function toResource(run: NewRun) {
  const { id, filename, format, total, duplicates, sums, bytes, hash, profile } = run
  return {
    id,
    filename,
    format,
    total,
    duplicates,
    sums: Object.entries(sums).map(([currency, sum]) => ({ currency, ...sum })),
    bytes,
    sha256: hash.toString('hex'),
    pending: run.pending,
    balances: run.balances,
    profile: profile ? { id: profile.id, version: profile.version } : null,
  }
}
