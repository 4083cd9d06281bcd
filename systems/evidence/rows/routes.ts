import { Readable } from 'node:stream'
import { writeCsvRow } from '@posthorn/bulk/csv'
import { callerOf, PageQuery, pageOf, sortable, type App } from '@posthorn/http'
import { Id, resource } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { findJob } from '../jobs/queries.ts'
import { problem } from '../problems.ts'
import { NotStored, type Storage } from '../storage/storage.ts'
import { findArtifact, findRow, listArtifacts, listAudit, listRows, listErrors } from './queries.ts'
import {
  ArtifactResource,
  AuditResource,
  ROW_STATES,
  RowResource,
  toRowResource,
  type FileOutboxRow,
} from './row.ts'
import type { FileJob } from '../jobs/job.ts'
import { ERROR_COLUMNS } from '../processor/columns.ts'

const PAGE = 1_000

/**
 * The failed rows of a job as they were uploaded, and why: to be corrected and uploaded again. Text
 * that a spreadsheet would run has a `'` before it, which an upload with these columns takes away.
 */
function errorsCsv(pool: Pool, job: FileJob): Readable {
  return Readable.from(lines(pool, job), { objectMode: false })
}

async function* lines(pool: Pool, { id: jobId, columns }: FileJob): AsyncGenerator<string> {
  const names = columns ?? ['case_id', 'evidence_files']
  yield writeCsvRow([...names, ...ERROR_COLUMNS])
  for (let after = 0; ;) {
    const rows = await listErrors(pool, { jobId, after, limit: PAGE })
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(cellsOf(row, names))).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)?.row_number ?? after
  }
}

function cellsOf(row: FileOutboxRow, names: readonly string[]) {
  const cells = names.map((name) => {
    if (name.toLowerCase() === 'case_id') return row.case_id
    if (name.toLowerCase() === 'evidence_files') return row.evidence_files
    return row.metadata[name] ?? ''
  })
  return [...cells, row.row_number, row.error_code, row.error_message]
}

const PATH = '/api/v1/file-jobs/:id'
const tags = ['evidence']
const SORTS = sortable(['rowNumber', '-rowNumber'])
const toArtifact = resource(ArtifactResource)
const toAudit = resource(AuditResource)

const schemas = {
  list: {
    summary: 'The rows of a file, in its order',
    tags,
    params: Type.Object({ id: Id }),
    querystring: Type.Object({
      ...PageQuery.properties,
      sort: SORTS.parameter,
      status: Type.Optional(Type.Enum([...ROW_STATES])),
      caseId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    response: { 200: pageOf(RowResource) },
  },
  one: {
    summary: 'A row with its files and history',
    tags,
    params: Type.Object({ id: Id, rowId: Id }),
    response: {
      200: Type.Object({
        ...RowResource.properties,
        artifacts: Type.Array(ArtifactResource),
        audit: Type.Array(AuditResource),
      }),
    },
  },
  content: {
    summary: 'An evidence file',
    tags,
    params: Type.Object({ id: Id, artifactId: Id }),
    produces: ['application/octet-stream'],
  },
  errors: {
    summary: 'Failed rows as CSV, to correct and upload again',
    tags,
    params: Type.Object({ id: Id }),
    produces: ['text/csv'],
  },
}

const RowNumber = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

export interface RowRoutesOptions {
  readonly pool: Pool
  readonly storage: Storage
}

export function rowRoutes(app: App, { pool, storage }: RowRoutesOptions): void {
  const jobOf = async (key: { id: string; org: string }) => {
    const job = await findJob(pool, key)
    if (!job) throw problem('NOT_FOUND')
    return job
  }

  app.get(`${PATH}/rows`, { schema: schemas.list }, async (request) => {
    const { id: jobId } = await jobOf({ id: request.params.id, org: callerOf(request).org })
    const { limit, sort, status, caseId } = request.query
    const after = SORTS.placeIn(request.query, RowNumber)
    const rows = await listRows(pool, { jobId, status, caseId, after, sort, limit: limit + 1 })
    return SORTS.page(rows, request.query, { item: toRowResource, after: (row) => row.row_number })
  })

  app.get(`${PATH}/rows/:rowId`, { schema: schemas.one }, async (request) => {
    const { id: jobId } = await jobOf({ id: request.params.id, org: callerOf(request).org })
    const row = await findRow(pool, { jobId, rowId: request.params.rowId })
    if (!row) throw problem('NOT_FOUND')
    const [artifacts, audit] = [await listArtifacts(pool, row.id), await listAudit(pool, row.id)]
    return {
      ...toRowResource(row),
      artifacts: artifacts.map(toArtifact),
      audit: audit.map(toAudit),
    }
  })

  const schema = schemas.content
  app.get(`${PATH}/artifacts/:artifactId/content`, { schema }, async (request, reply) => {
    const { id: jobId } = await jobOf({ id: request.params.id, org: callerOf(request).org })
    const artifact = await findArtifact(pool, { jobId, artifactId: request.params.artifactId })
    if (!artifact) throw problem('NOT_FOUND')
    const bytes = await storage.read(artifact.storage_key).catch((error: unknown) => {
      throw error instanceof NotStored ? problem('NOT_FOUND', { cause: error }) : error
    })
    return (
      reply
        .header('content-type', artifact.content_type)
        .header('content-length', artifact.size_bytes)
        .header('content-disposition', attachmentOf(artifact.filename))
        // A merchant's file is never shown as a page of ours.
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('cache-control', 'private, no-store')
        .send(bytes)
    )
  })

  app.get(`${PATH}/errors.csv`, { schema: schemas.errors }, async (request, reply) => {
    const job = await jobOf({ id: request.params.id, org: callerOf(request).org })
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="errors-${job.id}.csv"`)
      .send(errorsCsv(pool, job))
  })
}

/** Saved under the name it had in the ZIP; old clients get it without what is not ASCII. */
function attachmentOf(filename: string): string {
  const name = filename.slice(filename.lastIndexOf('/') + 1)
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
