import { uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { fromRow, type RowOf } from '../from-row.ts'
import type { RetentionCatalogue } from './apply-retention.ts'
import { wakeErasures } from './erasure.sql.ts'
import {
  insertHold,
  selectHold,
  selectHolds,
  selectOpenHold,
  thingExists,
  updateReleased,
} from './legal-holds.sql.ts'

/** What is exempt from retention and erasure until it is released. */
export interface LegalHold {
  readonly id: string
  readonly tenant: string
  /** `organisation`, or the kind of a thing, as `payment`. */
  readonly kind: string
  /** The thing's id; undefined for an organisation. */
  readonly subject: string | undefined
  readonly reason: string
  readonly placedBy: string
  readonly placedAt: Date
  readonly releasedBy: string | undefined
  readonly releasedAt: Date | undefined
  readonly releaseReason: string | undefined
}

export interface HoldRequest {
  readonly tenant: string
  readonly kind: string
  readonly subject?: string
  readonly reason: string
  readonly by: string
}

export type HoldPlaced =
  | { readonly kind: 'placed' | 'existing'; readonly hold: LegalHold }
  /** `unknownKind`: the catalogue has no such kind. */
  | { readonly kind: 'unknownKind' | 'unknownThing' }

/** Exempts an organisation or one thing of it; placing the same hold twice gives the first one. */
export async function placeHold(
  tx: Transaction,
  { things = {} }: Pick<RetentionCatalogue, 'things'>,
  { tenant, kind, subject, reason, by }: HoldRequest,
): Promise<HoldPlaced> {
  const thing = things[kind]
  const isWhole = kind === 'organisation'
  if (isWhole ? subject !== undefined : !thing || subject === undefined) {
    return { kind: 'unknownKind' }
  }
  if (thing && subject !== undefined) {
    const { rows } = await tx.query<{ present: boolean }>(thingExists(thing, { tenant, subject }))
    if (!rows[0]?.present) return { kind: 'unknownThing' }
  }
  const hold = { id: uuid(), tenant, kind, subject: subject ?? null, reason, by }
  const placed = await tx.query<RowOf<LegalHold>>(insertHold(hold))
  if (placed.rows[0]) return { kind: 'placed', hold: fromRow<LegalHold>(placed.rows[0]) }
  const open = await tx.query<RowOf<LegalHold>>(selectOpenHold(hold))
  // Released since, in another transaction: once more.
  if (!open.rows[0])
    return placeHold(
      tx,
      { things },
      { ...{ tenant, kind, reason, by }, ...(subject !== undefined && { subject }) },
    )
  return { kind: 'existing', hold: fromRow<LegalHold>(open.rows[0]) }
}

/**
 * Ends a hold: what is past its time goes with the next run, and erasures that wait go on. Releasing
 * twice gives the hold as it was released; undefined if there is none, or it is another tenant's.
 */
export async function releaseHold(
  tx: Transaction,
  { id, tenant, by, reason }: { id: string; tenant?: string; by: string; reason: string },
): Promise<LegalHold | undefined> {
  const { rows } = await tx.query<RowOf<LegalHold>>(
    updateReleased({ id, tenant: tenant ?? null, by, reason }),
  )
  if (rows[0]) {
    await tx.query(wakeErasures(rows[0].tenant))
    return fromRow<LegalHold>(rows[0])
  }
  const [known] = (await tx.query<RowOf<LegalHold>>(selectHold(id))).rows
  return known && (tenant === undefined || known.tenant === tenant)
    ? fromRow<LegalHold>(known)
    : undefined
}

/** Holds, newest first. */
export async function listHolds(
  db: Queryable,
  page: { tenant?: string; open?: boolean; before?: string; limit: number },
): Promise<LegalHold[]> {
  const { tenant = null, open = null, before = null, limit } = page
  const { rows } = await db.query<RowOf<LegalHold>>(selectHolds({ tenant, open, before, limit }))
  return rows.map(fromRow<LegalHold>)
}
