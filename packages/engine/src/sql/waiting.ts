// Conditions that every statement about waiting messages shares.
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { anyOf } from './prepared.ts'

/** What every claim of an outbox must find: a message that waits and may go. */
export function waitsCondition({ states, columns, retry }: ResolvedDefinition): string {
  const word = anyOf(columns.status, [states.ready, states.retry])
  return retry.attempts === undefined ? `${word} and quarantined_at is null` : word
}

/** No relay of any process claims from a paused outbox: one look into a table of few rows. */
export function unlessPaused({ name }: ResolvedDefinition): string {
  return `not exists (select from posthorn.pause where outbox = '${name}')`
}
