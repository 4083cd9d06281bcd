import { createNotifier, silentLog, type Outbox, type Queryable } from '@posthorn/engine'
import { openDatabase, type Configuration, type Database } from '@posthorn/server'
import type { Pool } from 'pg'
import {
  hasDatabase,
  openToLook,
  readEnvironment,
  variablesOf,
  type EnvironmentOptions,
} from './environment.ts'
import { Failure, UsageError } from './exit.ts'
import { nearest } from './nearest.ts'
import { startProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Connections a command needs at most: one to write, and some to read several outboxes at once. */
const CONNECTIONS = 3

/** A statement that takes longer than this counts as a database that is away. */
const PATIENCE_MS = 10_000

/** A database and its outboxes, for as long as a command runs. */
export interface Session {
  readonly pool: Pool
  /** For reading what is there at once, with an answer or an error in bounded time. */
  readonly db: Queryable
  /** For people: where the database is. */
  readonly where: string
  readonly outboxes: ReadonlyMap<string, Outbox>
}

/** Runs `work` with the database and the outboxes of this environment, and leaves both. */
export async function withSession<Result>(
  terminal: Terminal,
  options: EnvironmentOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const environment = await readEnvironment(variablesOf(terminal, options))
  await using database = await openExisting(terminal, environment.configuration)
  const { pool } = database
  const { outboxes } = await openToLook(environment, pool)
  // Relays of other processes hear of what is done here.
  const notifier = createNotifier(pool, outboxes)
  try {
    return await work(sessionOf(database, outboxes))
  } finally {
    await notifier.close()
  }
}

export function sessionOf({ pool, where }: Database, outboxes: readonly Outbox[]): Session {
  const byName = new Map(outboxes.map((outbox) => [outbox.name, outbox]))
  return { pool, db: patient(pool), where, outboxes: byName }
}

type OpenDatabase = Database & AsyncDisposable

/** Opens the database, unless that would make a new one by mistake. */
export async function openExisting(
  terminal: Terminal,
  configuration: Configuration,
): Promise<OpenDatabase> {
  if (configuration.databaseUrl === undefined && !(await hasDatabase(configuration))) {
    throw new Failure(
      `there is no database in ${configuration.dataFolder}; set DATABASE_URL or --data-dir, ` +
        'or make one with `posthorn start` or `posthorn migrate`',
    )
  }
  return open(terminal, configuration)
}

/** Opens the database; makes the embedded one if there is none. */
export async function open(
  terminal: Terminal,
  configuration: Configuration,
): Promise<OpenDatabase> {
  using _ = startProgress(terminal, 'opening the database')
  const database = await openDatabase({ ...configuration, poolSize: CONNECTIONS }, silentLog)
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}

/** A handle that gives up: a connection whose other end is gone would be waited for without end. */
function patient(pool: Pool): Queryable {
  const query = <Row>(statement: object) =>
    pool.query({ ...statement, query_timeout: PATIENCE_MS } as never) as unknown as Promise<{
      rows: Row[]
    }>
  return { query }
}

/** Finds an outbox, or says which there are and which was probably meant. */
export function outboxNamed({ outboxes }: Pick<Session, 'outboxes'>, name: string): Outbox {
  const outbox = outboxes.get(name)
  if (outbox) return outbox
  const names = [...outboxes.keys()]
  const meant = nearest(name, names)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(
    `there is no outbox "${name}".${hint} There are: ${names.join(', ') || 'none'}`,
  )
}
