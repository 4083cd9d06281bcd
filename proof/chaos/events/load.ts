import { enqueue, transaction, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import { keyNames, planTransactions } from '../../kit/events/plan.ts'
import { insertAccounts, insertEntries } from '../../kit/events/queries.ts'
import { createRandom } from '../../kit/random.ts'
import { untilAnswered, write, type Written } from '../../kit/events/writer.ts'
import { chaosOutboxes, INDIGESTIBLE, POISON, rowEvents } from './outbox.ts'

/** Messages a second of each outbox. */
const RATE = 40
const KEYS = keyNames(60)

/** Far apart, so that the relays that a poisoned message ends are back before the next. */
const POISON_EVERY_MS = 60_000
const FIRST_POISON_MS = 1_000

/** What was written to the outboxes of the run itself. */
export interface WrittenEvents {
  readonly byOutbox: ReadonlyMap<string, Written>
  /** Ids of messages that end a relay each time. */
  readonly poison: readonly string[]
  readonly indigestible: readonly string[]
}

export interface EventsOptions {
  readonly seed: number
  readonly durationMs: number
  readonly signal: AbortSignal
}

/** Done before anything goes wrong. */
export async function prepareEvents(pool: Pool): Promise<void> {
  for (const { name } of chaosOutboxes) await insertAccounts(pool, name, KEYS)
}

/** Writes to all outboxes at a steady rate, and a poisoned message of either kind each minute. */
export async function writeEvents(
  pool: Pool,
  { seed, durationMs, signal }: EventsOptions,
): Promise<WrittenEvents> {
  const messages = Math.ceil((durationMs / 1_000) * RATE)
  const poison: string[] = []
  const indigestible: string[] = []
  const poisoning = async () => {
    for (let atMs = FIRST_POISON_MS; atMs < durationMs; atMs += POISON_EVERY_MS) {
      await new Promise((resolve) =>
        setTimeout(resolve, atMs === FIRST_POISON_MS ? atMs : POISON_EVERY_MS),
      )
      signal.throwIfAborted()
      poison.push(await writeOne(pool, POISON))
      indigestible.push(await writeOne(pool, INDIGESTIBLE))
    }
  }
  const writing = chaosOutboxes.map(async (outbox, i) => {
    const plan = planTransactions(createRandom(seed + i), { messages, keys: KEYS })
    return [outbox.name, await write(pool, { outbox, plan, rate: RATE, signal })] as const
  })
  const [written] = await Promise.all([Promise.all(writing), poisoning()])
  return { byOutbox: new Map(written), poison, indigestible }
}

async function writeOne(pool: Pool, prefix: string): Promise<string> {
  const id = uuid()
  const entry = { id, key: `${prefix}${id.slice(-4)}`, n: 1 }
  await untilAnswered(() =>
    transaction(pool, async (tx) => {
      await insertEntries(tx, rowEvents.name, [entry])
      await enqueue(tx, rowEvents, { id, key: entry.key, n: '1' })
    }).catch((error: { code?: string }) => {
      // The first try had gone through, and only its answer was lost.
      if (error.code !== '23505') throw error
    }),
  )
  return id
}
