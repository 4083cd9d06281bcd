import type { Pool } from 'pg'
import { transaction, type Transaction, type Queryable } from '@posthorn/engine'
import { createHash } from 'node:crypto'
import { sleep } from '@posthorn/engine/internal'
import {
  beginLooking,
  selectAuditTables,
  selectHashes,
  selectLastRows,
  selectRemovedSeqs,
  selectSeals,
  type AuditTableRow,
  type HashedRow,
  type SealRow,
  insertSeal,
  lockAuditTable,
  selectAuditWriters,
  selectLastSeal,
  updateSealedTo,
} from './audit.sql.ts'

/** Seals that are read at once: a few thousand rows each. */
const PAGE = 20

/** What is wrong, and where. */
export interface AuditFinding {
  readonly kind:
    'changed' | 'missing' | 'inserted' | 'seal-changed' | 'seal-missing' | 'head-missing'
  /** The table; undefined where it is about the chain itself. */
  readonly audit: string | undefined
  /** The number of the row in its table. */
  readonly seq: string | undefined
  /** The seal that says otherwise. */
  readonly seal: string | undefined
}

export interface AuditVerification {
  readonly seals: number
  /** Rows that are as they were sealed. */
  readonly rows: number
  /** Rows that retention took away, and noted. */
  readonly removed: number
  /** Tables with rows that are not sealed yet. */
  readonly unsealed: readonly string[]
  /** The hash of the last seal: kept elsewhere, it shows later that nothing before it was rewritten. */
  readonly head: string
  readonly findings: readonly AuditFinding[]
}

/** Findings that are listed, at the most: one who has torn out a book need not list its pages. */
const MOST_FINDINGS = 1_000

/**
 * Goes through all seals and all sealed rows, as they stand at one moment. `head` is the hash of a
 * seal that is known from before: it must still be in the chain.
 */
export async function verifyAudits(
  pool: Pool,
  { head }: { readonly head?: string } = {},
): Promise<AuditVerification> {
  return transaction(pool, async (tx) => {
    await tx.query(beginLooking)
    const { rows: tables } = await tx.query<AuditTableRow>(selectAuditTables)
    const walk = await Walk.begin(tx, tables)
    for (let last = '0'; ;) {
      const { rows: seals } = await tx.query<SealRow>(selectSeals(last, PAGE))
      for (const seal of seals) await walk.check(seal)
      if (seals.length < PAGE) break
      last = seals.at(-1)?.id ?? last
    }
    return walk.end(tables, head)
  })
}

class Walk {
  readonly #tx: Transaction
  readonly #tables: ReadonlyMap<string, AuditTableRow>
  readonly #removed: ReadonlyMap<string, ReadonlySet<string>>
  readonly #findings: AuditFinding[] = []
  readonly #heads = new Set<string>()
  /** How far each table is sealed, by the seals. */
  readonly #reached = new Map<string, string>()
  #previous: Buffer = GENESIS
  #seals = 0
  #rows = 0
  #gone = 0

  private constructor(
    tx: Transaction,
    tables: readonly AuditTableRow[],
    removed: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#tx = tx
    this.#tables = new Map(tables.map((table) => [table.name, table]))
    this.#removed = removed
  }

  static async begin(tx: Transaction, tables: readonly AuditTableRow[]): Promise<Walk> {
    const removed = new Map<string, Set<string>>()
    for (const { name } of tables) {
      const { rows } = await tx.query<{ seq: string }>(selectRemovedSeqs(name))
      removed.set(name, new Set(rows.map(({ seq }) => seq)))
    }
    return new Walk(tx, tables, removed)
  }

  async check(seal: SealRow): Promise<void> {
    this.#seals += 1
    const { id, audit } = seal
    if (!seal.previous.equals(this.#previous)) this.#report('seal-missing', seal, undefined)
    if (!hashSeal(seal).equals(seal.hash)) this.#report('seal-changed', seal, undefined)
    this.#previous = seal.hash
    this.#heads.add(seal.hash.toString('hex'))
    const reached = this.#reached.get(audit)
    if (reached !== undefined && reached !== seal.after_seq) {
      this.#report('seal-missing', seal, undefined)
    }
    this.#reached.set(audit, seal.upto_seq)
    const table = this.#tables.get(audit)
    if (!table) throw new TypeError(`the seal ${id} is about ${audit}, which is no audit`)
    await this.#compare(seal, table.seq_column)
  }

  async #compare(seal: SealRow, column: string): Promise<void> {
    const { audit, after_seq: after, upto_seq: upto } = seal
    const { public_columns, personal_columns } = seal
    const table = { name: audit, seq_column: column, public_columns, personal_columns }
    // More than were sealed: some may have been inserted, and all of them are to be named.
    const range = { after, upto, most: seal.seqs.length + MOST_FINDINGS }
    const { rows } = await this.#tx.query<HashedRow>(selectHashes(table, range))
    const found = new Map(rows.map(({ seq, hash }) => [seq, hash]))
    for (const [i, seq] of seal.seqs.entries()) {
      const hash = found.get(seq)
      found.delete(seq)
      if (hash?.equals(seal.hashes.subarray(i * 32, i * 32 + 32))) this.#rows += 1
      else if (hash) this.#report('changed', seal, seq)
      else if (this.#removed.get(audit)?.has(seq)) this.#gone += 1
      else this.#report('missing', seal, seq)
    }
    for (const seq of found.keys()) this.#report('inserted', seal, seq)
  }

  async end(
    tables: readonly AuditTableRow[],
    head: string | undefined,
  ): Promise<AuditVerification> {
    const unsealed: string[] = []
    for (const [name, last] of await lastOf(this.#tx, tables)) {
      if (BigInt(last) > BigInt(this.#reached.get(name) ?? -1)) unsealed.push(name)
    }
    if (head !== undefined && !this.#heads.has(head.toLowerCase())) {
      this.#add({ kind: 'head-missing', audit: undefined, seq: undefined, seal: undefined })
    }
    return {
      ...{ seals: this.#seals, rows: this.#rows, removed: this.#gone, unsealed },
      head: this.#previous.toString('hex'),
      findings: this.#findings,
    }
  }

  #report(kind: AuditFinding['kind'], { audit, id }: SealRow, seq: string | undefined): void {
    this.#add({ kind, audit, seq, seal: id })
  }

  #add(finding: AuditFinding): void {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding)
  }
}

/** Rows of one seal, at the most. */
const BATCH = 2_000

/** How long transactions that write to an audit are waited for; then it is sealed the next time. */
const PATIENCE_MS = 2_000
const LOOK_MS = 50

/** What the first seal follows. */
const GENESIS: Buffer = Buffer.alloc(32)

/**
 * Seals what was committed to the audits since the last time, in batches; no writer waits for it. One
 * process at a time does it. Returns how many rows were sealed.
 */
export async function sealAudits(
  pool: Pool,
  { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const { rows: tables } = await pool.query<AuditTableRow>(selectAuditTables)
  // Numbers are given out before the commit: the last one first, then who may be below it.
  const last = await lastOf(pool, tables)
  let sealed = 0
  for (const table of tables) {
    const upto = last.get(table.name)
    if (upto === undefined || BigInt(upto) <= BigInt(table.sealed_to)) continue
    if (!(await isSettled(pool, table, signal))) continue
    for (let batch = BATCH; batch === BATCH && !signal.aborted; sealed += batch) {
      batch = await transaction(pool, (tx) => sealBatch(tx, table.name, upto))
    }
  }
  return sealed
}

/** The highest number of each table that has rows. */
async function lastOf(
  db: Queryable,
  tables: readonly AuditTableRow[],
): Promise<ReadonlyMap<string, string>> {
  if (tables.length === 0) return new Map()
  const { rows } = await db.query<{ name: string; last: string | null }>(selectLastRows(tables))
  return new Map(rows.flatMap(({ name, last }) => (last === null ? [] : [[name, last]])))
}

/** Waits until those who write now have ended: what was numbered before is committed or rolled back. False if they are at it for long. */
async function isSettled(
  db: Queryable,
  table: AuditTableRow,
  signal: AbortSignal,
): Promise<boolean> {
  const suspects = await writersOf(db, table)
  const began = performance.now()
  while (suspects.size > 0) {
    if (performance.now() - began > PATIENCE_MS || signal.aborted) return false
    await sleep(LOOK_MS, signal)
    const writing = await writersOf(db, table)
    for (const each of suspects) if (!writing.has(each)) suspects.delete(each)
  }
  return true
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
function hashSeal(seal: Omit<SealRow, 'hash' | 'sealed_at'>): Buffer {
  const { id, audit, after_seq: after, upto_seq: upto, seqs, hashes, previous } = seal
  const columns = [seal.public_columns, seal.personal_columns]
  const said = [id, audit, after, upto, columns, seqs, digest(hashes), previous.toString('hex')]
  return createHash('sha256').update(JSON.stringify(said)).digest()
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
