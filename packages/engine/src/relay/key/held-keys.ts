import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { heldStatements } from '../settle/held.sql.ts'
import { keyStatements } from './claim.sql.ts'
import { limitLockWaits } from '../../database/migrate.sql.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Transaction } from '../../database/transaction.ts'
import { isId } from '../../database/cursor.ts'
import { holdArgs, type KeyPlan } from '../settle/key-plan.ts'
import { SUSPECT_GROUP } from '../settle/claim.ts'
import { PATIENCE_MS } from '../settle/settle.sql.ts'

/** The waiting keys of one outbox, as its relay reads and writes them. */
export class HeldKeys {
  readonly #handle: PoolHandle
  readonly #statements: ReturnType<typeof heldStatements>
  readonly #outbox: Outbox

  constructor(handle: PoolHandle, outbox: Outbox) {
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = heldStatements(outbox)
  }

  /** The messages of waiting keys whose time has come; as `suspect` those whose claim was lost. */
  async read(
    kind: 'held' | 'suspect',
    {
      leases,
      batch,
      late,
      session,
    }: {
      leases: ReadonlyMap<number, string>
      batch: number
      late: readonly string[]
      session: string
    },
  ): Promise<{ rows: OutboxRow[]; full: boolean }> {
    const isSuspect = kind === 'suspect'
    const most = isSuspect ? Math.min(batch, SUSPECT_GROUP) : batch
    const share = isSuspect ? most : Math.ceil(batch / leases.size)
    const args = {
      session,
      buckets: [...leases.keys()],
      tokens: [...leases.values()],
      share,
      late: [...late],
      ...{ keys: most, limit: most, batch: most },
    }
    const { claimSuspect, claimHeld } = keyStatements(this.#outbox)
    const statement = isSuspect ? claimSuspect : claimHeld
    for (;;) {
      const found = await run<OutboxRow>(this.#handle.db, statement, args)
      const { rows, empty, other } = sortFound(found, isSuspect)
      await this.#free(this.#handle.db, empty)
      // Of these an operator's transaction may have locked one: it stays as it is.
      args.late.push(...empty.map(({ key }) => key), ...other)
      if (other.length > 0) {
        await run(this.#handle.db, this.#statements.markKeys, { keys: other, suspect: !isSuspect })
      }
      const perBucket = keysPerBucket(found)
      const full = found.length >= most || Math.max(0, ...perBucket) >= share
      if (rows.length > 0 || (empty.length === 0 && other.length === 0)) return { rows, full }
    }
  }

  /**
   * Writes what a run means for its keys, in the transaction that settles it. Returns the versions of those
   * that wait for nothing but what was set aside.
   */
  async write(tx: Transaction, { aside, holds, parks, frees }: KeyPlan): Promise<KeyVersion[]> {
    let versions: KeyVersion[] = []
    if (holds.length > 0) await run(tx, this.#statements.holdKeys, holdArgs(holds))
    if (aside.length > 0) {
      const held = new Set(holds.map(({ key }) => key))
      const others = aside.filter(({ key }) => !held.has(key))
      versions = await run<KeyVersion>(tx, this.#statements.setAside, {
        ids: aside.map(({ id }) => id),
        keys: others.map(({ key }) => key),
        buckets: others.map(({ bucket }) => bucket),
      })
    }
    if (parks.length > 0 && this.#statements.parkTails) {
      await run(tx, this.#statements.parkTails, { keys: parks.map(({ key }) => key) })
    }
    await this.#free(tx, frees)
    return versions
  }

  /** The same, and fails where another transaction has locked a key, or a message that is set aside. */
  async writeSoon(tx: Transaction, plan: KeyPlan): Promise<KeyVersion[]> {
    if (plan.holds.length + plan.aside.length > 0) await tx.query(limitLockWaits(PATIENCE_MS))
    return this.write(tx, plan)
  }

  /** Which keys of a plan another transaction has locked; the others are locked by this one. */
  async findLocked(tx: Transaction, { holds, aside }: KeyPlan): Promise<Set<string>> {
    const keys = [...new Set([...holds, ...aside].map(({ key }) => key))]
    if (keys.length === 0) return new Set()
    const found = await run<{ key: string }>(tx, this.#statements.selectLockedKeys, { keys })
    return new Set(found.map(({ key }) => key))
  }

  async #free(db: Transaction | PoolHandle['db'], keys: KeyPlan['frees']): Promise<void> {
    if (keys.length === 0) return
    await run(db, this.#statements.freeKeys, {
      keys: keys.map(({ key }) => key),
      versions: keys.map(({ version }) => version),
    })
  }

  /** Brings back what was changed past the engine. True when a key may go on. */
  async maintain(buckets: readonly number[]): Promise<boolean> {
    if (buckets.length === 0) return false
    const { db } = this.#handle
    await run(db, this.#statements.rescueHeld, { buckets })
    await run(db, this.#statements.sweepKeys, { buckets })
    return this.#liftGone(buckets)
  }

  /** A key that is blocked by messages that are gone goes on. */
  async #liftGone(buckets: readonly number[]): Promise<boolean> {
    const { db } = this.#handle
    const blocked = await run<Blocked>(db, this.#statements.blockedKeys, { buckets })
    if (blocked.length === 0) return false
    if (this.#statements.parkTails) {
      await run(db, this.#statements.parkTails, { keys: blocked.map(({ key }) => key) })
    }
    const { idType } = this.#outbox.columns
    const asked = blocked.flatMap(({ key, version, blockers }) => {
      const ids: (string | null)[] = blockers.filter((id) => isId(id, idType))
      return (ids.length > 0 ? ids : [null]).map((id) => ({ key, version, id }))
    })
    const lifted = await run(db, this.#statements.liftKeys, {
      keys: asked.map(({ key }) => key),
      versions: asked.map(({ version }) => version),
      ids: asked.map(({ id }) => id),
    })
    return lifted.length > 0
  }
}

export interface KeyVersion {
  readonly key: string
  readonly version: string
}

interface Blocked {
  readonly key: string
  readonly version: string
  readonly blockers: readonly string[]
}

/**
 * What may be attempted of a read; keys without a message, to be freed; and keys that begin with a
 * message of the other kind, to be marked.
 */
function sortFound(found: readonly OutboxRow[], isSuspect: boolean) {
  const empty: KeyPlan['frees'] = []
  const other = new Set<string>()
  const seen = new Set<string>()
  const rows: OutboxRow[] = []
  for (const row of found) {
    const key = String(row['claim_key'])
    if (row['seq'] === null) {
      const bucket = Number(row['claim_bucket'])
      empty.push({ key, bucket, version: String(row['claim_version']) })
    } else if (!seen.has(key) && Number(row['lost_claims']) > 0 !== isSuspect) other.add(key)
    else if (!other.has(key)) rows.push(row)
    seen.add(key)
  }
  return { rows, empty, other: [...other] }
}

function keysPerBucket(found: readonly OutboxRow[]): number[] {
  const keys = new Map<number, Set<string>>()
  for (const row of found) {
    const bucket = Number(row['claim_bucket'])
    keys.set(bucket, (keys.get(bucket) ?? new Set()).add(String(row['claim_key'])))
  }
  return [...keys.values()].map(({ size }) => size)
}
