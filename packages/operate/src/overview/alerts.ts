import {
  type TimeSort,
  fromCursor,
  toCursor,
  isId,
  alertOf,
  type Alert,
  type AlertRow,
  type AlertState,
} from '@posthorn/engine/internal'
import { acknowledge, countOpenAlerts, selectAlert, selectAlerts } from './overview.sql.ts'
import type { Queryable, Transaction } from '@posthorn/engine'

/** Which alerts; everything left out matches all. */
export interface AlertFilter {
  readonly source?: string
  readonly code?: string
  readonly state?: AlertState
  readonly tenant?: string
}

export interface AlertListOptions extends AlertFilter {
  /** Default `newest` first. */
  readonly sort?: TimeSort
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** From 1 to 500. Default 50. */
  readonly limit?: number
}

export interface AlertPage {
  readonly items: readonly Alert[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** Alerts, newest first, a page at a time. Throws `CURSOR_INVALID` for a cursor that is none. */
export async function listAlerts(
  db: Queryable,
  options: AlertListOptions = {},
): Promise<AlertPage> {
  const { source, code, tenant, state, cursor, limit: wanted = 50, sort = 'newest' } = options
  const before =
    cursor === undefined ? null : fromCursor(cursor, { idType: 'bigint', timed: false, sort }).id
  // No text of Postgres has a zero byte in it: nothing can match.
  if ([source, code, tenant].some((value) => value?.includes('\0'))) {
    return { items: [], nextCursor: undefined }
  }
  const limit = Math.min(Math.max(Math.trunc(wanted), 1), 500)
  const { rows } = await db.query<AlertRow>(
    selectAlerts(state ?? 'any', {
      source: source ?? null,
      code: code ?? null,
      tenant: tenant ?? null,
      before,
      sort,
      // One more than asked for tells whether there is another page.
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit).map(alertOf)
  const last = items.at(-1)
  return {
    items,
    nextCursor: last && rows.length > limit ? toCursor({ id: last.id }, sort) : undefined,
  }
}

/**
 * Acknowledges an alert, which ends one about something that has happened (`occurrence`). The first
 * acknowledgement stays; a second call changes nothing.
 * Returns the alert, undefined if there is none, or none of this tenant where one is named.
 */
export async function acknowledgeAlert(
  tx: Transaction,
  { id, by, tenant }: { id: string; by: string; tenant?: string },
): Promise<Alert | undefined> {
  if (!isId(id, 'bigint')) return undefined
  const { rows: changed } = await tx.query<AlertRow>(acknowledge(id, by, tenant ?? null))
  // A statement of its own: it sees what another acknowledged while the first one waited for it.
  const row = changed[0] ?? (await tx.query<AlertRow>(selectAlert(id))).rows[0]
  if (tenant !== undefined && row?.tenant !== tenant) return undefined
  return row && alertOf(row)
}

/** How many alerts are open, by their source; sources without any are left out. */
export async function openAlerts(db: Queryable): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.query<{ source: string; count: number }>(countOpenAlerts)
  return Object.fromEntries(rows.map(({ source, count }) => [source, count]))
}
