import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Claim, Lease } from '../settle/claim.ts'
import { keyOf, planRun, splitByKey, type KeyPlan } from '../settle/key-plan.ts'
import { idOf, type Settlement } from '../settle/settlement.ts'

/** A claim with messages that are still being delivered. */
interface Busy {
  readonly rows: readonly OutboxRow[]
  /** Its runs have ended: other messages of its buckets are read. */
  readonly isSplit: boolean
}

/**
 * Keys of slow messages. Their bucket does not wait for them: its run ends without them, nothing more of these
 * keys is read, and what became of them is settled under the same lease when it is known. Until then the note of
 * what is in flight in their bucket names them, so that they are suspects if the relay dies.
 */
export class BusyKeys {
  readonly #outbox: Outbox
  /** By the token of the claim. */
  readonly #claims = new Map<string, Busy>()

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** These messages of a claim are still being delivered. */
  set({ token }: Claim, rows: readonly OutboxRow[]): void {
    if (rows.length === 0) this.#claims.delete(token)
    else this.#claims.set(token, { rows, isSplit: this.#claims.get(token)?.isSplit ?? false })
  }

  /** The runs of the claim have ended. */
  split({ token }: Claim): void {
    const busy = this.#claims.get(token)
    if (busy) this.#claims.set(token, { ...busy, isSplit: true })
  }

  isSplit({ token }: Claim): boolean {
    return this.#claims.get(token)?.isSplit === true
  }

  rowsOf({ token }: Claim): readonly OutboxRow[] {
    return this.#claims.get(token)?.rows ?? []
  }

  get keys(): string[] {
    return [...new Set(this.#rows.map((row) => keyOf(this.#outbox, row)))]
  }

  get buckets(): ReadonlySet<number> {
    return new Set(this.#rows.map((row) => Number(row['bucket'])))
  }

  /** What stays in flight in these buckets, for the statement that ends their runs; undefined if nothing does. */
  noteFor(leases: readonly Lease[]): Record<string, readonly unknown[]> | undefined {
    const byBucket = Map.groupBy(this.#rows, (row) => Number(row['bucket']))
    const rows = leases.map(({ bucket }) => byBucket.get(bucket) ?? [])
    if (rows.every(({ length }) => length === 0)) return undefined
    const waiting = rows.flat().filter((row) => row['held'] === true)
    const flow = rows.map((all) => all.filter((row) => row['held'] !== true))
    return {
      uptos: flow.map((all) => (all.length === 0 ? null : lastSeq(all))),
      sizes: rows.map(({ length }) => (length === 0 ? null : length)),
      openBuckets: waiting.map((row) => Number(row['bucket'])),
      openKeys: waiting.map((row) => keyOf(this.#outbox, row)),
      openKeyUptos: waiting.map((row) => Number(row['seq'])),
    }
  }

  get #rows(): OutboxRow[] {
    return [...this.#claims.values()].flatMap(({ rows }) => rows)
  }
}

function lastSeq(rows: readonly OutboxRow[]): number {
  return Math.max(...rows.map((row) => Number(row['seq'])))
}

/** What of a claim has ended, and which of its messages are still being delivered. */
export interface Part {
  readonly settlements: readonly Settlement[]
  readonly open: readonly OutboxRow[]
}

/** What can be written while messages are `open`: of their keys only what was delivered. */
export function planPart(outbox: Outbox, claim: Claim, { settlements, open }: Part): KeyPlan {
  const plan = planRun(outbox, claim, new Map(settlements.map((each) => [each.row, each])))
  if (open.length === 0) return plan
  const keys = new Set(open.map((row) => keyOf(outbox, row)))
  const { mine, others } = splitByKey(outbox, plan, keys)
  return { ...others, settlements: [...others.settlements, ...mine.settlements] }
}

/** The same for a run of a log: nothing of it can stay where it is. */
export function planLogPart(outbox: Outbox, claim: Claim, part: Part): KeyPlan {
  const plan = planPart(outbox, claim, part)
  const settled = new Set(plan.settlements.map(({ row }) => row))
  const aside = claim.rows
    .filter((row) => !settled.has(row))
    .map((row) => ({
      id: idOf(outbox, row),
      bucket: Number(row['bucket']),
      key: keyOf(outbox, row),
    }))
  return { ...plan, aside }
}
