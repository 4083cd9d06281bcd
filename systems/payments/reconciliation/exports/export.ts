import { transaction, type Statement } from '@posthorn/engine'
import type { Pool } from 'pg'
import { writeCsvRow } from '@posthorn/bulk/csv'
import type { RunKey } from '../owner.ts'
import { exponentOf } from '@posthorn/system'
import { avoidLoops } from '../runs/queries.ts'
import {
  fetchBatches,
  readAsOfNow,
  selectMissingLines,
  selectRecordLines,
  type ExportRow,
} from './queries.ts'

export const EXPORTS = ['matched', 'unmatched', 'missing', 'all'] as const
export type ExportKind = (typeof EXPORTS)[number]

const COLUMNS = [
  'side',
  'line',
  'external_id',
  'amount',
  'currency',
  'date',
  'status',
  'reason',
  'payment_ids',
  'refund_ids',
  'adjustment',
  'adjustment_kind',
  'decided_by',
  'note',
]
const NUMERIC = new Set([COLUMNS.indexOf('amount'), COLUMNS.indexOf('adjustment')])

function statementsOf(key: RunKey, kind: ExportKind): Statement[] {
  if (kind === 'missing') return [selectMissingLines(key)]
  if (kind === 'all') return [selectRecordLines(key, undefined), selectMissingLines(key)]
  return [selectRecordLines(key, kind)]
}

/**
 * Writes an export to a client, as of one moment, by a cursor and as fast as it is taken. If the
 * reader goes away, `write` throws, and the connection is given back.
 */
export async function writeExport(
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
  const { currency } = row
  return writeCsvRow(
    [
      row.side,
      row.line_number,
      row.external_id,
      inMajorUnits(row.amount, currency),
      currency,
      row.day,
      row.status,
      row.reason,
      row.payment_ids,
      row.refund_ids,
      row.adjustment === null ? null : inMajorUnits(row.adjustment, currency),
      row.adjustment_kind,
      row.decided_by,
      row.note,
    ],
    { numeric: NUMERIC },
  )
}

/** As banks write it: `-12.50`. Digits only, no float in between. */
export function inMajorUnits(minor: string, currency: string): string {
  const digits = exponentOf(currency) ?? 2
  if (digits === 0) return minor
  const sign = minor.startsWith('-') ? '-' : ''
  const padded = minor.slice(sign.length).padStart(digits + 1, '0')
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}
