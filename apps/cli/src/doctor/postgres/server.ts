import type { MigrationSet, Outbox, Queryable } from '@posthorn/engine'
import { migrationStatus } from '@posthorn/engine/operate'
import type { Configuration } from '@posthorn/server'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { letSeeOthers, setForNextStart } from '../remedies/queries.ts'
import { selectServer, type ServerFacts } from './queries.ts'

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
    const says = `${user} sees only its own connections: transactions and locks of others are missed`
    const advice = { todo: 'let it look', run: letSeeOthers(user) }
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

/** What a process takes: its pool, and for relays two a lane and more for leases and wake-ups. */
function countNeededConnections(
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
  const advice = { todo: 'apply them', run: 'posthorn migrate' }
  return fail('migrations', `pending: ${names}`, advice)
}
