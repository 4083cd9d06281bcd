import { tmpdir } from 'node:os'
import multipart from '@fastify/multipart'
import { sweepSpool } from '@posthorn/bulk/spool'
import { UploadSlots, inTime, type Pace } from '@posthorn/bulk/upload'
import { callerOf, type App } from '@posthorn/http'
import { Id, nullable, wholeNumber } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type, type Static, type TObject } from 'typebox'
import { StatementResource, statementResource } from '../formats/findings.ts'
import { FORMATS } from '../formats/format.ts'
import { findOwn } from '../profiles/own-profile.ts'
import { PATH, tags } from '../request.ts'
import { Balances } from '../runs/run.ts'
import { discardRest, FileBody, incomingFile, type Incoming } from './body.ts'
import { problem } from '../../problems.ts'
import { createProgress, storeUpload, type StoredUpload } from './upload.ts'

const CurrencySums = Type.Array(
  Type.Object({
    currency: Type.String(),
    records: Type.Integer(),
    amount: Type.String({
      description: 'Amount in minor units, as text because it may exceed the range of numbers',
    }),
  }),
)

const uploadFile = {
  tags,
  summary: 'Upload a bank file; all of its records are stored or none',
  description:
    'The body is the file, or a form with one (`multipart/form-data`). Its format is detected: camt.053 (ISO 20022), MT940 (SWIFT), or CSV with the columns `external_transaction_id`, `amount` in major units, `currency` and `date`, in any order, unless a profile says otherwise. One ZIP may contain several camt.053 files, which become one run. A workbook (XLSX) is refused with 415: save it as CSV.',
  consumes: [
    'text/csv',
    'application/xml',
    'application/zip',
    'text/plain',
    'application/octet-stream',
    'multipart/form-data',
  ],
  querystring: Type.Object({
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[^\\u0000-\\u001f\\u007f]+$',
        description: 'Name of the file; default: the name in the form, else `upload.csv`',
      }),
    ),
    profile: Type.Optional(Id),
    uploadId: Type.Optional({
      ...Id,
      description:
        'New id of your choice, under which `/api/v1/stream` reports the progress of the upload',
    }),
  }),
  response: {
    201: Type.Object({
      id: Id,
      filename: Type.String(),
      format: Type.Enum([...FORMATS]),
      total: Type.Integer(),
      duplicates: Type.Integer({ description: 'Records with the same content as an earlier one' }),
      sums: CurrencySums,
      bytes: Type.Integer(),
      sha256: Type.String(),
      pending: Type.Integer({
        description: 'Entries that the bank has not booked yet; they are not records',
      }),
      balances: Balances,
      gaps: Type.Array(StatementResource, {
        description: 'Warning: statements whose predecessor is missing',
      }),
      profile: nullable(Type.Object({ id: Id, version: Type.Integer() })),
    }),
  },
}

/** What uploads read from the environment. */
export const uploadSettings = {
  RECONCILIATION_MAX_BYTES: wholeNumber(
    'largest bank file in bytes, 1024 to 10000000000',
    [1_024, 10_000_000_000, 1_000_000_000],
  ),
  RECONCILIATION_MAX_RECORDS: wholeNumber(
    'most records of a file, 1 to 20000000; each takes up to 48 bytes of memory',
    [1, 20_000_000, 2_000_000],
  ),
  RECONCILIATION_MAX_UPLOADS: wholeNumber(
    'concurrent uploads per server, 1 to 100; each is on its disk until it is loaded',
    [1, 100, 8],
  ),
  RECONCILIATION_UPLOADS_PER_ORG: wholeNumber(
    'concurrent uploads of one organisation, 1 to 100',
    [1, 100, 2],
  ),
  RECONCILIATION_UPLOAD_BYTES_PER_SECOND: wholeNumber(
    'slowest upload, in bytes a second; a slower one ends with 408',
    [1, 1_000_000_000, 10_000],
  ),
  RECONCILIATION_UPLOAD_WINDOW_MS: wholeNumber(
    'period over which the speed of an upload is measured, in ms',
    [100, 600_000, 30_000],
  ),
  RECONCILIATION_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description: 'folder for concurrent uploads; default the folder of temporary files',
    }),
  ),
}

export interface UploadRoutesOptions {
  readonly pool: Pool
  readonly settings: Static<TObject<typeof uploadSettings>>
}

/** What a client may call its file; what it is, its content says. */
const FILE_TYPES = [
  'text/csv',
  'text/plain',
  'text/xml',
  'application/xml',
  'application/zip',
  'application/x-zip-compressed',
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
    scope.post(PATH, { schema: uploadFile }, async (request, reply) => {
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
          ...{ orgId, userId, contentType, totalBytes, folder, uploadId, tell },
          filename: filename ?? incoming.filename ?? 'upload.csv',
          body: new FileBody(incoming.stream, { maxBytes, pace }),
          profile: profile || undefined,
          maxRecords: settings.RECONCILIATION_MAX_RECORDS,
        })
        const location = `${PATH}/${run.id}`
        return await reply.code(201).header('location', location).send(toResource(run))
      } finally {
        slots.free(orgId)
        discardRest(request.raw, incoming?.stream)
      }
    })
  })
}

function toResource(run: StoredUpload) {
  const { id, filename, format, total, duplicates, bytes, pending, balances, profile } = run
  return {
    ...{ id, filename, format, total, duplicates, bytes, pending, balances },
    gaps: run.gaps.map(statementResource),
    sums: Object.entries(run.sums).map(([currency, sum]) => ({ currency, ...sum })),
    sha256: run.hash.toString('hex'),
    profile: profile ? { id: profile.id, version: profile.version } : null,
  }
}
