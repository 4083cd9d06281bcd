import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { toMessage, type Message } from '../outbox/message.ts'
import type { Consumer } from '../outbox/transport.ts'
import {
  PING,
  claimConsumerMessages,
  deleteHandled,
  deleteNote,
  endMessage,
  insertConsumerMessage,
  postponeMessage,
  promoteOrphans,
  releaseMessage,
  renewConsumerMessages,
  selectKept,
  selectNextAttempt,
  selectKeyHeld,
  selectSetAside,
  upsertRun,
  upsertSuspect,
  type ConsumerMessageRow,
  type NewConsumerMessage,
} from './consumer-messages.sql.ts'
import {
  isUnstorable,
  reduceMessage,
  shorten,
  toRow,
  type ConsumedMessage,
  type Failed,
  type Failing,
} from './consumed-message.ts'
import { createBell, everyone } from '../database/bell.ts'
import { transaction } from '../database/transaction.ts'
import { failureOf } from '../errors.ts'
import { raiseAlert, recoverAlert } from '../outbox/alert.ts'
import { storableText } from '../storable.ts'

/** A message whose next attempt is due, claimed by this process. */
export interface ClaimedMessage extends Failed {
  readonly id: string
  readonly token: string
  readonly message: Message
  readonly place: { readonly partition: number; readonly offset: number } | undefined
  /** Claims in a row that were never settled, this one included. */
  readonly lost: number
}

/** What is known of a partition, or of a whole group, when its reader begins. */
export interface Known {
  /** Keys of which something is set aside: what comes of them is parked behind it. */
  readonly keys: readonly string[]
  /** Messages that were set aside and not acknowledged any more. */
  readonly offsets: readonly number[]
  /** Below this, a message may be what the last reader's process died of. */
  readonly suspectUpto: number | undefined
}

/** An answer that takes longer means that the database is away. */
const PING_MS = 3_000

/**
 * What one consumer keeps in the database: messages it has set aside and notes about those that may
 * have killed its process. All methods throw when the database cannot be reached, and may be called
 * again then.
 */
export class SetAsideStore {
  readonly #pool: Pool
  readonly #group: { readonly topic: string; readonly group: string }
  readonly #blocks: boolean
  readonly #owner = randomUUID()
  /** Rings when this process has set something aside. */
  readonly #bell = createBell()

  constructor(pool: Pool, { topic, group, dead = 'skip' }: Omit<Consumer, 'handle'>) {
    this.#pool = pool
    this.#group = { topic, group }
    this.#blocks = dead === 'block'
  }

  /** Whether the database answers; a failure while it does not says nothing about the message. */
  async isReachable(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), PING_MS).unref()
    })
    const answered = this.#pool.query(PING).then(
      () => true,
      () => false,
    )
    return Promise.race([answered, late])
  }

  /** With a partition: what is set aside of it from the offset on. Without: of the whole group. */
  async open(partition?: number, from = 0): Promise<Known> {
    const { rows } = await this.#pool.query<{
      keys: string[]
      offsets: number[]
      upto: number | null
    }>(
      selectSetAside(this.#group, {
        partition: partition ?? null,
        from,
        blocks: this.#blocks,
        owner: this.#owner,
      }),
    )
    const [row] = rows
    return {
      keys: row?.keys ?? [],
      offsets: row?.offsets ?? [],
      suspectUpto: row?.upto ?? undefined,
    }
  }

  /** Whether a message without a position was set aside before. */
  async has(id: string): Promise<boolean> {
    const { rows } = await this.#pool.query<{ kept: boolean }>(
      selectKept(this.#group, [storableText(id), storableText(shorten(id))]),
    )
    return rows[0]?.kept ?? false
  }

  /** Keeps a message for its next attempt. */
  async retryLater(message: ConsumedMessage, failed: Failed, delayMs: number): Promise<void> {
    await this.#keep(message, { state: 'retry', failed: { ...failed, delayMs } })
    this.#bell.ring()
  }

  /** Calls when something was set aside here, or becomes due unexpectedly; returns how to stop. */
  listen(heard: () => void): () => void {
    const ends = [this.#bell, everyone].map((bell) => bell.listen(heard))
    return () => ends.forEach((end) => end())
  }

  /** Keeps a dead letter and raises its alert. */
  async bury(message: ConsumedMessage, failed: Failed): Promise<void> {
    await this.#keep(message, { state: 'dead', failed })
  }

  /** What can never be stored whole becomes a reduced dead letter: those behind it go on. */
  async #keep(
    message: ConsumedMessage,
    { state, failed }: { state: NewConsumerMessage['state']; failed?: Failing },
  ): Promise<void> {
    const insert = (row: NewConsumerMessage) =>
      this.#pool.query(insertConsumerMessage(this.#group, row))
    try {
      await insert(toRow(message, state, failed))
    } catch (cause) {
      if (!isUnstorable(cause)) throw cause
      await insert(reduceMessage(message, { failed, cause }))
    }
  }

  /**
   * Puts a message behind an earlier one of its key; false if there is none any more. The two
   * statements need no lock: what is parked behind nothing is found by `promote`.
   */
  async park(message: ConsumedMessage): Promise<boolean> {
    if (message.message?.key === undefined) return false
    const key = storableText(message.message.key)
    const held = selectKeyHeld(this.#group, { key, blocks: this.#blocks })
    const { rows } = await this.#pool.query<{ held: boolean }>(held)
    if (!rows[0]?.held) return false
    await this.#keep(message, { state: 'parked' })
    return true
  }

  /** Notes that messages of the partition below the offset are about to be handled. */
  async noteRun(partition: number, upto: number): Promise<void> {
    await this.#pool.query(upsertRun(this.#group, { partition, owner: this.#owner, upto }))
  }

  /** Those messages are acknowledged, or none of them is under way. */
  async forgetRun(partition: number): Promise<void> {
    await this.forget(String(partition))
  }

  /** Notes that a message is about to be handled alone; returns how often that was noted. */
  async suspect(place: string): Promise<number> {
    const note = upsertSuspect(this.#group, {
      place: storableText(shorten(place)),
      owner: this.#owner,
    })
    const { rows } = await this.#pool.query<{ lost: number }>(note)
    return rows[0]?.lost ?? 1
  }

  /** The process has lived through it. */
  async forget(place: string): Promise<void> {
    await this.#pool.query(
      deleteNote(this.#group, { place: storableText(shorten(place)), owner: this.#owner }),
    )
  }

  /** Milliseconds until the next attempt is due; undefined where none waits. Lets parked ones go on first. */
  async nextMs({ promote }: { readonly promote: boolean }): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ ms: number | null; parked: boolean }>(
      selectNextAttempt(this.#group, promote),
    )
    const [next] = rows
    if (!next?.parked) return next?.ms ?? undefined
    await this.promote()
    return 0
  }

  /** Claims messages whose next attempt is due. */
  async claim(limit: number, leaseMs: number): Promise<ClaimedMessage[]> {
    const token = randomUUID()
    const { rows } = await this.#pool.query<ConsumerMessageRow>(
      claimConsumerMessages(this.#group, { token, limit, leaseMs }),
    )
    return rows.map((row) => ({
      id: row.id,
      token,
      message: messageOf(row),
      place:
        row.partition === null
          ? undefined
          : { partition: row.partition, offset: Number(row.log_offset) },
      attempts: row.attempts,
      lost: row.lost,
      failure: { code: row.code ?? '', message: row.error ?? '' },
    }))
  }

  async renew({ token }: ClaimedMessage, leaseMs: number): Promise<void> {
    await this.#pool.query(renewConsumerMessages(token, leaseMs))
  }

  async remove({ id, token }: ClaimedMessage): Promise<void> {
    await this.#pool.query(deleteHandled(id, token))
  }

  async postpone(
    { id, token }: ClaimedMessage,
    { attempts, failure }: Failed,
    delayMs: number,
  ): Promise<void> {
    const to = {
      attempts,
      code: storableText(failure.code),
      error: storableText(failure.message),
      delayMs,
    }
    await this.#pool.query(postponeMessage({ id, token }, to))
  }

  async release({ id, token }: ClaimedMessage): Promise<void> {
    await this.#pool.query(releaseMessage(id, token))
  }

  async end({ id, token }: ClaimedMessage, { attempts, failure }: Failed): Promise<void> {
    const to = { attempts, code: storableText(failure.code), error: storableText(failure.message) }
    await this.#pool.query(endMessage({ id, token, blocks: this.#blocks }, to))
  }

  /** Raises `MESSAGE_STUCK` for a message that cannot be set aside: what is behind it waits. */
  async raiseStuck(id: string, error: unknown): Promise<void> {
    const { message } = failureOf(error, 'CONSUMER_FAILED')
    const detail = `The message cannot be set aside, and those behind it wait: ${message}`
    await transaction(this.#pool, (tx) =>
      raiseAlert(tx, { ...this.#alertOf(id), code: 'MESSAGE_STUCK', detail }),
    )
  }

  /** The message was set aside after all. */
  async recoverStuck(id: string): Promise<void> {
    await transaction(this.#pool, (tx) => recoverAlert(tx, this.#alertOf(id)))
  }

  #alertOf(id: string): { source: string; subject: string } {
    const { topic, group } = this.#group
    return { source: `${topic}/${group}`, subject: storableText(shorten(id)) }
  }

  /** Lets parked messages go on that nothing is in front of any more. */
  async promote(): Promise<void> {
    await this.#pool.query(promoteOrphans(this.#group, this.#blocks))
  }
}

function messageOf(row: ConsumerMessageRow): Message {
  return toMessage({
    id: row.message_id,
    type: row.type ?? '',
    version: row.version ?? 1,
    key: row.key ?? undefined,
    tenant: row.tenant ?? undefined,
    ...(row.occurred_at && { occurredAt: row.occurred_at }),
    traceparent: row.traceparent ?? undefined,
    headers: row.headers,
    payload: row.payload,
  })
}
