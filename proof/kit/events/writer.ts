import { setTimeout as sleep } from 'node:timers/promises'
import {
  createNotifier,
  enqueueAll,
  transaction,
  uuid,
  type Outbox,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { EventRow } from './outbox.ts'
import type { PlannedTransaction } from './plan.ts'
import { advanceAccount, hasEntry, insertEntries, type Entry } from './queries.ts'

export interface Written {
  readonly committed: number
  readonly rolledBack: ReadonlySet<string>
  /** Transactions that were done again because the database died under them. */
  readonly repeated: number
  readonly seconds: number
}

export interface WriterOptions {
  readonly outbox: Outbox<EventRow>
  readonly plan: Iterator<PlannedTransaction>
  /** Messages a second. */
  readonly rate: number
  readonly signal: AbortSignal
}

/** Transactions at once; two of one key wait for each other at the account's row. */
export const LANES = 24

/** How often a transaction is tried against a database that is away, and how far apart. */
const TRIES = 300
const PAUSE_MS = 200

export class PlannedRollback extends Error {}

/** What is written to: messages are added in the transaction of their entries. */
export interface Target {
  readonly source: string
  add(tx: Transaction, entries: readonly Entry[]): Promise<unknown>
}

export function targetOf(outbox: Outbox<EventRow>): Target {
  return {
    source: outbox.name,
    add: (tx, entries) =>
      enqueueAll(
        tx,
        outbox,
        entries.map(({ id, key, n }) => ({ id, key, n: String(n) })),
      ),
  }
}

/** Writes what is planned: the key's counter, its entries and the messages in one transaction each. */
export async function write(
  pool: Pool,
  { outbox, plan, rate, signal }: WriterOptions,
): Promise<Written> {
  const notifier = createNotifier(pool, [outbox])
  const target = targetOf(outbox)
  const rolledBack = new Set<string>()
  let committed = 0
  let repeated = 0
  const began = performance.now()
  const lane = async () => {
    for (let next = plan.next(); !next.done; next = plan.next()) {
      signal.throwIfAborted()
      const planned = next.value
      const dueMs = began + (planned.after / rate) * 1_000 - performance.now()
      if (dueMs > 1) await sleep(dueMs)
      const ids = Array.from({ length: planned.size }, () => uuid())
      if (planned.rollsBack) {
        ids.forEach((id) => rolledBack.add(id))
        // After any failure, the database's end included, nothing of it is there.
        await attempt(pool, target, { planned, ids }).catch(() => undefined)
        continue
      }
      repeated += await persist(pool, target, { planned, ids })
      committed += ids.length
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await notifier.close()
  return { committed, rolledBack, repeated, seconds: (performance.now() - began) / 1_000 }
}

export interface Batch {
  readonly planned: Pick<PlannedTransaction, 'key' | 'size' | 'rollsBack'>
  readonly ids: readonly string[]
}

/** The key's counter, its entries and its messages; throws a planned rollback at the end. */
export async function writeBatch(
  tx: Transaction,
  { source, add }: Target,
  { planned, ids }: Batch,
): Promise<void> {
  const { key, size } = planned
  const last = await advanceAccount(tx, { source, key, by: size })
  const entries: Entry[] = ids.map((id, i) => ({ id, key, n: last - size + 1 + i }))
  await insertEntries(tx, source, entries)
  await add(tx, entries)
  if (planned.rollsBack) throw new PlannedRollback()
}

function attempt(pool: Pool, target: Target, batch: Batch): Promise<void> {
  return transaction(pool, (tx) => writeBatch(tx, target, batch))
}

/** Tries until it is committed. Returns how often it had to be done again. */
export async function persist(pool: Pool, target: Target, batch: Batch): Promise<number> {
  const db = pool as unknown as Queryable
  for (let repeats = 0; ;) {
    try {
      await attempt(pool, target, batch)
      return repeats
    } catch (error) {
      if (repeats >= TRIES) throw error
      // The commit may have gone through, and only its answer been lost: look before doing it again.
      const isThere = await untilAnswered(() => hasEntry(db, batch.ids[0] ?? ''))
      if (isThere) return repeats
      repeats += 1
      // It is there and refuses, perhaps: a disk that is full is not empty at once.
      await sleep(PAUSE_MS)
    }
  }
}

/** Asks until the database is there to answer. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}
