import { createHash } from 'node:crypto'
import { failureOf, uuid, type Failure, type Transaction } from '@posthorn/engine'
import { SAGA_CODES, type SagaCode } from '../errors.ts'
import type { SagaStatus } from '../run/instance.ts'
import { type AnySaga, type Step, SIGNAL_PREFIX } from '../define/saga.ts'
import { keepReply, lockForSignal } from './replies.sql.ts'
import { isUuid } from '../outbox/event-outbox.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'

export interface Signal {
  readonly sagaId: string
  readonly name: string
  /** Stored as JSON, as the step's `parse` returns it. */
  readonly payload?: unknown
  /** The same key again is the same signal, and changes nothing. Default: every signal is one of its own. */
  readonly key?: string
  /** The definitions that say which signals a saga takes. */
  readonly sagas: readonly AnySaga[]
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
export async function signalSaga(
  tx: Transaction,
  { sagaId, name, payload = null, key, sagas }: Signal,
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
