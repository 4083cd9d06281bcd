import type { Message } from '../outbox/message.ts'
import type { Failure } from '../outbox/outcome.ts'
import type { NewConsumerMessage } from '../sql/consumer-messages.ts'

/** A message as a consumer received it, with what is needed to keep it. */
export interface ConsumedMessage {
  /** Its id, or what stands for it where it could not be decoded. */
  readonly id: string
  /** Where it was read, if its broker has positions. */
  readonly place?: { readonly partition: number; readonly offset: number } | undefined
  /** Undefined where it could not be decoded. */
  readonly message: Message | undefined
  /** As it was on the wire, where it could not be decoded. */
  readonly raw?:
    { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } | undefined
}

/** A message that its consumer has given up, for those who keep dead letters themselves. */
export interface DeadLetter extends ConsumedMessage {
  readonly topic: string
  readonly group: string
  readonly attempts: number
  readonly failure: Failure
}

/** The message as its table takes it: nothing in it may make the insert fail. */
export function toRow(
  { id, place, message, raw }: ConsumedMessage,
  state: NewConsumerMessage['state'],
  failed?: { attempts: number; failure: Failure; delayMs?: number },
): NewConsumerMessage {
  return {
    state,
    partition: place?.partition ?? null,
    offset: place === undefined ? null : String(place.offset),
    messageId: text(id),
    type: message ? text(message.type) : null,
    version: message?.version ?? null,
    key: message?.key === undefined ? null : text(message.key),
    tenant: message?.tenant === undefined ? null : text(message.tenant),
    occurredAt: timeOf(message?.occurredAt),
    traceparent: message?.traceparent === undefined ? null : text(message.traceparent),
    headers: JSON.stringify(message?.headers ?? raw?.headers ?? {}),
    payload: message ? (JSON.stringify(message.payload) ?? 'null') : null,
    body: message ? null : Buffer.from(raw?.body ?? []),
    attempts: failed?.attempts ?? 0,
    code: failed ? text(failed.failure.code) : null,
    error: failed ? text(failed.failure.message) : null,
    delayMs: failed?.delayMs ?? 0,
  }
}

/** Postgres text cannot hold NUL. */
export function text(value: string): string {
  return value.replaceAll('\0', '')
}

/** Years that Postgres reads as they are written. */
function timeOf(at: Date | undefined): string | null {
  const year = at?.getUTCFullYear() ?? Number.NaN
  return at && year > 0 && year < 10_000 ? at.toISOString() : null
}
