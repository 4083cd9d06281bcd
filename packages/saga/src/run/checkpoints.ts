import {
  SQLSTATE,
  enqueueAll,
  sqlState,
  transaction,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import { raiseAlert } from '@posthorn/operate'
import type { Pool } from 'pg'
import { SagaError } from '../errors.ts'
import type { SagaEvent, SagaEvents } from '../outbox/event-outbox.ts'
import type { Move } from './instance.ts'
import { isOutage } from './attempt.ts'
import { writeMoves } from './moves.sql.ts'
import type { Naming } from './turns.sql.ts'
import type { EventInit } from '../define/step.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'
import { claimKeys } from '../start/keys.sql.ts'

/** A move with the events that go out if it is made. */
export interface Checkpoint {
  readonly move: Move
  readonly events: readonly EventInit[]
  readonly step: string
  /** What the saga is found by from here on. */
  readonly key?: string | undefined
}

interface Waiting {
  readonly checkpoint: Checkpoint
  readonly resolve: (writtenAt: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** More in one statement would make the first of them wait for too long. */
const MOST = 200

/**
 * Writes the checkpoints of all sagas of this process. What comes while one statement is under way
 * goes together into the next: a hundred sagas at once cost a handful of commits, not hundreds.
 */
export class Checkpoints {
  readonly #pool: Pool
  readonly #events: SagaEvents | undefined
  readonly #naming: Naming
  readonly #waiting: Waiting[] = []
  #writing = false

  constructor(pool: Pool, { events, naming }: { events: SagaEvents | undefined; naming: Naming }) {
    this.#pool = pool
    this.#events = events
    this.#naming = naming
  }

  /**
   * When it was written, in milliseconds of the business clock. Undefined: the saga was no longer
   * where the move began, and nothing was written.
   */
  write(checkpoint: Checkpoint): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ checkpoint, resolve, reject })
      if (!this.#writing) void this.#writeAll()
    })
  }

  /** The same in the transaction of a step. */
  async writeIn(tx: Transaction, checkpoint: Checkpoint): Promise<number | undefined> {
    return (await this.#writeThrough(tx, [checkpoint])).get(checkpoint.move.from.id)
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    // Steps that end in this same turn of the event loop come along.
    await new Promise((resolve) => void setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#writeSafely(this.#nextBatch())
    this.#writing = false
  }

  /** A saga at most once: of two runs that think it is theirs, the second must see what the first wrote. */
  #nextBatch(): Waiting[] {
    const batch = new Map<string, Waiting>()
    const later: Waiting[] = []
    for (const each of this.#waiting.splice(0)) {
      const { id } = each.checkpoint.move.from
      if (batch.size < MOST && !batch.has(id)) batch.set(id, each)
      else later.push(each)
    }
    this.#waiting.push(...later)
    return [...batch.values()]
  }

  async #writeSafely(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#writeBatch(batch)
    } catch (error) {
      const isGone = isOutage(error) && sqlState(error) !== SQLSTATE.deadlock
      if (batch.length === 1 || isGone) batch.forEach(({ reject }) => reject(error))
      // One of them cannot be stored, or they met a deadlock: the others must not suffer.
      else for (const each of batch) await this.#writeSafely([each])
    }
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const checkpoints = batch.map(({ checkpoint }) => checkpoint)
    const isPlain = checkpoints.every(
      ({ events, key, move }) =>
        events.length === 0 && key === undefined && move.status !== 'FAILED',
    )
    const moved = isPlain
      ? await this.#writeMoves(this.#pool, checkpoints)
      : await transaction(this.#pool, (tx) => this.#writeThrough(tx, checkpoints))
    if (isPlain && checkpoints.some(isTimed)) sagaTurns.bell.ring()
    for (const { checkpoint, resolve } of batch) resolve(moved.get(checkpoint.move.from.id))
  }

  async #writeThrough(
    tx: Transaction,
    checkpoints: readonly Checkpoint[],
  ): Promise<Map<string, number>> {
    const moved = await this.#writeMoves(tx, checkpoints)
    const made = checkpoints.filter(({ move }) => moved.has(move.from.id))
    await sendEvents(tx, this.#events, made.flatMap(eventRows))
    await addKeys(tx, made)
    for (const { move } of made) if (move.status === 'FAILED') await raiseStuck(tx, move)
    if (made.some(isTimed)) tx.ringLater(sagaTurns.bell)
    return moved
  }

  #writeMoves(db: Queryable, checkpoints: readonly Checkpoint[]): Promise<Map<string, number>> {
    const moves = checkpoints.map(({ move }) => move)
    return writeMoves(db, moves, this.#naming)
  }
}

/** Whether a relay must be woken when the next turn is due. */
function isTimed({ move }: Checkpoint): boolean {
  return move.next?.delayMs !== undefined || move.next?.wakeAt !== undefined
}

/** An event with what it takes from its saga. */
export interface OutgoingEvent extends EventInit {
  readonly sagaId: string
  readonly step: string
  readonly tenant: string | null
  readonly traceparent: string | null
}

function eventRows({ move: { from }, events, step }: Checkpoint): OutgoingEvent[] {
  const { id: sagaId, tenant, traceparent } = from
  return events.map((event) => ({ ...event, sagaId, step, tenant, traceparent }))
}

/** Enqueues events in the transaction that makes them true. */
export async function sendEvents(
  tx: Transaction,
  outbox: SagaEvents | undefined,
  events: readonly OutgoingEvent[],
): Promise<void> {
  if (events.length === 0) return
  if (!outbox) throw new SagaError('SAGA_EVENTS_MISSING')
  const rows = events.map((event): Partial<SagaEvent> => ({
    saga_id: event.sagaId,
    step: event.step,
    topic: event.topic ?? outbox.topic,
    event_type: event.type,
    key: event.key ?? event.sagaId,
    tenant: event.tenant,
    payload: event.payload,
    ...(event.traceparent !== null && { traceparent: event.traceparent }),
  }))
  await enqueueAll(tx, outbox, rows)
}

async function addKeys(tx: Transaction, made: readonly Checkpoint[]): Promise<void> {
  const keys = made.flatMap(({ move: { from }, key }) => {
    const { id, name: saga, tenant } = from
    return key === undefined ? [] : [{ id, saga, key, tenant: tenant ?? undefined }]
  })
  const [other] = (await claimKeys(tx, keys)).values()
  if (other !== undefined) throw new SagaError('SAGA_KEY_TAKEN', `saga ${other} has the key`)
}

async function raiseStuck(tx: Transaction, { from, failure }: Move): Promise<void> {
  await raiseAlert(tx, {
    source: 'sagas',
    subject: from.id,
    ...(from.tenant !== null && { tenant: from.tenant }),
    code: failure?.code ?? 'SAGA_STUCK',
    detail: `${from.name}: ${failure?.message ?? ''}`,
  })
}
