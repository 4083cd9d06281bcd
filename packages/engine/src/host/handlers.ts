import type { Pool } from 'pg'
import { connectionGate, gatePlaces, poolSize } from '../database/connection-gate.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Message } from '../outbox/message.ts'
import { delivered, outcomeOfThrow, retryLater, type Outcome } from '../outbox/outcome.ts'
import type { Delivery, DeliverOptions, Transport } from '../outbox/transport.ts'
import { noteHandled } from './standard-table.sql.ts'
import { checkObject } from '../outbox/definition-shape.ts'
import type { StandardRow } from './standard-outbox.ts'
import { Semaphore } from '../semaphore.ts'

/** The transport that `handlers` are bound under. */
export const HANDLERS = 'handlers'

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
  /** Messages of the outbox that one relay handles at once; undefined for what the pool allows. */
  readonly atOnce: number | undefined
}

export interface HandlersOptions {
  /**
   * Messages of the outbox that one relay handles at once, those of one key one after the other; each
   * takes a connection. All handlers of a pool together have half of its connections. Default 8, or that
   * half where it is less.
   */
  readonly atOnce?: number
}

/** Says which function handles which type of an outbox's messages. */
export function handlers<Events extends object>(
  outbox: Outbox<StandardRow> & { readonly events?: Events },
  byType: { readonly [Type in keyof Events & string]?: Handler<Events[Type]> },
  options: HandlersOptions = {},
): Handlers {
  const { name, destination } = checkOutbox(outbox)
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError(name, `handlers.${field}`, problem)
  }
  checkObject(options, { atOnce: 'optional' }, { prefix: '', wrong })
  const { atOnce } = options
  if (typeof destination === 'object' && destination.transport !== HANDLERS) {
    const goes = `its messages go to "${destination.transport}"`
    throw new DefinitionError(name, 'destination', `${goes}: leave it out to have them handled`)
  }
  const entries = Object.entries(byType)
  const [strange] = entries.find(([, handler]) => typeof handler !== 'function') ?? []
  if (strange !== undefined) wrong(strange, 'is not a function')
  if (atOnce !== undefined && !(Number.isInteger(atOnce) && atOnce >= 1))
    wrong('atOnce', 'must be a whole number from 1')
  return { outbox, byType: new Map(entries as [string, Handler][]), atOnce }
}

/** For those whom no compiler warns. */
function checkOutbox<Row>(outbox: Outbox<Row>): Outbox<Row> {
  if ((outbox as Outbox<Row> | undefined)?.bell !== undefined) return outbox
  throw new DefinitionError('handlers()', 'outbox', 'must be what outbox() returned')
}

/** Handlers by the name of their outbox; throws for an outbox that has two sets. */
export function byOutbox(sets: readonly Handlers[]): ReadonlyMap<string, Handlers> {
  const found = new Map<string, Handlers>()
  for (const set of sets) {
    const { name } = set.outbox
    if (found.has(name)) {
      throw new DefinitionError(name, 'handlers', 'are given twice: put all types into one set')
    }
    found.set(name, set)
  }
  return found
}

/**
 * The transport that runs handlers: each message in a transaction of its own, those of one key one after
 * the other where the outbox has an order, and none behind one of its key that failed.
 */
export function handlerTransport(pool: Pool, given: readonly Handlers[]): Transport {
  const sets = byOutbox(given)
  // For all lanes of the relay together: a connection is taken for each.
  const slots = new Map(given.map((set) => [set.outbox.name, new Semaphore(placesOf(set, pool))]))
  const gate = connectionGate(pool)
  return {
    async deliver(batch, options) {
      const outcomes = new Map<Delivery, Outcome>()
      const handleOne = async (delivery: Delivery) => {
        const { signal } = options
        const giveBack = await slots.get(delivery.destination.topic)?.acquire()
        // A handler that ignores its signal must not keep the others waiting.
        if (giveBack) signal.addEventListener('abort', giveBack)
        // Its connection is held for as long as it runs, so its place at the gate is, too.
        const leave = await gate.acquireUntil(signal)
        try {
          return leave ? await handle(pool, sets, { delivery, signal }) : HELD_BACK
        } finally {
          leave?.()
          if (giveBack) signal.removeEventListener('abort', giveBack)
          giveBack?.()
        }
      }
      const queues = queuesOf(batch, options)
      await Promise.all(queues.map((queue) => handleInOrder(queue, outcomes, handleOne)))
      return batch.map((delivery) => outcomes.get(delivery) ?? HELD_BACK)
    },
  }
}

const AT_ONCE = 8

function placesOf({ atOnce }: Handlers, pool: Pool): number {
  return atOnce ?? Math.min(AT_ONCE, gatePlaces(pool))
}

/** Smaller pools work, but everything in them waits for everything else. */
const SMALL_POOL = 4

/** Warns where a pool has fewer connections than what the handlers ask for, with the arithmetic. */
export function warnOfSmallPool(pool: Pool, sets: readonly Handlers[], log: Log): void {
  const places = gatePlaces(pool)
  const wanted = sets.reduce((sum, set) => sum + placesOf(set, pool), 0)
  const size = poolSize(pool)
  if (sets.length === 0 || (wanted <= places && size >= SMALL_POOL)) return
  const outboxes = sets.map(({ outbox }) => outbox.name)
  const enough = Math.max(SMALL_POOL, wanted * 2)
  log.warn(
    { outboxes, pool: size, wanted, places, enough },
    'the pool is small: handlers have half of its connections, and wait for each other',
  )
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
  sets: ReadonlyMap<string, Handlers>,
  { delivery: { message, destination }, signal }: Handing,
): Promise<Outcome> {
  const handler = sets.get(destination.topic)?.byType.get(message.type)
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
