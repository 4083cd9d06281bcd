import type { MigrationSet, Outbox, Queryable } from '@posthorn/engine'
import { migrationStatus } from '@posthorn/engine'
import type { Configuration } from '@posthorn/server'
import { counted, duration, oneLine } from '../words.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'
import type { ServerFacts } from './queries.ts'
import { selectClock, selectLongTransactions, selectServer } from './queries.ts'

const OLDEST_SERVER = 140_000
const LONG_SECONDS = 300

/** The server: version, connections, autovacuum. */
export async function checkServer(
  db: Queryable,
  configuration: Configuration,
  outboxes: readonly Outbox[],
): Promise<Finding[]> {
  const facts = await selectServer(db)
  const { version, versionNumber, readOnly, autovacuum } = facts
  const findings = [
    versionNumber < OLDEST_SERVER
      ? fail('server', `PostgreSQL ${version}`, 'use PostgreSQL 14 or newer')
      : ok('server', `PostgreSQL ${version}`),
    checkConnections(facts, neededConnections(configuration, outboxes)),
  ]
  if (readOnly) {
    findings.push(fail('server', 'it is read-only', 'connect to the primary, not to a replica'))
  }
  if (!autovacuum) {
    const todo = 'set autovacuum = on and track_counts = on'
    findings.push(fail('vacuum', 'autovacuum is off: tables grow and slow down', todo))
  }
  return findings
}

function checkConnections({ connections, connected }: ServerFacts, needed: number): Finding {
  const says = `${connected} of ${connections} in use, a server with these roles takes ${needed}`
  if (needed > connections) {
    return fail('connections', says, 'raise max_connections, or lower POSTHORN_POOL_SIZE')
  }
  const isTight = connected + needed > connections
  if (!isTight) return ok('connections', says)
  return warn('connections', says, 'raise max_connections if another server is to start')
}

/** What a process takes: its pool, and for relays two a lane and more for leases and wake-ups. */
function neededConnections(
  { roles, poolSize }: Configuration,
  outboxes: readonly Outbox[],
): number {
  const relays = outboxes.reduce((sum, { lanes }) => sum + lanes + 2, 2)
  return poolSize + (roles.has('relay') ? relays : 0)
}

/** Whether the tables are those of this version. */
export async function checkMigrations(
  db: Queryable,
  sets: readonly MigrationSet[],
): Promise<Finding> {
  const steps = await migrationStatus(db, sets)
  const pending = steps.filter(({ appliedAt }) => appliedAt === undefined)
  if (pending.length === 0) return ok('migrations', `${steps.length} applied`)
  const names = pending.map(({ set, id }) => `${set}/${id}`).join(', ')
  return fail('migrations', `pending: ${names}`, 'run `posthorn migrate`')
}

/** Production goes by real time. */
export async function checkClock(
  db: Queryable,
  { production }: Pick<Configuration, 'production'>,
): Promise<Finding> {
  const { movable, aheadSeconds } = await selectClock(db)
  const isAhead = Math.abs(aheadSeconds) > 0.001
  const says = isAhead
    ? `the business clock is ${duration(aheadSeconds)} ahead`
    : movable
      ? 'the business clock can be moved, and was not'
      : 'the business clock is the real one'
  if (!production || !movable) return ok('clock', says)
  const todo = 'a development server has used this database: give production one of its own'
  return isAhead ? fail('clock', says, todo) : warn('clock', says, todo)
}

/** What is deleted while a transaction is open cannot be cleared away. */
export async function checkTransactions(db: Queryable): Promise<Finding> {
  const [longest, ...others] = await selectLongTransactions(db, LONG_SECONDS)
  if (!longest) return ok('transactions', `none is older than ${duration(LONG_SECONDS)}`)
  const { pid, application, state, seconds } = longest
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'other')}`
  const says = `process ${pid} (${oneLine(application) || 'unnamed'}, ${state}) has one open for ${duration(seconds)}${more}`
  const todo = `find out what it waits for; SELECT pg_terminate_backend(${pid}) ends it`
  return warn('transactions', says, todo)
}
