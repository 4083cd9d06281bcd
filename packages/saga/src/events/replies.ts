import {
  type Consumer,
  type Message,
  type Transaction,
  failureOf,
  uuid,
  type Failure,
} from '@posthorn/engine'
import { defineInbox, handleOnce, once } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import { createHash } from 'node:crypto'
import { SAGA_ID_HEADER, isUuid } from '../outbox/event-outbox.ts'
import { keepReply, type ReplyOutcome, lockForSignal } from './replies.sql.ts'
import { SIGNAL_PREFIX, type AnySaga, type Step } from '../define/saga.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'
import { SAGA_CODES, SagaError, type SagaCode } from '../errors.ts'
import { findSaga, type SagaKey } from '../start/keys.sql.ts'
import type { SagaStatus } from '../run/instance.ts'

/** Remembers which consumer has had which event: for the sagas' replies, and for consumers of their events. */
export const consumerInbox = defineInbox({
  table: 'sagas.consumer_inbox',
  retention: '30d',
  // A reply with an id of another kind is known by its row in saga_reply, for as long as its saga is kept.
  forgetOthers: '30d',
})

/** A saga by its id, or by a key. */
export type SagaName = string | SagaKey

export interface IncomingReply {
  /** Who reads the topic; each event counts once for each consumer. */
  readonly consumer: string
  readonly message: Message
  /** Whose reply it is. Default: the header `saga-id`. */
  readonly saga?: SagaName
}

/**
 * Takes an event for the saga it belongs to. `woke`: the saga waited for it and goes on; `kept`: it
 * waits for the saga; `ignored`: the saga has ended, or there is none; `duplicate`: it was here before.
 * Throws `SAGA_MISSING` for a key that no saga has: it may have come before the saga was begun.
 */
export async function acceptReply(
  tx: Transaction,
  { consumer, message, saga = headerOf(message) }: IncomingReply,
): Promise<ReplyOutcome | 'duplicate'> {
  const sagaId = await idOfSaga(tx, saga)
  // Other people's events come by on the same topic.
  if (sagaId === undefined) return 'ignored'
  const received = await once(tx, { inbox: consumerInbox, consumer, id: message.id }, () =>
    takeReply(tx, sagaId, message),
  )
  return received.first ? received.result : 'duplicate'
}

async function idOfSaga(tx: Transaction, saga: SagaName | undefined): Promise<string | undefined> {
  if (saga === undefined || typeof saga === 'string') return isUuid(saga ?? '') ? saga : undefined
  const id = await findSaga(tx, saga)
  if (id !== undefined) return id
  throw new SagaError('SAGA_MISSING', `no saga ${saga.saga} has the key ${saga.key}`)
}

async function takeReply(tx: Transaction, sagaId: string, message: Message): Promise<ReplyOutcome> {
  // What a broker brings is no signal, under any name.
  if (message.type.startsWith(SIGNAL_PREFIX)) return 'ignored'
  const outcome = await keepReply(tx, sagaId, message)
  if (outcome === 'woke') tx.ringLater(sagaTurns.bell)
  return outcome
}

export interface SagaRepliesOptions {
  readonly pool: Pool
  readonly topic: string
  /** Default `sagas`. */
  readonly group?: string
  /**
   * Which saga an event is for: its id, or a key of it, `{ saga: 'transfer', key: payload.order }`;
   * undefined if it is for none. May look it up. Default: the header `saga-id`.
   */
  sagaOf?(message: Message, tx: Transaction): Promise<SagaName | undefined> | SagaName | undefined
  /** False for events that are for no saga: they leave no trace. Default: all but those without the header. */
  wants?(message: Message): boolean
}

/**
 * A consumer that brings the events of a topic to the sagas that wait for them, those of a poll in
 * one transaction. An event with a key that no saga has is tried again, and is then a dead letter.
 */
export function sagaReplies(options: SagaRepliesOptions): Consumer {
  const { pool, topic, group = 'sagas', sagaOf = headerOf } = options
  return {
    topic,
    group,
    ...handleOnce({
      ...{ pool, inbox: consumerInbox, consumer: group },
      // Other people's events come by on the same topic.
      wants: (message) =>
        (options.sagaOf !== undefined || isUuid(headerOf(message) ?? '')) &&
        (options.wants?.(message) ?? true),
      async handle(tx, message) {
        const sagaId = await idOfSaga(tx, await sagaOf(message, tx))
        if (sagaId !== undefined) await takeReply(tx, sagaId, message)
      },
    }),
  }
}

function headerOf(message: Message): string | undefined {
  return message.headers[SAGA_ID_HEADER]
}

export interface Signal {
  readonly sagaId: string
  readonly name: string
  /** Stored as JSON, as the step's `parse` returns it. */
  readonly payload?: unknown
  /** The same key again is the same signal, and changes nothing. Default: every signal is one of its own. */
  readonly key?: string
}

/** What became of a signal. */
export type SignalOutcome =
  /** `woke`: the saga waited for it and goes on; `kept`: it waits for the saga; `duplicate`: it was here before. */
  | { readonly outcome: 'woke' | 'kept' | 'duplicate' }
  /** The saga does not take it any more; `was` is undefined if there is no such saga. */
  | { readonly outcome: 'late'; readonly was: SagaStatus | undefined }
  /** The saga does not know the signal, or cannot read what it brings. */
  | { readonly outcome: 'refused'; readonly failure: Failure }

/** More than these would only fill the memory of the orchestrator that reads them. */
const MOST_KEPT = 100

/**
 * Sends a signal to a saga, in the caller's transaction. One that comes before the saga waits for it
 * is kept. Only a definition's own signals are taken, and none can be mistaken for a broker's event.
 */
export async function sendSignal(
  tx: Transaction,
  sagas: readonly AnySaga[],
  { sagaId, name, payload = null, key }: Signal,
): Promise<SignalOutcome> {
  const id = key === undefined ? uuid() : idOf(sagaId, name, key)
  const found = isUuid(sagaId) ? await lockForSignal(tx, { sagaId, id }) : undefined
  if (found?.isKnown) return { outcome: 'duplicate' }
  // Only an operator leads out of FAILED, but then it goes on.
  if (found?.status !== 'RUNNING' && found?.status !== 'FAILED') {
    return { outcome: 'late', was: found?.status }
  }
  const saga = sagas.find((each) => each.name === found.name && each.version === found.version)
  if (!saga) return refused('SAGA_UNKNOWN', `${found.name} v${found.version} is not known here`)
  const step = saga.steps.find((each) => isFor(each, name))
  if (!step) return refused('SAGA_SIGNAL_UNKNOWN', `${found.name} takes no signal ${name}`)
  if (found.kept >= MOST_KEPT) return refused('SAGA_SIGNAL_LIMIT')
  const read = parse(step, payload)
  if ('failure' in read) return { outcome: 'refused', failure: read.failure }
  const reply = { id, type: `${SIGNAL_PREFIX}${name}`, payload: read.payload, headers: {} }
  const outcome = await keepReply(tx, sagaId, reply)
  if (outcome === 'ignored') return { outcome: 'late', was: found.status }
  if (outcome === 'woke') tx.ringLater(sagaTurns.bell)
  return { outcome }
}

function isFor({ waits }: Step, name: string): boolean {
  return waits?.for === 'reply' && waits.events.includes(`${SIGNAL_PREFIX}${name}`)
}

function parse(step: Step, payload: unknown): { payload: unknown } | { failure: Failure } {
  try {
    return { payload: step.parse?.(payload) }
  } catch (error) {
    return { failure: failureOf<SagaCode>(error, 'SAGA_SIGNAL_INVALID') }
  }
}

function refused(code: SagaCode, message: string = SAGA_CODES[code]): SignalOutcome {
  return { outcome: 'refused', failure: { code, message } }
}

/** A UUID (version 8) that is the same for the same key. */
function idOf(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest()
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex', 0, 16)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
