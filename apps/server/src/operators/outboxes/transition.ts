import type { Transition } from '@posthorn/operate'
import { resource } from '@posthorn/system'
import { Type } from 'typebox'

const Text = Type.Union([Type.String(), Type.Null()])

export const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const TransitionResource = Type.Object({
  from: Text,
  to: Type.String(),
  attempt: Type.Union([Type.Integer(), Type.Null()]),
  code: Text,
  error: Text,
  actor: Type.String(),
  reason: Text,
  at: Type.String({ format: 'date-time' }),
})

export const transitionOf = resource<typeof TransitionResource, Transition>(TransitionResource)

/** What a table does not keep is null in JSON, so that every resource has all its fields. */
export function textOrNull(value: string | Date | undefined): string | null {
  if (value === undefined) return null
  return value instanceof Date ? value.toISOString() : value
}
