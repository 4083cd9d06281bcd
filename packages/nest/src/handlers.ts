import type { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core'
import {
  DefinitionError,
  type DefinedOutbox,
  type Handler,
  type Handlers,
  type Outbox,
  type OutboxRow,
  type Handling,
  type StandardOutbox,
} from '@posthorn/engine'
import { Inject, SetMetadata } from '@nestjs/common'
import type { Outboxes } from './host.ts'

/** Where Nest keeps what has been made. */
export interface Discovery {
  readonly discovery: DiscoveryService
  readonly scanner: MetadataScanner
  readonly reflector: Reflector
}

interface Found extends Handles {
  /** `Shipping.ship`, for people. */
  readonly place: string
  readonly isScoped: boolean
  readonly handle: Handler
}

/** The decorated methods of all providers and controllers, by outbox. */
export function findHandlers(
  outboxes: Outboxes,
  known: Discovery,
  atOnce: number | undefined,
): Handlers[] {
  const found = findMethods(known)
  for (const { outbox, place } of found) {
    if (outboxes.some(({ name }) => name === outbox.name)) continue
    throw new DefinitionError(outbox.name, 'outboxes', `PosthornModule has not got it: ${place}`)
  }
  return outboxes.flatMap((outbox) => {
    const own = found.filter((each) => each.outbox.name === outbox.name)
    if (own.length === 0) return []
    const options = atOnce === undefined ? {} : { atOnce }
    const { handle } = outbox as DefinedOutbox<OutboxRow>
    return [handle(byType(outbox, own), options)]
  })
}

function byType({ name }: Outbox, found: readonly Found[]): Record<string, Handler> {
  const places = new Map<string, string>()
  const entries: [string, Handler][] = []
  for (const { types, place, isScoped, handle } of found) {
    if (isScoped) {
      const why = 'a relay has no request: its provider must not be bound to one'
      throw new DefinitionError(name, `handlers.${types[0]}`, `${place}: ${why}`)
    }
    for (const type of types) {
      const other = places.get(type)
      if (other) {
        throw new DefinitionError(name, `handlers.${type}`, `${other} and ${place} both handle it`)
      }
      places.set(type, place)
      entries.push([type, handle])
    }
  }
  return Object.fromEntries(entries)
}

function findMethods({ discovery, scanner, reflector }: Discovery): Found[] {
  const wrappers = [...discovery.getProviders(), ...discovery.getControllers()]
  const seen = new Set<unknown>()
  return wrappers.flatMap((wrapper) => {
    const { instance, metatype } = wrapper
    const prototype = metatype?.prototype ?? Object.getPrototypeOf(instance ?? {})
    // An alias provides the same instance a second time.
    if (!prototype || seen.has(instance ?? wrapper)) return []
    seen.add(instance ?? wrapper)
    return scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handles = reflector.get<Handles | undefined>(HANDLES, prototype[method])
      if (!handles) return []
      const place = `${wrapper.name}.${method}`
      const isScoped = !wrapper.isDependencyTreeStatic()
      return [{ ...handles, place, isScoped, handle: (handling) => instance[method](handling) }]
    })
  })
}

/** Below which a method's outbox and types are noted. */
const HANDLES = 'posthorn:handles'

/** What a method has said about itself. */
interface Handles {
  readonly outbox: Outbox
  readonly types: readonly string[]
}

type Decorated<Payload> = <Method extends (handling: Handling<Payload>) => Promise<unknown>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void

/** Has a method of a provider or controller handle messages of these types. */
export function HandleMessage<Events extends object, Type extends keyof Events & string>(
  outbox: Pick<StandardOutbox<Events, never>, 'name' | 'events'>,
  ...types: [Type, ...Type[]]
): Decorated<Events[Type]> {
  const note = SetMetadata(HANDLES, { outbox, types })
  return (target, key, descriptor) => void note(target, key, descriptor)
}

/** The token under which an outbox is provided, by itself or by its name. */
export function outboxToken(outbox: { readonly name: string } | string): string {
  return `posthorn:outbox:${typeof outbox === 'string' ? outbox : outbox.name}`
}

/** Injects an outbox of the module. */
export function InjectOutbox(outbox: { readonly name: string } | string): ParameterDecorator {
  return Inject(outboxToken(outbox))
}
