import type { Outbox } from '@posthorn/engine'
import { problem } from '@posthorn/http'
import { Type } from 'typebox'

/** The outboxes of this server by name. */
export type OutboxRegistry = ReadonlyMap<string, Outbox>

export const OPERATOR = { access: 'operator' } as const

export const OutboxName = Type.String({ minLength: 1, maxLength: 200 })

export const OutboxParams = Type.Object({ name: OutboxName })

/** A body with why, or none at all. */
export const OptionalReason = Type.Union([
  Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })) }),
  Type.Null(),
])

/** Finds an outbox, or answers 404 with the names there are. */
export function outboxNamed(outboxes: OutboxRegistry, name: string): Outbox {
  const outbox = outboxes.get(name)
  if (outbox) return outbox
  const known = [...outboxes.keys()].join(', ') || 'none'
  throw problem('NOT_FOUND', { detail: `there is no outbox of this name; there are: ${known}` })
}
