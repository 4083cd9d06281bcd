import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'
import type { Ring } from '../database/bell.ts'
import type { Outbox } from '../outbox/define.ts'
import { silentLog, type Log } from '../log.ts'
import { notifyWakes } from '../database/wake.sql.ts'

/** Wake-ups of one outbox within this time become one notification. */
const COALESCE_MS = 5

export interface Notifier {
  close(): Promise<void>
}

/**
 * Tells the relays of other processes that something was enqueued here: one NOTIFY at most every
 * 5 ms, outside the users' transactions, since a NOTIFY inside would queue up all commits of the
 * database behind one lock. A process that runs the relay itself does not need it.
 */
export function createNotifier(
  pool: Pool,
  outboxes: readonly Pick<Outbox, 'name' | 'bell'>[],
  { log = silentLog }: { log?: Log } = {},
): Notifier {
  const waiting = new Map<string, Ring>()
  let timer: NodeJS.Timeout | undefined
  let sending = Promise.resolve()
  // Of no caller: whoever rings first would else be the one who sends for all.
  const apart = AsyncLocalStorage.snapshot()

  const send = async () => {
    timer = undefined
    const payloads = [...waiting].map(([outbox, ring]) => `${ring} ${outbox}`)
    waiting.clear()
    // Lost with a broken connection: the relays' poll makes up for it.
    await pool
      .query(notifyWakes(payloads))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'notify failed; relays of other processes poll'),
      )
  }
  const unhear = outboxes.map(({ name, bell }) =>
    bell.listen((ring) => {
      // `arm` asks for more than `ring`: relays that hear it look now and for a while.
      if (waiting.get(name) !== 'arm') waiting.set(name, ring)
      timer ??= apart(() => setTimeout(() => void (sending = sending.then(send)), COALESCE_MS))
    }),
  )
  return {
    async close() {
      unhear.forEach((stop) => stop())
      clearTimeout(timer)
      if (waiting.size > 0) sending = sending.then(send)
      await sending
    },
  }
}

/** Wakes every relay of every outbox, wherever it runs: after the business clock was moved, say. */
export async function wakeAllRelays(pool: Pool): Promise<void> {
  await pool.query(notifyWakes(['ring *']))
}
