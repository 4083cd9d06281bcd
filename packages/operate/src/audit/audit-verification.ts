import type { Pool } from 'pg'
import { transaction, type Transaction } from '@posthorn/engine'
import {
  beginLooking,
  selectAuditTables,
  selectHashes,
  selectLastRow,
  selectRemovedSeqs,
  selectSeals,
  type AuditTableRow,
  type HashedRow,
  type SealRow,
} from './audit.sql.ts'
import { GENESIS, hashSeal } from './audit-seals.ts'

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
    for (const table of tables) {
      const { rows } = await this.#tx.query<{ last: string | null }>(selectLastRow(table))
      const last = rows[0]?.last
      const reached = this.#reached.get(table.name)
      if (last && (reached === undefined || BigInt(last) > BigInt(reached)))
        unsealed.push(table.name)
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
