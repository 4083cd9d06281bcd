import { setTimeout as sleep } from 'node:timers/promises'
import { createNotifier, transaction, uuid, type Outbox } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { EventRow } from '../kit/events/outbox.ts'
import { keyNames, planTransactions, type PlannedTransaction } from '../kit/events/plan.ts'
import { insertAccounts } from '../kit/events/queries.ts'
import { PlannedRollback, targetOf, writeBatch } from '../kit/events/writer.ts'
import { createRandom } from '../kit/random.ts'

/** What the database has said of each message that was written. */
export interface Written {
  /** Its commit was answered. */
  readonly acknowledged: Set<string>
  /** Its commit was asked for, and no answer came: it may be there or not. */
  readonly uncertain: Set<string>
  /** It failed before its commit, or was rolled back: it must not be there. */
  readonly refused: Set<string>
  /**
   * When the commit of each message was answered, in milliseconds of the clock: where they are far
   * apart nothing was written.
   */
  readonly answeredAt: number[]
}

export interface WriterOptions {
  readonly outbox: Outbox<EventRow>
  readonly seed: number
  /** Messages a second. */
  readonly rate: number
  /** Ends the writing. */
  readonly over: AbortSignal
}

const KEYS = keyNames(100)
/** Transactions at once; two of one key wait for each other at the account's row. */
const LANES = 12
const PAUSE_MS = 250
/** Planned anew until the writing is over. */
const WITHOUT_END = Number.MAX_SAFE_INTEGER

export async function prepareWriting(
  pool: Pool,
  outboxes: readonly Pick<Outbox, 'name'>[],
): Promise<void> {
  for (const { name } of outboxes) await insertAccounts(pool, name, KEYS)
}

/**
 * Writes the key's counter, its entries and their messages in one transaction each, as fast as it was
 * asked to. A transaction that fails is not repeated: its key goes on with the next one.
 */
export async function write(
  pool: Pool,
  { outbox, seed, rate, over }: WriterOptions,
): Promise<Written> {
  const notifier = createNotifier(pool, [outbox])
  const written: Written = {
    acknowledged: new Set(),
    uncertain: new Set(),
    refused: new Set(),
    answeredAt: [],
  }
  const plan = planTransactions(createRandom(seed), { messages: WITHOUT_END, keys: KEYS })
  let pace = { from: performance.now(), after: 0 }
  const lane = async () => {
    while (!over.aborted) {
      const planned = plan.next().value as PlannedTransaction
      const dueMs = pace.from + ((planned.after - pace.after) / rate) * 1_000 - performance.now()
      if (dueMs > 1) await sleep(dueMs)
      // What could not be written in time is not made up for: the rate stays what it was.
      if (dueMs < -1_000) pace = { from: performance.now(), after: planned.after }
      if (!(await attempt(pool, outbox, { planned, written }))) await sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await notifier.close()
  return written
}

/** False where the database did not take it. */
async function attempt(
  pool: Pool,
  outbox: Outbox<EventRow>,
  { planned, written }: { planned: PlannedTransaction; written: Written },
): Promise<boolean> {
  const ids = Array.from({ length: planned.size }, () => uuid())
  let isCommitting = false
  const add = (to: Set<string>) => ids.forEach((id) => to.add(id))
  try {
    await transaction(pool, async (tx) => {
      await writeBatch(tx, targetOf(outbox), { planned, ids })
      isCommitting = true
    })
    add(written.acknowledged)
    const answeredAt = Date.now()
    written.answeredAt.push(...ids.map(() => answeredAt))
    return true
  } catch (error) {
    add(isCommitting ? written.uncertain : written.refused)
    return error instanceof PlannedRollback
  }
}
