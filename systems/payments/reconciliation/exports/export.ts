import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { writeCsvRow } from '@posthorn/bulk/csv'
import { transaction, type Statement } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import { exponentOf } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { keyOf, ownRun, PATH, runParams, tags, type RunKey } from '../request.ts'
import { avoidLoops } from '../runs/queries.ts'
import {
  COLUMNS,
  fetchBatches,
  readAsOfNow,
  selectMissingLines,
  selectRecordLines,
  type ExportRow,
} from './queries.ts'

const EXPORTS = ['matched', 'unmatched', 'missing', 'all'] as const
type ExportKind = (typeof EXPORTS)[number]

const MONEY: ReadonlySet<string> = new Set(['amount', 'adjustment'])
const NUMERIC = new Set(COLUMNS.flatMap((name, i) => (MONEY.has(name) ? [i] : [])))

function statementsOf(key: RunKey, kind: ExportKind): Statement[] {
  if (kind === 'missing') return [selectMissingLines(key)]
  if (kind === 'all') return [selectRecordLines(key, undefined), selectMissingLines(key)]
  return [selectRecordLines(key, kind)]
}

/**
 * Writes an export to a client, as of one moment, by a cursor and as fast as it is taken. If the
 * reader goes away, `write` throws, and the connection is given back.
 */
async function writeExport(
  { pool, key, kind }: { readonly pool: Pool; readonly key: RunKey; readonly kind: ExportKind },
  write: (text: string) => Promise<void>,
): Promise<void> {
  await transaction(pool, async (tx) => {
    await readAsOfNow(tx)
    await avoidLoops(tx)
    await write(writeCsvRow(COLUMNS))
    for (const statement of statementsOf(key, kind)) {
      for await (const rows of fetchBatches(tx, statement)) await write(rows.map(lineOf).join(''))
    }
  })
}

function lineOf(row: ExportRow): string {
  const cells = COLUMNS.map((name) => {
    const value = row[name]
    return MONEY.has(name) && value !== null ? inMajorUnits(String(value), row.currency) : value
  })
  return writeCsvRow(cells, { numeric: NUMERIC })
}

/** As banks write it: `-12.50`. Digits only, no float in between. */
export function inMajorUnits(minor: string, currency: string): string {
  const digits = exponentOf(currency) ?? 2
  if (digits === 0) return minor
  const sign = minor.startsWith('-') ? '-' : ''
  const padded = minor.slice(sign.length).padStart(digits + 1, '0')
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

const exportFile = {
  tags,
  summary: 'Records and missing payments as formula-safe CSV',
  params: runParams,
  querystring: Type.Object({ kind: Type.Enum([...EXPORTS], { default: 'all' }) }),
}

export function exportRoutes(app: App, pool: Pool): void {
  app.get(`${PATH}/:id/export.csv`, { schema: exportFile }, async (request, reply) => {
    const { kind } = request.query
    const { id } = await ownRun(pool, request)
    const body = new PassThrough()
    // The answer has begun by the time that something breaks: it ends without its last chunk.
    writeExport({ pool, key: keyOf(request), kind }, (text) => writeTo(body, text)).then(
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
  if (body.destroyed) throw new Error('the client closed the export')
  if (body.write(text)) return
  const gone = new AbortController()
  const onClose = () => gone.abort(new Error('the client closed the export'))
  body.once('close', onClose)
  try {
    await once(body, 'drain', { signal: gone.signal })
  } finally {
    body.off('close', onClose)
  }
}
