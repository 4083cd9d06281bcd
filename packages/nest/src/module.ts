import type { DynamicModule, FactoryProvider } from '@nestjs/common'
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core'
import { outboxToken, findHandlers } from './handlers.ts'
import {
  PosthornHost,
  type Outboxes,
  type PosthornModuleAsyncOptions,
  type PosthornModuleOptions,
  type PosthornSettings,
} from './host.ts'

const SETTINGS = 'posthorn:settings'

/** Posthorn for a NestJS application: global, and imported once. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's modules are classes
export class PosthornModule {
  static forRoot({ outboxes, ...settings }: PosthornModuleOptions): DynamicModule {
    return PosthornModule.forRootAsync({ outboxes, useFactory: () => settings })
  }

  static forRootAsync(options: PosthornModuleAsyncOptions): DynamicModule {
    const { outboxes, useFactory, inject = [], imports = [] } = options
    const provided = outboxes.map((outbox) => ({
      provide: outboxToken(outbox),
      useValue: outbox,
    }))
    return {
      module: PosthornModule,
      global: true,
      imports: [DiscoveryModule, ...imports],
      providers: [{ provide: SETTINGS, useFactory, inject }, hostProvider(outboxes), ...provided],
      exports: [PosthornHost, ...provided.map(({ provide }) => provide)],
    }
  }
}

function hostProvider(outboxes: Outboxes): FactoryProvider<PosthornHost> {
  return {
    provide: PosthornHost,
    inject: [SETTINGS, DiscoveryService, MetadataScanner, Reflector],
    // oxlint-disable-next-line max-params -- in the order of `inject`
    useFactory: (
      settings: PosthornSettings,
      discovery: DiscoveryService,
      scanner: MetadataScanner,
      reflector: Reflector,
    ) =>
      new PosthornHost({
        settings,
        outboxes,
        findHandlers: () =>
          findHandlers(outboxes, { discovery, scanner, reflector }, settings.atOnce),
      }),
  }
}
