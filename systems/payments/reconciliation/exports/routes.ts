import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { requireFound, memberOf } from '../owner.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { runParams, tags } from '../schemas.ts'
import { EXPORTS, writeExport } from './export.ts'

const exportFile = {
  tags,
  summary: 'Records and missing payments as CSV that no spreadsheet runs',
  params: runParams,
  querystring: Type.Object({ kind: Type.Enum([...EXPORTS], { default: 'all' }) }),
}

export function exportRoutes(app: App, pool: Pool): void {
  app.get(`${PATH}/:id/export.csv`, { schema: exportFile }, async (request, reply) => {
    const key = { ...memberOf(request), id: request.params.id }
    const { kind } = request.query
    const { id } = requireFound(await findRun(pool, key), 'reconciliation')
    const body = new PassThrough()
    // The answer has begun by the time that something breaks: it ends without its last chunk.
    writeExport({ pool, key, kind }, (text) => writeTo(body, text)).then(
      () => body.end(),
      (error: Error) => body.destroy(error),
    )
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="reconciliation-${id}-${kind}.csv"`)
      .header('x-content-type-options', 'nosniff')
      .send(body)
  })
}

/** Resolves once there is room for more; throws if the client has gone. */
async function writeTo(body: PassThrough, text: string): Promise<void> {
  if (body.destroyed) throw new Error('the reader of the export has gone away')
  if (body.write(text)) return
  const gone = new AbortController()
  const onClose = () => gone.abort(new Error('the reader of the export has gone away'))
  body.once('close', onClose)
  try {
    await once(body, 'drain', { signal: gone.signal })
  } finally {
    body.off('close', onClose)
  }
}
