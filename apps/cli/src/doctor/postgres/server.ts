import { randomUUID } from 'node:crypto'
import type { Outbox, Queryable } from '@posthorn/engine'
import { countConnections } from '@posthorn/engine/internal'
import type { Configuration } from '@posthorn/server'
import type { Pool } from 'pg'
import { duration } from '../../terminal/words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { letSeeOthers, setForNextStart } from '../queries.ts'
import {
  listenForProbe,
  notifyProbe,
  selectServer,
  selectTime,
  type ServerFacts,
} from './queries.ts'

const OLDEST_SERVER = 140_000

/** The server: its version, whether it takes writes, and whether there are connections for us. */
export async function checkServer(
  db: Queryable,
  configuration: Configuration,
  outboxes: readonly Outbox[],
): Promise<Finding[]> {
  const facts = await selectServer(db)
  const { version, versionNumber, readOnly, user, seesOthers } = facts
  const findings = [
    versionNumber < OLDEST_SERVER
      ? fail('server', `PostgreSQL ${version}`, 'use PostgreSQL 14 or newer')
      : ok('server', `PostgreSQL ${version}`),
    checkConnections(facts, countNeededConnections(configuration, outboxes)),
  ]
  if (readOnly) {
    findings.push(fail('server', 'it is read-only', 'connect to the primary, not to a replica'))
  }
  if (!seesOthers) {
    const says = `${user} sees only its own connections, not the transactions and locks of others`
    const advice = { todo: 'grant it pg_monitor', run: letSeeOthers(user) }
    findings.push(warn('rights', says, advice))
  }
  return findings
}

function checkConnections({ connections, connected }: ServerFacts, needed: number): Finding {
  const says = `${connected} of ${connections} in use, a server with these roles takes ${needed}`
  const run = setForNextStart(`max_connections = ${nextHundred(connected + needed)}`)
  if (needed > connections) {
    const todo = 'raise max_connections, or lower POSTHORN_POOL_SIZE'
    return fail('connections', says, { todo, run })
  }
  if (connected + needed <= connections) return ok('connections', says)
  const todo = 'raise max_connections if another server is to start'
  return warn('connections', says, { todo, run })
}

function nextHundred(connections: number): number {
  return Math.ceil((connections + 20) / 100) * 100
}

/** What a process takes: its pool, and what its relay uses. */
function countNeededConnections(
  { roles, poolSize }: Configuration,
  outboxes: readonly Outbox[],
): number {
  const relays = countConnections(outboxes)
  return poolSize + (roles.has('relay') ? relays : 0)
}

const LOOKS = 5
const SKEWED_MS = 2_000

/** From here on signed webhooks are refused, and tokens are not valid yet or no more. */
const FAR_OFF_MS = 60_000

/** Whether this machine and the database agree on what time it is. */
export async function checkSkew(db: Queryable): Promise<Finding> {
  const { ms, withinMs } = await measureSkew(db)
  const certain = Math.max(0, Math.abs(ms) - withinMs)
  if (certain < SKEWED_MS) return ok('time', 'this machine and the database agree')
  const side = ms > 0 ? 'ahead of' : 'behind'
  const says = `the database is ${duration(certain / 1000)} ${side} this machine`
  const todo = 'set both by NTP: tokens, signatures and ids carry the time of this machine'
  const advice = { todo, run: 'timedatectl status' }
  return certain < FAR_OFF_MS ? warn('time', says, advice) : fail('time', says, advice)
}

/** How far the server is ahead, by the quickest of a few looks: half of its way is the doubt. */
async function measureSkew(db: Queryable): Promise<{ ms: number; withinMs: number }> {
  let best = { ms: 0, withinMs: Number.POSITIVE_INFINITY }
  for (let look = 0; look < LOOKS; look += 1) {
    const before = Date.now()
    const there = await selectTime(db)
    const after = Date.now()
    const withinMs = (after - before) / 2
    if (withinMs < best.withinMs) best = { ms: there - (before + after) / 2, withinMs }
  }
  return best
}

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
    return ok('wake-ups', 'no notification arrives, probably because of a pooler; relays poll')
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
