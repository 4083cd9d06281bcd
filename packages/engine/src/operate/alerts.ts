import type { TimeSort } from '../sql/direction.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { isId } from '../outbox/id-type.ts'
import {
  acknowledge,
  countOpenAlerts,
  insertAlert,
  lockAlertSubject,
  recoverAlerts,
  selectAlert,
  selectAlerts,
  selectStanding,
  type AlertRow,
} from '../sql/alerts.ts'
import type { Queryable, Transaction } from '../enqueue/transaction.ts'

/**
 * `open`: not acknowledged; `acknowledged`: an operator has seen it; `recovered`: its cause is over, seen or
 * not.
 */
export type AlertState = 'open' | 'acknowledged' | 'recovered'

/** Something a person should look at: a dead message, a stuck saga. */
export interface Alert {
  readonly id: string
  /** Who raised it: the name of an outbox, or of a part of a system. */
  readonly source: string
  /** What it is about: the id of a message, say. */
  readonly subject: string
  readonly tenant: string | undefined
  readonly code: string
  readonly detail: string
  readonly state: AlertState
  readonly raisedAt: Date
  readonly acknowledgedAt: Date | undefined
  readonly acknowledgedBy: string | undefined
  /** Since when its cause is over: the message was replayed or cancelled, the saga goes on. */
  readonly recoveredAt: Date | undefined
}

export interface NewAlert {
  readonly source: string
  readonly subject: string
  readonly tenant?: string
  readonly code: string
  readonly detail: string
}

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
 * Acknowledges an alert. The first acknowledgement stays; a second call changes nothing.
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

/**
 * Raises an alert, unless the same one (source, subject and code) stands already: then that is
 * returned, acknowledged or not. The engine raises those of its messages itself.
 */
export async function raiseAlert(tx: Transaction, alert: NewAlert): Promise<Alert> {
  await tx.query(lockAlertSubject(alert.source, alert.subject))
  const { rows: standing } = await tx.query<AlertRow>(selectStanding(alert))
  if (standing[0]) return alertOf(standing[0])
  const { rows } = await tx.query<AlertRow>(insertAlert({ ...alert, tenant: alert.tenant }))
  return alertOf(rows[0] as AlertRow)
}

/**
 * Marks a subject's alerts as recovered; its next alert is a new one. Returns how
 * many alerts that ended. A replay or a cancellation does it for its messages.
 */
export async function recoverAlert(
  tx: Transaction,
  { source, subject }: { source: string; subject: string },
): Promise<number> {
  const { rows } = await tx.query(recoverAlerts(source, subject))
  return rows.length
}

/** How many alerts are open, by their source; sources without any are left out. */
export async function openAlerts(db: Queryable): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.query<{ source: string; count: number }>(countOpenAlerts)
  return Object.fromEntries(rows.map(({ source, count }) => [source, count]))
}

function alertOf(row: AlertRow): Alert {
  return {
    id: row.id,
    source: row.source,
    subject: row.subject,
    tenant: row.tenant ?? undefined,
    code: row.code,
    detail: row.detail,
    state: stateOf(row),
    raisedAt: row.raised_at,
    acknowledgedAt: row.acknowledged_at ?? undefined,
    acknowledgedBy: row.acknowledged_by ?? undefined,
    recoveredAt: row.recovered_at ?? undefined,
  }
}

function stateOf({ recovered_at: recoveredAt, acknowledged_at: seenAt }: AlertRow): AlertState {
  if (recoveredAt) return 'recovered'
  return seenAt ? 'acknowledged' : 'open'
}
