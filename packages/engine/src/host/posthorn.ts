import type { Pool } from 'pg'
import { transaction, type Transaction } from '../enqueue/transaction.ts'
import { DefinitionError } from '../errors.ts'
import { consoleLog } from '../log.ts'
import { engineMigrations, migrate, migrationSql } from '../maintain/migrate.ts'
import { listRecurring, type RecurringStatus } from '../operate/recurring.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Transports } from '../relay/attempt.ts'
import { createRelay, type Relay, type RelayOptions } from '../relay/relay.ts'
import { lockMigrations } from '../sql/migrate.ts'
import { handlerTransport, type Handlers } from './handlers.ts'
import { HANDLERS, type StandardOutbox } from './standard-outbox.ts'

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
  /** Makes the engine's tables and those of `outbox()`, where they are missing. For development. */
  setUp(): Promise<void>
  /** The same as SQL, for the application's own migrations. */
  sql(): Promise<string>
  /** Commits when `work` resolves, rolls back when it throws, and wakes the relay. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** One look at every outbox, for tests and scripts; gives its leases back. */
  tick(): Promise<number>
  /** Recurring messages of these outboxes: when each is due next, when it was last, what is wrong. */
  recurring(): Promise<RecurringStatus[]>
}

/** Everything that one process needs: give it a pool and the outboxes, set up, start. */
export function posthorn(options: PosthornOptions): Posthorn {
  const { pool, handlers = [], transports = {}, log = consoleLog } = options
  checkFields(options)
  const sets = [handlers].flat()
  const outboxes = [
    ...new Set([
      ...(options.outboxes ?? []),
      ...sets.map((set) => set.outbox as unknown as Outbox),
    ]),
  ]
  const bound = sets.length > 0 ? { [HANDLERS]: handlerTransport(pool, sets) } : {}
  checkHandlers(outboxes, { ...bound, ...transports })
  const relay = createRelay({ ...options, outboxes, log, transports: { ...bound, ...transports } })
  let isStarted = false
  return {
    ...relay,
    async start() {
      isStarted = true
      await relay.start()
    },
    async stop() {
      isStarted = false
      await relay.stop()
    },
    async run(until) {
      isStarted = true
      await relay.run(until).finally(() => (isStarted = false))
    },
    async tick() {
      const claimed = await relay.tick()
      // A process that ends now would keep its leases from the next one until they run out.
      if (!isStarted) await relay.stop()
      return claimed
    },
    async setUp() {
      await migrate(pool, [await engineMigrations()])
      await setUpTables(pool, outboxes)
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

/** For those whom no compiler warns. */
function checkFields({ pool, outboxes }: PosthornOptions): void {
  const given = pool as Pool | undefined
  if (typeof given?.connect !== 'function') {
    throw new DefinitionError('posthorn()', 'pool', 'must be a Pool of the package "pg"')
  }
  const list = (outboxes ?? []) as readonly (Outbox | undefined)[]
  if (!Array.isArray(list) || list.some((box) => box?.statements === undefined)) {
    throw new DefinitionError(
      'posthorn()',
      'outboxes',
      'must be a list of what outbox() or defineOutbox() returned',
    )
  }
}

/** The relay would say that a transport is missing: true, but not what to do about it. */
function checkHandlers(outboxes: readonly Outbox[], transports: Transports): void {
  for (const { name, destination } of outboxes) {
    if (typeof destination === 'function' || destination.transport !== HANDLERS) continue
    if (transports[HANDLERS]) continue
    throw new DefinitionError(
      name,
      'destination',
      'has no handlers: pass handlers(outbox, { … }) to posthorn(), or name a destination',
    )
  }
}
