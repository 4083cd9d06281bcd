import type { Queryable } from '@posthorn/engine'
import type { Configuration } from '@posthorn/server'
import { duration } from '../../terminal/words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { setForDatabase, setForServer } from '../queries.ts'
import { selectDatabase, selectSettings } from './queries.ts'

const SLOW_NAPTIME_SECONDS = 300

/** Maintenance, and an index that is made by a migration, take longer. */
const SHORT_STATEMENT_MS = 10_000

const NAMES = [
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'autovacuum',
  'track_counts',
  'autovacuum_naptime',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'default_transaction_isolation',
]

/** Settings of the server, as our own connections get them, that cost messages or slow them down. */
export async function checkSettings(
  db: Queryable,
  { production }: Pick<Configuration, 'production'>,
): Promise<Finding[]> {
  const settings = await selectSettings(db, NAMES)
  const database = await selectDatabase(db)
  const read: Read = { of: (name) => settings.get(name) ?? '', database, production }
  const findings = [
    ...durability(read),
    ...checkVacuum(read),
    ...timeouts(read),
    ...isolation(read),
  ]
  if (findings.length > 0) return findings
  const commits = `synchronous_commit ${read.of('synchronous_commit')}`
  return [ok('settings', `${commits}, autovacuum on`)]
}

interface Read {
  of(name: string): string
  /** As it stands in SQL. */
  readonly database: string
  readonly production: boolean
}

function durability({ of, database }: Read): Finding[] {
  const findings = ['fsync', 'full_page_writes']
    .filter((name) => of(name) === 'off')
    .map((name) => {
      const says = `${name} is off: a crash of the machine may break the database`
      return fail('settings', says, { todo: `turn ${name} on`, run: setForServer(`${name} = on`) })
    })
  if (of('synchronous_commit') === 'off') {
    const says =
      'synchronous_commit is off: after a crash a delivered message may have no transaction'
    const run = setForDatabase(database, 'synchronous_commit = on')
    findings.push(warn('settings', says, { todo: 'let commits wait for the disk', run }))
  }
  return findings
}

function checkVacuum({ of }: Read): Finding[] {
  const off = ['autovacuum', 'track_counts'].filter((name) => of(name) === 'off')
  const findings = off.map((name) => {
    const says = `${name} is off: nothing clears dead rows away, tables grow and slow down`
    return fail('vacuum', says, { todo: `turn ${name} on`, run: setForServer(`${name} = on`) })
  })
  const naptime = Number(of('autovacuum_naptime'))
  if (off.length === 0 && naptime > SLOW_NAPTIME_SECONDS) {
    const says = `autovacuum looks only every ${duration(naptime)}`
    const run = setForServer(`autovacuum_naptime = '1min'`)
    findings.push(warn('vacuum', says, { todo: 'run it every minute', run }))
  }
  return findings
}

function timeouts({ of, database, production }: Read): Finding[] {
  const findings: Finding[] = []
  const statement = Number(of('statement_timeout'))
  if (statement > 0 && statement < SHORT_STATEMENT_MS) {
    const says = `statement_timeout is ${statement} ms: maintenance and migrations are cut off`
    const run = setForDatabase(database, `statement_timeout = '1min'`)
    findings.push(warn('settings', says, { todo: 'give statements longer', run }))
  }
  // In development people stop at a breakpoint in the middle of a transaction.
  if (production && Number(of('idle_in_transaction_session_timeout')) === 0) {
    const says = 'a forgotten transaction may stay open forever and stop vacuum on every table'
    const run = setForDatabase(database, `idle_in_transaction_session_timeout = '5min'`)
    findings.push(warn('settings', says, { todo: 'let the server end it', run }))
  }
  return findings
}

function isolation({ of, database }: Read): Finding[] {
  const level = of('default_transaction_isolation')
  if (level === 'read committed') return []
  const says = `transactions are ${level} by default: two at one row fail where one would wait`
  const run = setForDatabase(database, `default_transaction_isolation = 'read committed'`)
  return [warn('settings', says, { todo: 'set it only where it is needed', run })]
}
