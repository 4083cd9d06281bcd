import { createHash } from 'node:crypto'
import { sqlState, type ErrorCode, type Failure } from '../errors.ts'
import type { Message } from '../outbox/message.ts'
import { cut, storableText } from '../storable.ts'
import type { NewConsumerMessage } from './consumer-messages.sql.ts'

/** What a failed message is kept with. */
export interface Failed {
  /** Attempts charged so far. */
  readonly attempts: number
  readonly failure: Failure
}

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

export interface Failing extends Failed {
  readonly delayMs?: number
}

/** The message as its table takes it; what that refuses nevertheless is reduced. */
export function toRow(
  { id, place, message, raw }: ConsumedMessage,
  state: NewConsumerMessage['state'],
  failed?: Failing,
): NewConsumerMessage {
  return {
    state,
    partition: place?.partition ?? null,
    offset: place === undefined ? null : String(place.offset),
    messageId: storableText(id),
    type: message ? storableText(message.type) : null,
    version: message?.version ?? null,
    key: message?.key === undefined ? null : storableText(message.key),
    tenant: message?.tenant === undefined ? null : storableText(message.tenant),
    occurredAt: timeOf(message?.occurredAt),
    traceparent: message?.traceparent === undefined ? null : storableText(message.traceparent),
    headers: JSON.stringify(message?.headers ?? raw?.headers ?? {}),
    payload: message ? writePayload(message.payload) : null,
    body: message ? null : Buffer.from(raw?.body ?? []),
    attempts: failed?.attempts ?? 0,
    code: failed ? storableText(failed.failure.code) : null,
    error: failed ? storableText(failed.failure.message) : null,
    delayMs: failed?.delayMs ?? 0,
  }
}

/** Years that Postgres reads as they are written. */
function timeOf(at: Date | undefined): string | null {
  const year = at?.getUTCFullYear() ?? Number.NaN
  return at && year > 0 && year < 10_000 ? at.toISOString() : null
}

/** Data exceptions, constraints, and limits of the program: too large for an index, nested too deep. */
const REFUSED = /^(22|23|54)/

/** Whether the message is at fault, so that the database or JSON would refuse it every time. */
export function isUnstorable(error: unknown): boolean {
  return error instanceof RangeError || REFUSED.test(sqlState(error) ?? '')
}

/** Longer ones are cut, with their digest: an entry of an index holds 2.7 kB. */
const MOST_CHARACTERS = 500
const MOST_ERROR = 2_000
const MOST_BYTES = 1_048_576
const MOST_INTEGER = 2_147_483_647

/** The same short text for the same long one; any other is left as it is. */
export function shorten(value: string): string {
  if (value.length <= MOST_CHARACTERS) return value
  return `${cut(value, 100)}… sha256:${digestOf(value)}`
}

/**
 * A dead letter of what the database does not take whole: the start of its bytes, their digest, and
 * why. It has no payload that could be replayed.
 */
export function reduceMessage(
  { id, place, message, raw }: ConsumedMessage,
  { failed, cause }: { readonly failed: Failed | undefined; readonly cause: unknown },
): NewConsumerMessage {
  const bytes = Buffer.from(message ? writeDeepJson(message.payload) : (raw?.body ?? []))
  const { attempts = 0, failure } = failed ?? {}
  const why = cause instanceof Error ? cause.message : String(cause)
  const before = failure
    ? ` Its consumer failed before with ${failure.code}: ${failure.message}`
    : ''
  const size = `${bytes.byteLength} bytes, sha256:${digestOf(bytes)}`
  const version = message?.version ?? Number.NaN
  const short = (value: string | undefined) =>
    value === undefined ? null : storableText(shorten(value))
  return {
    state: 'dead',
    partition: place?.partition ?? null,
    offset: place === undefined ? null : String(place.offset),
    messageId: storableText(shorten(id)),
    type: short(message?.type),
    version: Math.abs(version) <= MOST_INTEGER ? version : null,
    // Whole: what comes behind it is known by it, and its index has a hash.
    key: message?.key === undefined ? null : storableText(message.key),
    tenant: short(message?.tenant),
    occurredAt: null,
    traceparent: short(message?.traceparent),
    headers: '{}',
    payload: null,
    body: bytes.subarray(0, MOST_BYTES),
    attempts,
    code: 'MESSAGE_UNSTORABLE' satisfies ErrorCode,
    error: cut(
      storableText(`The database refused the message (${size}): ${why}.${before}`),
      MOST_ERROR,
    ),
    delayMs: 0,
  }
}

function digestOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** What reads a dead letter later is recursive, too: `listDeadLetters`, JSON of an answer, a page. */
const MOST_LEVELS = 500

function writePayload(payload: unknown): string {
  if (isDeeper(payload, MOST_LEVELS)) {
    throw new RangeError(`the payload is nested in more than ${MOST_LEVELS} levels`)
  }
  return JSON.stringify(payload) ?? 'null'
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

/** JSON of any depth: `JSON.stringify` is recursive and gives up after some thousand levels. */
export function writeDeepJson(value: unknown): string {
  const written: string[] = []
  const open: (string | { readonly value: unknown })[] = [{ value }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') written.push(next)
    else if (typeof next.value !== 'object' || next.value === null) {
      written.push(JSON.stringify(next.value) ?? 'null')
    } else {
      const isList = Array.isArray(next.value)
      const inner = Object.entries(next.value).flatMap(([name, each], i) => [
        `${i > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(name)}:`}`,
        { value: each as unknown },
      ])
      open.push(isList ? ']' : '}', ...inner.toReversed(), isList ? '[' : '{')
    }
  }
  return written.join('')
}
