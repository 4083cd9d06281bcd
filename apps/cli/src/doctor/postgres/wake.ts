import type { Configuration } from '@posthorn/server'
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { fail, ok, type Finding } from '../finding.ts'
import { listenForProbe, notifyProbe } from './queries.ts'

/** A notification takes milliseconds; a busy machine may need longer. */
const PATIENCE_MS = 3_000

/**
 * Whether a NOTIFY of one connection reaches another. A pooler in transaction mode takes LISTEN and
 * gives the connection to another client: nothing fails, and no notification ever arrives.
 */
export async function checkWakeUps(
  pool: Pool,
  { relayMode }: Pick<Configuration, 'relayMode'>,
  patienceMs = PATIENCE_MS,
): Promise<Finding> {
  const isHeard = await isNotificationHeard(pool, patienceMs)
  if (isHeard) return ok('wake-ups', 'a notification arrives')
  if (relayMode === 'poll') {
    return ok('wake-ups', 'no notification arrives, probably for a pooler; relays poll')
  }
  const says = `no notification arrives within ${patienceMs} ms: a pooler in transaction mode, such as PgBouncer, swallows LISTEN`
  const todo = 'connect to PostgreSQL itself, or let relays poll'
  return fail('wake-ups', says, { todo, run: 'export POSTHORN_RELAY_MODE=poll' })
}

async function isNotificationHeard(pool: Pool, patienceMs: number): Promise<boolean> {
  const payload = randomUUID()
  const client = await pool.connect()
  const heard = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => heard.resolve(false), patienceMs)
  // A checked-out client emits its connection's death; without a listener that would end the process,
  // and print the client.
  client.on('error', () => heard.resolve(false))
  client.on('notification', (notification) => {
    if (notification.payload === payload) heard.resolve(true)
  })
  const probe = async () => {
    await listenForProbe(client)
    // By another connection: one's own notifications come even where those of others do not.
    await notifyProbe(pool, payload)
    return heard.promise
  }
  try {
    return await Promise.race([probe(), heard.promise])
  } finally {
    clearTimeout(timer)
    // Not to be used again: it listens, or belongs to a server that does not answer.
    client.release(true)
  }
}
