import type { Pool } from 'pg'
import { transaction, type Transaction } from '../database/transaction.ts'
import { DefinitionError } from '../errors.ts'
import { consoleLog } from '../log.ts'
import { engineMigrations, migrate, migrationSql } from '../database/migrate.ts'
import { listRecurring, type RecurringStatus } from '../control/recurring.ts'
import type { Outbox } from '../outbox/define.ts'
import { checkObject, type Fields } from '../outbox/definition-shape.ts'
import type { Transports } from '../relay/attempt/attempt.ts'
import { createRelay, type Relay, type RelayOptions } from '../relay/relay.ts'
import { checkOutboxes, checkRelayOptions, RELAY_FIELDS } from '../relay/relay-options.ts'
import { lockMigrations } from '../database/migrate.sql.ts'
import { HANDLERS, handlerTransport, warnOfSmallPool, type Handlers } from './handlers.ts'
import type { StandardOutbox } from './standard-outbox.ts'

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

/** What a process delivers: handlers of an outbox, or an outbox that goes elsewhere. */
// oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types run side by side
export type Part = Handlers | Outbox<any>

/**
 * Everything that one process needs: give it a pool and what it delivers, set up, start. With one object
 * the same, each by its name.
 */
export function posthorn(
  pool: Pool,
  parts: Part | readonly Part[],
  options?: Omit<PosthornOptions, 'pool' | 'outboxes' | 'handlers'>,
): Posthorn
export function posthorn(options: PosthornOptions): Posthorn
export function posthorn(
  first: Pool | PosthornOptions,
  parts?: Part | readonly Part[],
  more: Partial<PosthornOptions> = {},
): Posthorn {
  const options = isPool(first) ? { ...more, pool: first, ...divide(parts) } : first
  checkFields(options)
  const { handlers = [], transports = {}, log = consoleLog, ...others } = options
  const { pool } = others
  const sets = [handlers].flat()
  const outboxes = [
    ...new Set([...(options.outboxes ?? []), ...sets.map((set) => set.outbox as Outbox)]),
  ]
  const bound = sets.length > 0 ? { [HANDLERS]: handlerTransport(pool, sets) } : {}
  checkHandlers(outboxes, { ...bound, ...transports })
  const relay = createRelay({ ...others, outboxes, log, transports: { ...bound, ...transports } })
  const horn: Posthorn = {
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
      return horn
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
  return horn
}

function isPool(value: unknown): value is Pool {
  return typeof (value as Partial<Pool> | undefined)?.connect === 'function'
}

/** Handlers and outboxes, told apart by what only they have; a wrong one is left to the checks. */
function divide(parts: Part | readonly Part[] | undefined) {
  const list = parts === undefined ? [] : [parts].flat()
  const handlers = list.filter(isHandlers)
  return { handlers, outboxes: list.filter((part) => !isHandlers(part)) as Outbox[] }
}

function isHandlers(part: unknown): part is Handlers {
  return (part as Partial<Handlers> | undefined)?.byType instanceof Map
}

/** Makes the tables of those that `outbox()` made, where they are missing. */
export async function setUpTables(pool: Pool, outboxes: readonly Outbox[]): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(lockMigrations)
    for (const text of tablesOf(outboxes)) await tx.query({ text, values: [] })
  })
}

/** The SQL of their tables; an outbox on a table of the user's own has none. */
export function tablesOf(outboxes: readonly Outbox[]): string[] {
  return outboxes.filter(isStandard).map((box) => box.tableSql())
}

function isStandard(box: Outbox): box is StandardOutbox & Outbox {
  return 'tableSql' in box
}

const FIELDS: Fields<PosthornOptions> = { ...RELAY_FIELDS, handlers: 'optional' }

/** For those whom no compiler warns. */
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
    wrong('handlers', 'must be what handle() of an outbox returned, or a list of those')
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
      'has no handlers: give posthorn() what handle({ … }) of it returns, or name a destination',
    )
  }
}
