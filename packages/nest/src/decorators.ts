import { Inject, SetMetadata } from '@nestjs/common'
import type { Handling, Outbox, StandardOutbox } from '@posthorn/engine'

/** Below which a method's outbox and types are noted. */
export const HANDLES = 'posthorn:handles'

/** What a method has said about itself. */
export interface Handles {
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
