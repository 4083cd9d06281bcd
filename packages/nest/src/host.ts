import type {
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleDestroy,
  FactoryProvider,
  ModuleMetadata,
} from '@nestjs/common'
import {
  createNotifier,
  DefinitionError,
  engineMigrations,
  migrate,
  posthorn,
  transaction,
  type Handlers,
  type Notifier,
  type Posthorn,
  type Transaction,
  type PosthornOptions,
} from '@posthorn/engine'
import { setUpTables } from '@posthorn/engine/internal'

/** Of any rows. */
export type Outboxes = NonNullable<PosthornOptions['outboxes']>

/** How outboxes are delivered: what `posthorn()` takes, and what the application adds to it. */
export interface PosthornSettings extends Omit<PosthornOptions, 'outboxes' | 'handlers'> {
  /** Makes the engine's tables and those of `outbox()` at the start. For development. Default false. */
  readonly setUp?: boolean
  /** False for a process that only enqueues: it wakes the relays of others. Default true. */
  readonly relay?: boolean
  /** Messages of an outbox that are handled at once; each takes a connection. Default 8. */
  readonly atOnce?: number
  /** Ends the pool with the application. Default false: who made it ends it. */
  readonly endPool?: boolean
}

export interface PosthornModuleOptions extends PosthornSettings {
  readonly outboxes: Outboxes
}

/** As other modules of Nest have it; the outboxes are definitions and known before. */
export interface PosthornModuleAsyncOptions
  extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider<PosthornSettings>, 'inject'> {
  readonly outboxes: Outboxes
  readonly useFactory: FactoryProvider<PosthornSettings>['useFactory']
}

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
  #app: Posthorn | undefined
  #notifier: Notifier | undefined

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  /** Commits when `work` resolves, rolls back when it throws, and wakes the relays. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return transaction(this.#surroundings.settings.pool, work)
  }

  /** The relay and what is around it; from the start of the application on, in one that has a relay. */
  get app(): Posthorn {
    if (this.#app) return this.#app
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
    this.#app = posthorn({ ...options, outboxes, handlers })
    await this.#app.start()
  }

  /** The first of Nest's three hooks: what handlers use is closed in this one or a later one. */
  async onModuleDestroy(): Promise<void> {
    await this.#app?.stop()
    await this.#notifier?.close()
  }

  async onApplicationShutdown(): Promise<void> {
    const { pool, endPool = false } = this.#surroundings.settings
    if (endPool) await pool.end()
  }
}
