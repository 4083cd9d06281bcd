import type { Pool } from 'pg'
import { toMs, type Duration } from '../duration.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import type { Handled } from '../outbox/transport.ts'
import { PING } from '../consume/consumer-messages.sql.ts'
import { expiredError, inboxId } from './inbox.ts'
import { forgetAll, isExpired, onceAll, seenAll, type Receipts } from './inbox-batch.ts'

/** A message and what the outside answered. */
export interface Answered<Item, Answer> {
  readonly message: Item
  readonly answer: Answer
}

/** The outside calls of a poll, and what their answers change in the database. */
export interface AroundAll<Item, Answer> {
  /**
   * Runs with no transaction open, for several messages at once, and for those of one key one after
   * the other. May run again after a crash, with the same idempotency key.
   */
  call(message: Item, idempotencyKey: string): Promise<Answer>
  /**
   * Runs in the transaction that stores the inbox rows, with the answers that are there, in the order
   * of their messages. Returns messages whose inbox row is not kept: they may come again.
   */
  outcome(
    tx: Transaction,
    answered: readonly Answered<Item, Answer>[],
  ): Promise<readonly Item[] | undefined>
  /** Calls at once. Default 16. */
  readonly atOnce?: number
  /** A slow call does not hold up the outcomes of the others longer than this. Default 1 s. */
  readonly settleEvery?: Duration
  /** No call begins after its abort. */
  readonly signal?: AbortSignal
}

interface Keyed {
  readonly id: string
  readonly key?: string | undefined
}

/**
 * `around` for the messages of a whole poll: one statement looks which of them are new, the calls are
 * made at once, and their outcomes are settled together, with the inbox rows. A call that throws is
 * that message's failure; where a transaction fails, its answers are settled in halves until the one
 * at fault is alone. Says of each message, in order, what became of it, as a consumer's batch does.
 */
export async function aroundAll<Item extends Keyed, Answer>(
  pool: Pool,
  receipts: Receipts<Item>,
  options: AroundAll<Item, Answer>,
): Promise<Handled[]> {
  const { inbox, consumer, messages } = receipts
  const sightings = await seenAll(pool, receipts)
  const results = new Map<Item, Handled>()
  const open: Item[] = []
  const leaders = new Map<string, Item>()
  messages.forEach((message, at) => {
    const leader = leaders.get(inboxId(message.id))
    if (leader) return
    leaders.set(inboxId(message.id), message)
    if (sightings[at]?.seen) results.set(message, 'done')
    else if (isExpired(sightings[at])) {
      results.set(message, { error: expiredError({ inbox, consumer, id: message.id }) })
    } else open.push(message)
  })
  const failed = new Set<string>()
  for (const round of roundsOf(open)) {
    const going = round.filter(({ key }) => key === undefined || !failed.has(key))
    await makeRound(pool, { ...receipts, messages: going }, { ...options, results })
    for (const message of going) {
      const isDone = results.get(message) === 'done'
      if (!isDone && message.key !== undefined) failed.add(message.key)
    }
  }
  return messages.map((message) => {
    const leader = leaders.get(inboxId(message.id)) ?? message
    return results.get(leader) ?? 'untried'
  })
}

/** Messages that may be under way together: no two of one key. */
function roundsOf<Item extends Keyed>(messages: readonly Item[]): Item[][] {
  const rounds: Item[][] = []
  const counts = new Map<string, number>()
  for (const message of messages) {
    const { key } = message
    const at = key === undefined ? 0 : (counts.get(key) ?? 0)
    if (key !== undefined) counts.set(key, at + 1)
    ;(rounds[at] ??= []).push(message)
  }
  return rounds
}

interface Round<Item, Answer> extends AroundAll<Item, Answer> {
  readonly results: Map<Item, Handled>
}

/** Calls for all messages, and settles answers while others are still waited for. */
async function makeRound<Item extends Keyed, Answer>(
  pool: Pool,
  receipts: Receipts<Item>,
  round: Round<Item, Answer>,
): Promise<void> {
  const { messages } = receipts
  const { call, atOnce = 16, settleEvery = '1s', signal, results } = round
  const everyMs = toMs(settleEvery)
  const ready = new Map<Item, Answered<Item, Answer>>()
  let next = 0
  const state = { isOver: false }
  let wake: () => void = () => undefined

  const lane = async (): Promise<void> => {
    for (let message = messages[next++]; message !== undefined; message = messages[next++]) {
      if (signal?.aborted) return
      try {
        ready.set(message, { message, answer: await call(message, message.id) })
        wake()
      } catch (error) {
        results.set(message, { error })
      }
    }
  }
  const calling = Promise.all(
    Array.from({ length: Math.min(atOnce, messages.length) }, lane),
  ).finally(() => {
    state.isOver = true
    wake()
  })

  while (!state.isOver || ready.size > 0) {
    if (!state.isOver && ready.size === 0) await new Promise<void>((resolve) => (wake = resolve))
    if (!state.isOver) await within(calling, everyMs)
    // In the order of the poll, in whichever order the answers came.
    const answered = messages.flatMap((message) => ready.get(message) ?? [])
    ready.clear()
    await settle(pool, { receipts, answered }, round)
  }
  await calling
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

interface Settled<Item extends Keyed, Answer> {
  readonly receipts: Receipts<Item>
  readonly answered: readonly Answered<Item, Answer>[]
}

async function settle<Item extends Keyed, Answer>(
  pool: Pool,
  { receipts, answered }: Settled<Item, Answer>,
  round: Round<Item, Answer>,
): Promise<void> {
  if (answered.length === 0) return
  const { results, outcome } = round
  const { inbox, consumer } = receipts
  const messages = answered.map(({ message }) => message)
  try {
    const { expired } = await transaction(pool, (tx) =>
      onceAll(tx, { inbox, consumer, messages }, async (same, first) => {
        const isFirst = new Set(first)
        const mine = answered.filter(({ message }) => isFirst.has(message))
        const forgotten = (await outcome(same, mine)) ?? []
        await forgetAll(same, { inbox, consumer, messages: forgotten })
      }),
    )
    for (const message of messages) results.set(message, 'done')
    for (const message of expired) {
      results.set(message, { error: expiredError({ inbox, consumer, id: message.id }) })
    }
  } catch (error) {
    // With the database away there is nothing to find out about single messages.
    const isAway = await pool.query(PING).then(
      () => false,
      () => true,
    )
    if (answered.length === 1 || isAway) {
      for (const message of messages) results.set(message, { error })
      return
    }
    const middle = Math.ceil(answered.length / 2)
    for (const half of [answered.slice(0, middle), answered.slice(middle)]) {
      await settle(pool, { receipts, answered: half }, round)
    }
  }
}
