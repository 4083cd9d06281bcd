import type { PosthornOptions } from '@posthorn/engine'
import type { FactoryProvider, ModuleMetadata } from '@nestjs/common'

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
