import type { Pool } from 'pg'
import { transaction, type Transaction } from '../database/transaction.ts'
import { DefinitionError, PosthornError, SQLSTATE, sqlState } from '../errors.ts'
import { consoleLog } from '../log.ts'
import { engineMigrations, migrate, migrationSql } from '../database/migrate.ts'
import { listRecurring, type RecurringStatus } from '../control/recurring.ts'
import type { Outbox } from '../outbox/define.ts'
import { checkObject, type Fields } from '../outbox/definition-shape.ts'
import type { Transports } from '../relay/attempt/attempt.ts'
import { createRelay, type Relay, type RelayOptions } from '../relay/relay.ts'
import { checkOutboxes, checkRelayOptions, RELAY_FIELDS } from '../relay/relay-options.ts'
import { lockMigrations } from '../database/migrate.sql.ts'
import { refuseOldNode } from './node-version.ts'
import { HANDLERS, handlerTransport, warnOfSmallPool, type Handlers } from './handlers.ts'
import type { StandardOutbox } from './standard-outbox.ts'

// As soon as the package is imported, not when a newer function is missing.
refuseOldNode(process.versions)

export interface PosthornOptions extends Omit<RelayOptions, 'outboxes' | 'transports'> {
  /** Those that have handlers need not be named again. */
  readonly outboxes?: RelayOptions['outboxes']
  /** What `handlers` made, for outboxes whose messages are handled in this process. */
  readonly handlers?: Handlers | readonly Handlers[]
  /** Live clients by the name that destinations use, for outboxes that go elsewhere. */
  readonly transports?: Transports
}

/** A relay with what an application needs around it. */
export interface Posthorn extends Relay {
  /**
   * Makes the engine's tables and those of `outbox()`, where they are missing, and returns itself. For
   * development.
   */
  setUp(): Promise<Posthorn>
  /** The same as SQL, for the application's own migrations. */
  sql(): Promise<string>
  /** Commits when `work` resolves, rolls back when it throws, and wakes the relay. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Recurring messages of these outboxes: when each is due next, when it was last, what is wrong. */
  recurring(): Promise<RecurringStatus[]>
}

/** Everything that one process needs: give it a pool and what it delivers, set up, start. */
export function posthorn(options: PosthornOptions): Posthorn {
  checkFields(options)
  const { handlers = [], transports = {}, log = consoleLog, ...others } = options
  const { pool } = others
  const sets = [handlers].flat()
  const named = new Set([...(options.outboxes ?? []), ...sets.map((set) => set.outbox as Outbox)])
  const outboxes = [...named].map((outbox) => withPlaces(outbox, sets))
  const bound = sets.length > 0 ? { [HANDLERS]: handlerTransport(pool, sets) } : {}
  checkHandlers(outboxes, { ...bound, ...transports })
  const relay = createRelay({ ...others, outboxes, log, transports: { ...bound, ...transports } })
  const app: Posthorn = {
    ...relay,
    start() {
      warnOfSmallPool(pool, sets, log)
      return relay.start()
    },
    run(until) {
      warnOfSmallPool(pool, sets, log)
      return relay.run(until)
    },
    async setUp() {
      await migrate(pool, [await engineMigrations()])
      await setUpTables(pool, outboxes)
      return app
    },
    sql: async () => {
      const engine = migrationSql([await engineMigrations()], { transaction: 'outer' })
      return [engine, ...tablesOf(outboxes)].join('\n')
    },
    transaction: (work) => transaction(pool, work),
    recurring: async () => {
      const names = new Set(outboxes.map(({ name }) => name))
      return (await listRecurring(pool as never)).filter((each) => names.has(each.outbox))
    },
  }
  return app
}

/** As many messages are in hand as are handled at once. */
function withPlaces(outbox: Outbox, sets: readonly Handlers[]): Outbox {
  const { atOnce = 0 } = sets.find((set) => set.outbox.name === outbox.name) ?? {}
  return atOnce > outbox.atOnce ? { ...outbox, atOnce } : outbox
}

function isPool(value: unknown): value is Pool {
  return typeof (value as Partial<Pool> | undefined)?.connect === 'function'
}

function isHandlers(part: unknown): part is Handlers {
  return (part as Partial<Handlers> | undefined)?.byType instanceof Map
}

/** Makes the tables of those that `outbox()` made, where they are missing. */
export async function setUpTables(pool: Pool, outboxes: readonly Outbox[]): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(lockMigrations)
    for (const box of outboxes.filter(isStandard)) {
      try {
        await tx.query({ text: box.tableSql(), values: [] })
      } catch (error) {
        throw changedTable(box, error)
      }
    }
  })
}

/** The SQL of their tables; an outbox on a table of the user's own has none. */
export function tablesOf(outboxes: readonly Outbox[]): string[] {
  return outboxes.filter(isStandard).map((box) => box.tableSql())
}

/** A table that another definition made stays as it is; its indexes may then need a column that it lacks. */
function changedTable({ name, table }: Outbox, error: unknown): unknown {
  if (sqlState(error) !== SQLSTATE.undefinedColumn) return error
  const why = error instanceof Error ? error.message : ''
  return new PosthornError(
    'TABLE_MISMATCH',
    `outbox ${name}: ${table} belongs to another definition: ${why}. ` +
      'Add the column in a migration, or drop the table in development.',
    { cause: error },
  )
}

function isStandard(box: Outbox): box is StandardOutbox & Outbox {
  return 'tableSql' in box
}

const FIELDS: Fields<PosthornOptions> = { ...RELAY_FIELDS, handlers: 'optional' }

/** Runtime check for JavaScript callers. */
function checkFields(options: PosthornOptions): void {
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError('posthorn()', field, problem)
  }
  if (!isPool((options as Partial<PosthornOptions> | undefined)?.pool)) {
    wrong('pool', 'must be a Pool of the package "pg"')
  }
  checkObject(options, FIELDS, { prefix: '', wrong })
  const { outboxes = [], handlers = [] } = options
  checkOutboxes(outboxes, wrong)
  if (![handlers].flat().every(isHandlers)) {
    wrong('handlers', "must be the result of an outbox's handle(), or a list of them")
  }
  checkRelayOptions(options, wrong)
}

/** The relay would say that a transport is missing: true, but not what to do about it. */
function checkHandlers(outboxes: readonly Outbox[], transports: Transports): void {
  for (const { name, destination } of outboxes) {
    if (typeof destination === 'function' || destination.transport !== HANDLERS) continue
    if (transports[HANDLERS]) continue
    throw new DefinitionError(
      name,
      'destination',
      'has no handlers: pass the result of its handle({ … }) to posthorn(), or name a destination',
    )
  }
}
