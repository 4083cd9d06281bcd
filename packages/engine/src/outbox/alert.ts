import type { Transaction } from '../database/transaction.ts'
import { storableJson, storableText } from '../storable.ts'
import { insertAlert, lockAlertSubject, recoverAlerts, selectStanding } from './alert.sql.ts'

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

/** What an alert is about. */
export interface AlertCause {
  readonly source: string
  readonly subject: string
  /**
   * What has happened, by its id, for something that does not last: another occurrence is another
   * alert, and an acknowledgement ends it. Left out: a state that lasts until `recoverAlert`.
   */
  readonly occurrence?: string | undefined
}

/** Which alerts of a subject are over; all of them without a code. */
export interface RecoveredCause extends AlertCause {
  readonly code?: string
}

export interface NewAlert extends AlertCause {
  readonly tenant?: string
  readonly code: string
  readonly detail: string
}

/** An alert as it stands in its table; the id is text, since JavaScript's numbers end before it. */
export interface AlertRow {
  readonly id: string
  readonly source: string
  readonly subject: string
  readonly tenant: string | null
  readonly code: string
  readonly detail: string
  readonly raised_at: Date
  readonly acknowledged_at: Date | null
  readonly acknowledged_by: string | null
  readonly recovered_at: Date | null
}

/**
 * Raises an alert, unless the same one (source, subject, code and occurrence) stands already: then that
 * is returned, acknowledged or not. The engine raises those of its messages itself.
 */
export async function raiseAlert(tx: Transaction, given: NewAlert): Promise<Alert> {
  const alert = JSON.parse(storableJson(given)) as NewAlert
  await tx.query(lockAlertSubject(alert.source, alert.subject))
  const { rows: standing } = await tx.query<AlertRow>(selectStanding(alert))
  if (standing[0]) return alertOf(standing[0])
  const { rows } = await tx.query<AlertRow>(insertAlert(alert))
  return alertOf(rows[0] as AlertRow)
}

/**
 * Marks a subject's alerts as recovered, or those of one code or occurrence; its next alert is a new one.
 * Returns how many alerts that ended. A replay or a cancellation does it for its messages.
 */
export async function recoverAlert(tx: Transaction, cause: RecoveredCause): Promise<number> {
  const { rows } = await tx.query(recoverAlerts({ ...cause, subject: storableText(cause.subject) }))
  return rows.length
}

/** An alert out of its row. */
export function alertOf(row: AlertRow): Alert {
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
