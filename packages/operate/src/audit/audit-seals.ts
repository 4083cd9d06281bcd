import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { transaction, type Queryable, type Transaction } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/internal'
import {
  insertSeal,
  lockAuditTable,
  selectAuditTables,
  selectAuditWriters,
  selectHashes,
  selectLastRow,
  selectLastSeal,
  updateSealedTo,
  type AuditTableRow,
  type HashedRow,
  type SealRow,
} from './audit.sql.ts'

/** Rows of one seal, at the most. */
const BATCH = 2_000

/** How long transactions that write to an audit are waited for; then it is sealed the next time. */
const PATIENCE_MS = 2_000
const LOOK_MS = 50

/** What the first seal follows. */
export const GENESIS: Buffer = Buffer.alloc(32)

/**
 * Seals what was committed to the audits since the last time, in batches; no writer waits for it. One
 * process at a time does it. Returns how many rows were sealed.
 */
export async function sealAudits(
  pool: Pool,
  { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const { rows: tables } = await pool.query<AuditTableRow>(selectAuditTables)
  let sealed = 0
  for (const table of tables) {
    const upto = await findSettled(pool, table, signal)
    if (upto === undefined) continue
    for (let batch = BATCH; batch === BATCH && !signal.aborted; sealed += batch) {
      batch = await transaction(pool, (tx) => sealBatch(tx, table.name, upto))
    }
  }
  return sealed
}

/**
 * A number up to which every row is committed or was rolled back; undefined if there is nothing new,
 * or writers are at it for long.
 */
async function findSettled(
  db: Queryable,
  table: AuditTableRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Numbers are given out before the commit: the last one first, then who may be below it.
  const { rows } = await db.query<{ last: string | null }>(selectLastRow(table))
  const last = rows[0]?.last
  if (!last || BigInt(last) <= BigInt(table.sealed_to)) return undefined
  const suspects = await writersOf(db, table)
  const began = performance.now()
  while (suspects.size > 0) {
    if (performance.now() - began > PATIENCE_MS || signal.aborted) return undefined
    await sleep(LOOK_MS, signal)
    const writing = await writersOf(db, table)
    for (const each of suspects) if (!writing.has(each)) suspects.delete(each)
  }
  return last
}

async function writersOf(db: Queryable, { name }: AuditTableRow): Promise<Set<string>> {
  const { rows } = await db.query<{ writer: string }>(selectAuditWriters(name))
  return new Set(rows.map(({ writer }) => writer))
}

async function sealBatch(tx: Transaction, name: string, upto: string): Promise<number> {
  const { rows: locked } = await tx.query<AuditTableRow>(lockAuditTable(name))
  const [table] = locked
  // Another process is at it.
  if (!table || BigInt(upto) <= BigInt(table.sealed_to)) return 0
  const range = { after: table.sealed_to, upto, most: BATCH }
  const { rows } = await tx.query<HashedRow>(selectHashes(table, range))
  const end = rows.length < BATCH ? upto : (rows.at(-1)?.seq ?? upto)
  if (rows.length > 0) await tx.query(insertSeal(await nextSeal(tx, table, { rows, end })))
  await tx.query(updateSealedTo(name, end))
  return rows.length
}

async function nextSeal(
  tx: Transaction,
  table: AuditTableRow,
  { rows, end }: { readonly rows: readonly HashedRow[]; readonly end: string },
): Promise<Omit<SealRow, 'sealed_at'>> {
  const { rows: last } = await tx.query<{ id: string; hash: Buffer }>(selectLastSeal)
  const unsigned = {
    id: String(BigInt(last[0]?.id ?? 0) + 1n),
    audit: table.name,
    after_seq: table.sealed_to,
    upto_seq: end,
    public_columns: table.public_columns,
    personal_columns: table.personal_columns,
    seqs: rows.map(({ seq }) => seq),
    hashes: Buffer.concat(rows.map(({ hash }) => hash)),
    previous: last[0]?.hash ?? GENESIS,
  }
  return { ...unsigned, hash: hashSeal(unsigned) }
}

/** The hash of a seal: everything that it says, and so everything before it. */
export function hashSeal(seal: Omit<SealRow, 'hash' | 'sealed_at'>): Buffer {
  const { id, audit, after_seq: after, upto_seq: upto, seqs, hashes, previous } = seal
  const columns = [seal.public_columns, seal.personal_columns]
  const said = [id, audit, after, upto, columns, seqs, digest(hashes), previous.toString('hex')]
  return createHash('sha256').update(JSON.stringify(said)).digest()
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
