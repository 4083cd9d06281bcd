import { userInfo } from 'node:os'
import {
  createNotifier,
  PosthornError,
  silentLog,
  toMs,
  type Duration,
  type ErrorCode,
  type Outbox,
  type Queryable,
} from '@posthorn/engine'
import { readClock } from '@posthorn/operate'
import { openDatabase, type Configuration, type Database } from '@posthorn/server'
import type { Pool } from 'pg'
import {
  DURATION,
  given,
  type DatabaseOptions,
  type FilterOptions,
  type OperatorOptions,
} from './options.ts'
import { hasDatabase, openToLook, readEnvironment, variablesOf } from './environment.ts'
import { Failure, UsageError } from './errors.ts'
import { startProgress } from './terminal/interact.ts'
import type { Terminal } from './terminal/terminal.ts'
import { suggest } from './terminal/words.ts'

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
  options: DatabaseOptions,
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
  throw new UsageError(
    `there is no outbox "${name}".${suggest(name, names)} There are: ${names.join(', ') || 'none'}`,
  )
}

/** Rethrows an engine error with one of these codes as a mistake in the command line. */
export function throwAsUsage(error: unknown, ...codes: readonly ErrorCode[]): never {
  if (!(error instanceof PosthornError) || !codes.includes(error.code)) throw error
  throw new UsageError(error.message, { cause: error })
}

/** Who acts and why, for the audit. */
export function operatorOf(
  { env }: Pick<Terminal, 'env'>,
  { by, reason }: Pick<OperatorOptions, 'by' | 'reason'>,
): { readonly by: string; readonly reason?: string } {
  return {
    by: `cli:${operatorName({ env }, given({ by }))}`,
    ...(reason !== undefined && { reason }),
  }
}

/** The name given, that of the environment, else the account's. */
export function operatorName(
  { env }: Pick<Terminal, 'env'>,
  { by }: { readonly by?: string },
): string {
  return by || env['POSTHORN_OPERATOR'] || accountName()
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user need not have a name.
    return 'unknown'
  }
}

/** The options of `withFilter` as the engine takes them. */
export async function readFilter(db: Queryable, options: FilterOptions) {
  const { id: ids, type, tenant, key, code, since, until } = options
  return given({
    ...{ ids, type, tenant, key, code },
    since: since === undefined ? undefined : await readTime(db, since),
    until: until === undefined ? undefined : await readTime(db, until),
  })
}

/** A point in time, or so long ago by the database's real clock, which dates the messages too. */
async function readTime(db: Queryable, text: string): Promise<Date> {
  if (!DURATION.test(text)) return new Date(text)
  const { now, aheadSeconds } = await readClock(db)
  return new Date(now.getTime() - aheadSeconds * 1_000 - toMs(text as Duration))
}
