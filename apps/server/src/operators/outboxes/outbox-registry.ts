import type { Outbox } from '@posthorn/engine'
import { callerOf, problem, tenantOf } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Transition } from '@posthorn/operate/internal'
import { nullable, NullableText, resource } from '@posthorn/system'

/** The outboxes of this server by name. */
export type OutboxRegistry = ReadonlyMap<string, Outbox>

export const OPERATOR = { access: 'operate' } as const
/** For what is not one organisation's: the outbox itself, and figures over all messages. */
export const PLATFORM = { access: 'operate-all' } as const

export const OutboxName = Type.String({ minLength: 1, maxLength: 200 })

export const OutboxParams = Type.Object({ name: OutboxName })

/** A body with why, or none at all. */
export const OptionalReason = Type.Union([
  Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })) }),
  Type.Null(),
])

/** Who acts, and why if the request says so. */
export function operatorOf(request: FastifyRequest, reason: string | undefined) {
  return { by: callerOf(request).sub, ...(reason !== undefined && { reason }) }
}

/** Conditions of a filter. */
export const FilterText = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
export const FilterTime = Type.Optional(Type.String({ format: 'date-time' }))

/** A filter with its times as the engine takes them. */
export function withDates<Filter extends { readonly since?: string; readonly until?: string }>({
  since,
  until,
  ...rest
}: Filter) {
  return {
    ...rest,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  }
}

/** Whose messages a request is about: undefined for those of all organisations. */
export interface Scope {
  readonly tenant?: string
}

/** An order by time as the engine calls it. */
export function timeSortOf(sort: string): 'newest' | 'oldest' {
  return sort.startsWith('-') ? 'newest' : 'oldest'
}

/** What the caller may see: everything, or what belongs to its organisation. */
export function scopeOf(request: FastifyRequest): Scope {
  const tenant = tenantOf(callerOf(request))
  return tenant === undefined ? {} : { tenant }
}

/** A filter within what the caller may see; one that names another organisation is refused. */
export function withinScope<Filter extends Scope>(request: FastifyRequest, filter: Filter): Filter {
  const { tenant } = scopeOf(request)
  if (tenant === undefined) return filter
  if (filter.tenant !== undefined && filter.tenant !== tenant) {
    throw problem('ORG_MISMATCH', { detail: 'The filter names another organisation.' })
  }
  return { ...filter, tenant }
}

/** Whether something belongs to whom the caller may see; what belongs to none is the platform's. */
export function isWithin(
  { tenant }: Scope,
  thing: { readonly tenant: string | undefined },
): boolean {
  return tenant === undefined || thing.tenant === tenant
}

/**
 * Finds an outbox, or answers 404 with the names there are. One whose table does not say whose its
 * messages are is the platform's.
 */
export function outboxFor(request: FastifyRequest, outboxes: OutboxRegistry, name: string): Outbox {
  const { tenant } = scopeOf(request)
  const outbox = outboxNamed(outboxes, name)
  if (tenant === undefined || outbox.columns.tenant !== undefined) return outbox
  throw problem('FORBIDDEN', {
    detail: `${name} does not keep whose its messages are; it takes an operator of the platform.`,
  })
}

/** Finds an outbox, or answers 404 with the names there are. */
export function outboxNamed(outboxes: OutboxRegistry, name: string): Outbox {
  const outbox = outboxes.get(name)
  if (outbox) return outbox
  const known = [...outboxes.keys()].join(', ') || 'none'
  throw problem('NOT_FOUND', { detail: `there is no outbox of this name; there are: ${known}` })
}

export const Moment = nullable(Type.String({ format: 'date-time' }))

export const TransitionResource = Type.Object({
  from: NullableText,
  to: Type.String(),
  attempt: nullable(Type.Integer()),
  code: NullableText,
  error: NullableText,
  actor: Type.String(),
  reason: NullableText,
  at: Type.String({ format: 'date-time' }),
})

export const transitionOf = resource<typeof TransitionResource, Transition>(TransitionResource)

/** What a table does not keep is null in JSON, so that every resource has all its fields. */
export function textOrNull(value: string | Date | undefined): string | null {
  if (value === undefined) return null
  return value instanceof Date ? value.toISOString() : value
}
