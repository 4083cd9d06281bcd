import type { Pool } from 'pg'
import { SQLSTATE, sqlState } from '../errors.ts'
import { transaction, type Transaction } from '../enqueue/transaction.ts'
import type { Message } from '../outbox/message.ts'
import type { Consumer, Handled } from '../outbox/transport.ts'
import { expiredError, once, type Inbox } from './inbox.ts'
import { onceAll } from './inbox-batch.ts'

export interface HandleOnce {
  readonly pool: Pool
  readonly inbox: Inbox
  /** Who the effects belong to, usually the consumer's group. */
  readonly consumer: string
  /** Messages of one transaction, at the most. Default 100. */
  readonly size?: number
  /** False for messages that are none of its business; they leave no trace. Default: all are. */
  wants?(message: Message): boolean
  /** Writes what the message changes. It runs again if the transaction does not commit. */
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
      await transaction(pool, (tx) => once(tx, receipt, () => options.handle(tx, message)))
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
    const { expired } = await transaction(pool, (tx) =>
      onceAll(tx, { inbox, consumer, messages }, async (same, first) => {
        for (const message of first) {
          atFault = message
          await handle(same, message)
        }
        atFault = undefined
      }),
    )
    const isExpired = new Set(expired)
    return messages.map((message) =>
      isExpired.has(message)
        ? { error: expiredError({ inbox, consumer, id: message.id }) }
        : 'done',
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
