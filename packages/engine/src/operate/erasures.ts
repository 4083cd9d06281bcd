import type { Queryable, Transaction } from '../enqueue/transaction.ts'
import {
  insertErasure,
  selectErasure,
  selectErasures,
  selectOpenErasure,
  type ErasureRow,
  type NewErasure,
} from '../sql/erasure.ts'

/** The erasing of one person's data, without saying whose. */
export interface Erasure {
  readonly id: string
  readonly tenant: string
  readonly subjectKind: NewErasure['kind']
  /** `waiting`: rows are in flight or held; they are tried again. */
  readonly status: ErasureRow['status']
  readonly reason: string | undefined
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly finishedAt: Date | undefined
  /** Rows overwritten, and rows looked at. */
  readonly erased: number
  readonly lookedAt: number
  /** Rows that stay for now, of the last pass. */
  readonly inFlight: number
  readonly held: number
}

/** Asks for an erasure; one of the same person that is under way is given back instead. */
export async function requestErasure(
  tx: Transaction,
  erasure: NewErasure,
): Promise<{ readonly created: boolean; readonly erasure: Erasure }> {
  const [made] = (await tx.query<ErasureRow>(insertErasure(erasure))).rows
  if (made) return { created: true, erasure: toErasure(made) }
  const [open] = (await tx.query<ErasureRow>(selectOpenErasure(erasure))).rows
  return open ? { created: false, erasure: toErasure(open) } : requestErasure(tx, erasure)
}

export async function getErasure(db: Queryable, id: string): Promise<Erasure | undefined> {
  const { rows } = await db.query<ErasureRow>(selectErasure(id))
  return rows[0] && toErasure(rows[0])
}

/** Erasures, newest first. */
export async function listErasures(
  db: Queryable,
  page: { tenant?: string; before?: string; limit: number },
): Promise<Erasure[]> {
  const { tenant = null, before = null, limit } = page
  const { rows } = await db.query<ErasureRow>(selectErasures({ tenant, before, limit }))
  return rows.map(toErasure)
}

function toErasure(row: ErasureRow): Erasure {
  return {
    id: row.id,
    tenant: row.tenant,
    subjectKind: row.subject_kind,
    status: row.status,
    reason: row.reason ?? undefined,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at ?? undefined,
    erased: row.erased,
    lookedAt: row.looked_at,
    inFlight: row.in_flight,
    held: row.held,
  }
}
