import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import type { Ledger } from '../kit/ledger.ts'
import { messageLines } from '../failover/ledger.ts'
import { failoverOutboxes } from '../failover/outbox.ts'
import { until } from '../kit/waiting.ts'
import { countOpen } from '../failover/queries.ts'
import { prepareWriting, write } from '../failover/writer.ts'

/** Messages a second of each outbox. */
const RATE = 15
const SETTLE_MS = 60_000

/** The outboxes that are counted one by one, delivered to topics: these are brought back, too. */
export function eventsEnv(folder: string): Record<string, string> {
  return {
    POSTHORN_CONFIG: fileURLToPath(new URL('../failover/system.ts', import.meta.url)),
    FAILOVER_KEYED: 'topics',
    FAILOVER_ROWS: 'topics',
    FAILOVER_FOLDER: folder,
    PROCESS_NAME: 'parent',
  }
}

/** What is written by key, by row and to a log, until the server is lost. */
export interface Events {
  /** Ends the writing. */
  finish(): Promise<void>
  /** Waits until what is there has taken effect; what never does is in the ledger. */
  settled(signal: AbortSignal): Promise<unknown>
  ledger(): Promise<Ledger>
}

export async function writeEvents(
  pool: Pool,
  { seed, folder }: { seed: number; folder: string },
): Promise<Events> {
  await prepareWriting(pool, failoverOutboxes)
  const over = new AbortController()
  const writing = Promise.all(
    failoverOutboxes.map(async (outbox) => {
      const written = await write(pool, { outbox, seed, rate: RATE, over: over.signal })
      return [outbox.name, written] as const
    }),
  )
  const finish = async () => {
    over.abort()
    await writing
  }
  const isSettled = async () => (await countOpen(pool, failoverOutboxes)) === 0
  return {
    finish,
    settled: (signal) => until(isSettled, { withinMs: SETTLE_MS, signal }),
    async ledger() {
      const written = new Map(await writing)
      const probe = { asked: new Set<string>(), stored: [] }
      const topics = new Set(written.keys())
      const evidence = { pool, folder, written, probe, isLossy: true, topics }
      return { title: 'events', lines: await messageLines(evidence) }
    },
  }
}
