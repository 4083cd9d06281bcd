import type { Pool } from 'pg'
import { transaction, type Transaction } from '../enqueue/transaction.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Message } from '../outbox/message.ts'
import { delivered, outcomeOfThrow, retryLater, type Outcome } from '../outbox/outcome.ts'
import type { Delivery, DeliverOptions, Transport } from '../outbox/transport.ts'
import { noteHandled } from '../sql/handled.ts'
import { HANDLERS, type StandardRow } from './standard-outbox.ts'

/** What a handler is given. */
export interface Handling<Payload = unknown> {
  readonly payload: Payload
  readonly message: Message<Payload>
  /** What is written here commits with the note that the message is handled: once. */
  readonly tx: Transaction
  /** Aborted when the outcome is no longer wanted. */
  readonly signal: AbortSignal
}

/** Throwing means again, as the outbox's retries say; a `DeliveryError` may say that no retry helps. */
export type Handler<Payload = unknown> = (handling: Handling<Payload>) => Promise<unknown>

/** Functions of this process that an outbox delivers to. */
export interface Handlers {
  readonly outbox: Outbox<StandardRow>
  readonly byType: ReadonlyMap<string, Handler>
  /** Messages that one relay handles at once. */
  readonly atOnce: number
}

export interface HandlersOptions {
  /** Messages of different keys that one relay handles at once; each takes a connection. Default 4. */
  readonly atOnce?: number
}

/** Says which function handles which type of an outbox's messages. */
export function handlers<Events extends object>(
  outbox: Outbox<StandardRow> & { readonly events?: Events },
  byType: { readonly [Type in keyof Events & string]?: Handler<Events[Type]> },
  { atOnce = 4 }: HandlersOptions = {},
): Handlers {
  const { name, destination } = outbox
  if (typeof destination === 'object' && destination.transport !== HANDLERS) {
    const goes = `its messages go to "${destination.transport}"`
    throw new DefinitionError(name, 'destination', `${goes}: leave it out to have them handled`)
  }
  const entries = Object.entries(byType)
  const wrong = entries.find(([, handler]) => typeof handler !== 'function')
  if (wrong) throw new DefinitionError(name, `handlers.${wrong[0]}`, 'is not a function')
  if (!Number.isInteger(atOnce) || atOnce < 1) {
    throw new DefinitionError(name, 'handlers.atOnce', 'must be a whole number from 1')
  }
  return { outbox, byType: new Map(entries as [string, Handler][]), atOnce }
}

/**
 * The transport that runs handlers: each message in a transaction of its own, those of one key one after
 * the other where the outbox has an order, and none behind one of its key that failed.
 */
export function handlerTransport(pool: Pool, sets: readonly Handlers[]): Transport {
  const byOutbox = new Map(sets.map((set) => [set.outbox.name, set]))
  return {
    async deliver(batch, options) {
      const outcomes = new Map<Delivery, Outcome>()
      const queues = queuesOf(batch, options)
      const atOnce = Math.max(...sets.map((set) => set.atOnce))
      const lane = async () => {
        for (let queue = queues.shift(); queue; queue = queues.shift()) {
          await handleInOrder(queue, outcomes, (delivery) =>
            handle(pool, byOutbox, { delivery, signal: options.signal }),
          )
        }
      }
      await Promise.all(Array.from({ length: Math.min(atOnce, queues.length) }, lane))
      return batch.map((delivery) => outcomes.get(delivery) ?? HELD_BACK)
    },
    close: async () => undefined,
  }
}

const HELD_BACK = retryLater(new PosthornError('HELD_BACK'), { charge: false })

/** Messages that must wait for one another; without an order each is alone. */
function queuesOf(batch: readonly Delivery[], { ordered }: DeliverOptions): Delivery[][] {
  if (!ordered) return batch.map((delivery) => [delivery])
  return [...Map.groupBy(batch, ({ message }) => message.key).values()]
}

async function handleInOrder(
  queue: readonly Delivery[],
  outcomes: Map<Delivery, Outcome>,
  handleOne: (delivery: Delivery) => Promise<Outcome>,
): Promise<void> {
  for (const delivery of queue) {
    const outcome = await handleOne(delivery)
    outcomes.set(delivery, outcome)
    if (outcome.kind !== 'delivered') return
  }
}

interface Handing {
  readonly delivery: Delivery
  readonly signal: AbortSignal
}

async function handle(
  pool: Pool,
  byOutbox: ReadonlyMap<string, Handlers>,
  { delivery: { message, destination }, signal }: Handing,
): Promise<Outcome> {
  const handler = byOutbox.get(destination.topic)?.byType.get(message.type)
  // Perhaps a newer process has one: as any failure it is tried again, and ends as a dead letter.
  if (!handler) {
    const missing = `no handler for ${message.type} in ${destination.topic}`
    return retryLater(new PosthornError('HANDLER_MISSING', missing))
  }
  if (signal.aborted) return HELD_BACK
  try {
    await transaction(pool, async (tx) => {
      const { rows } = await tx.query(noteHandled(destination.topic, message.id))
      if (rows.length > 0) await handler({ payload: message.payload, message, tx, signal })
    })
    return delivered()
  } catch (error) {
    return outcomeOfThrow(error)
  }
}
