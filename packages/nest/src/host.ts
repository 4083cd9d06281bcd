import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common'
import {
  createNotifier,
  DefinitionError,
  engineMigrations,
  migrate,
  posthorn,
  setUpTables,
  transaction,
  type Handlers,
  type Notifier,
  type Posthorn,
  type Transaction,
} from '@posthorn/engine'
import type { Outboxes, PosthornSettings } from './options.ts'

/** What the application knows when everything has been made. */
export interface Surroundings {
  readonly settings: PosthornSettings
  readonly outboxes: Outboxes
  /** The methods that handle messages; asked for once all providers are there. */
  findHandlers(): readonly Handlers[]
}

/** Posthorn in an application's life: starts when it is up, drains before anything else ends. */
export class PosthornHost
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  readonly #surroundings: Surroundings
  #horn: Posthorn | undefined
  #notifier: Notifier | undefined

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  /** Commits when `work` resolves, rolls back when it throws, and wakes the relays. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return transaction(this.#surroundings.settings.pool, work)
  }

  /** The relay and what is around it; from the start of the application on, in one that has a relay. */
  get horn(): Posthorn {
    if (this.#horn) return this.#horn
    throw new DefinitionError('PosthornModule', 'relay', 'has not been started in this process')
  }

  async onApplicationBootstrap(): Promise<void> {
    const { settings, outboxes, findHandlers } = this.#surroundings
    const { setUp = false, relay = true, atOnce: _, endPool: __, ...options } = settings
    // Also where nothing is delivered: a wrong handler is to be found in every process.
    const handlers = findHandlers()
    if (setUp) {
      await migrate(settings.pool, [await engineMigrations()])
      await setUpTables(settings.pool, outboxes)
    }
    if (!relay) {
      this.#notifier = createNotifier(settings.pool, outboxes)
      return
    }
    this.#horn = posthorn({ ...options, outboxes, handlers })
    await this.#horn.start()
  }

  /** The first of Nest's three hooks: what handlers use is closed in this one or a later one. */
  async onModuleDestroy(): Promise<void> {
    await this.#horn?.stop()
    await this.#notifier?.close()
  }

  async onApplicationShutdown(): Promise<void> {
    const { pool, endPool = false } = this.#surroundings.settings
    if (endPool) await pool.end()
  }
}
