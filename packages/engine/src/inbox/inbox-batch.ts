import { failTransaction } from './inbox.sql.ts'
import {
  type Queryable,
  type Transaction,
  lendTransaction,
  transaction,
} from '../database/transaction.ts'
import { type Inbox, expiredError, inboxId, once } from './inbox.ts'
import type { Pool } from 'pg'
import { connectionGate } from '../database/connection-gate.ts'
import { SQLSTATE, sqlState } from '../errors.ts'
import type { Message } from '../outbox/message.ts'
import type { Consumer, Handled } from '../outbox/transport.ts'

/** Several messages at one consumer. */
export interface Receipts<Item extends { readonly id: string }> {
  readonly inbox: Inbox
  /** Who the effects belong to. */
  readonly consumer: string
  /** In the order in which their effects belong. One that stands here twice is handled once. */
  readonly messages: readonly Item[]
}

/** What the messages of a poll were to their consumer; the others had been done before. */
export interface OnceAll<Item, Result> {
  /** Their effects happened now. */
  readonly first: readonly Item[]
  /** Older than the retention of the inbox: perhaps repeats, so nothing was done about them. */
  readonly expired: readonly Item[]
  /** What the handler returned; undefined where no message was a first one. */
  readonly result: Result | undefined
}

/**
 * `once` for the messages of a whole poll: one statement stores the inbox rows of all that this
 * consumer has not had, and the handler gets those, in their order. Rows and effects commit together;
 * when the handler throws, the transaction can no longer commit. A repeat of one of them at the same
 * time waits for this transaction to end.
 */
export async function onceAll<Item extends { readonly id: string }, Result>(
  tx: Transaction,
  receipts: Receipts<Item>,
  handler: (tx: Transaction, first: readonly Item[]) => Promise<Result>,
): Promise<OnceAll<Item, Result>> {
  const { first, expired } = await receiveAll(tx, receipts)
  if (first.length === 0) return { first, expired, result: undefined }
  try {
    return { first, expired, result: await handler(tx, first) }
  } catch (error) {
    await tx.query({ text: failTransaction, values: [] }).catch(() => undefined)
    throw error
  }
}

/** Stores the inbox rows of those that are new. */
async function receiveAll<Item extends { readonly id: string }>(
  tx: Transaction,
  { inbox, consumer, messages }: Receipts<Item>,
): Promise<{ first: Item[]; expired: Item[] }> {
  const first = new Set<Item>()
  const expired: Item[] = []
  for (let rest: readonly Item[] = messages; rest.length > 0;) {
    const values = [consumer, rest.map(({ id }) => inboxId(id)), inbox.retentionMs]
    const { rows } = await tx.query<{ n: number }>({ text: inbox.sql.receiveAll, values })
    const received = new Set(rows.map(({ n }) => n - 1))
    const left: Item[] = []
    rest.forEach((message, at) => void (received.has(at) ? first.add(message) : left.push(message)))
    if (left.length === 0) break
    const sightings = await seenAll(tx, { inbox, consumer, messages: left })
    expired.push(...left.filter((_, at) => isExpired(sightings[at])))
    // Known or expired. If it is neither, it was known and has been deleted since.
    rest = left.filter((_, at) => !sightings[at]?.seen && !sightings[at]?.expired)
  }
  // In the order of the poll, in whichever round they were stored.
  return { first: [...new Set(messages)].filter((message) => first.has(message)), expired }
}

/** What the inbox knows of a message. */
export interface Sighting {
  readonly seen: boolean
  readonly expired: boolean
}

/** One for each message, in their order. */
export async function seenAll<Item extends { readonly id: string }>(
  db: Queryable,
  { inbox, consumer, messages }: Receipts<Item>,
): Promise<Sighting[]> {
  const values = [consumer, messages.map(({ id }) => inboxId(id)), inbox.retentionMs]
  const { rows } = await db.query<Sighting>({ text: inbox.sql.seenAll, values })
  return rows
}

/** Whether nothing can be said about the message any more. */
export function isExpired(sighting: Sighting | undefined): boolean {
  return sighting?.expired === true && !sighting.seen
}

/** Takes back inbox rows of the same transaction: the messages may come again. */
export async function forgetAll<Item extends { readonly id: string }>(
  tx: Transaction,
  { inbox, consumer, messages }: Receipts<Item>,
): Promise<void> {
  if (messages.length === 0) return
  const values = [consumer, messages.map(({ id }) => inboxId(id))]
  await tx.query({ text: inbox.sql.forget, values })
}

export interface HandleOnce {
  readonly pool: Pool
  readonly inbox: Inbox
  /** Who the effects belong to, usually the consumer's group. */
  readonly consumer: string
  /** Messages of one transaction, at the most. Default 100. */
  readonly size?: number
  /** False for messages that are none of its business; they leave no trace. Default: all are. */
  wants?(message: Message): boolean
  /** Writes what the message changes. Half of the pool is for these and the handlers. It runs again if the transaction does not commit. */
  handle(tx: Transaction, message: Message): Promise<unknown>
}

/**
 * Both ways in which a consumer handles messages through its inbox: a poll's messages in one
 * transaction, one after the other, and one alone. Where one of a poll fails, what stands before it
 * commits without it, and what stands behind it waits until that one is done, set aside or dead.
 */
export function handleOnce(options: HandleOnce): Required<Pick<Consumer, 'handle' | 'batch'>> {
  const { pool, inbox, consumer, size = 100 } = options
  const wants = (message: Message) => options.wants?.(message) ?? true
  return {
    async handle(message) {
      if (!wants(message)) return
      const receipt = { inbox, consumer, id: message.id }
      const work = (tx: Transaction) => once(tx, receipt, () => options.handle(tx, message))
      await connectionGate(pool).run(() => transaction(pool, work))
    },
    batch: {
      size,
      async handle(messages) {
        const results = await handleTogether(options, messages.filter(wants))
        const given = results.values()
        return messages.map((message) =>
          wants(message) ? (given.next().value ?? 'untried') : 'done',
        )
      },
    },
  }
}

/** They wanted the same rows as others: alone each gets through. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlock,
])

async function handleTogether(
  options: HandleOnce,
  messages: readonly Message[],
): Promise<Handled[]> {
  if (messages.length === 0) return []
  const { pool, inbox, consumer, handle } = options
  let atFault: Message | undefined
  try {
    const work = (tx: Transaction) =>
      onceAll(tx, { inbox, consumer, messages }, async (same, first) => {
        for (const message of first) {
          atFault = message
          await lendTransaction(same, (lent) => handle(lent, message))
        }
        atFault = undefined
      })
    const { expired } = await connectionGate(pool).run(() => transaction(pool, work))
    const late = new Set(expired)
    return messages.map((message) =>
      late.has(message) ? { error: expiredError({ inbox, consumer, id: message.id }) } : 'done',
    )
  } catch (error) {
    const at = atFault === undefined ? -1 : messages.indexOf(atFault)
    if (CONFLICTS.has(sqlState(error))) return messages.map(() => 'untried')
    // No message's own failure: the database was not to be had, or did not commit.
    if (at < 0) throw error
    const before = await handleTogether(options, messages.slice(0, at))
    const isReached = before.every((result) => result === 'done')
    return messages.map((_, i) => before[i] ?? (i === at && isReached ? { error } : 'untried'))
  }
}
