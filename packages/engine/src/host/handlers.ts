import type { Pool } from 'pg'
import { connectionGate, gatePlaces, poolSize } from '../database/connection-gate.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Message } from '../outbox/message.ts'
import { delivered, outcomeOfThrow, retryLater, type Outcome } from '../outbox/outcome.ts'
import { withHandlerSpan } from '../outbox/trace.ts'
import type { Delivery, DeliverOptions, Transport } from '../outbox/transport.ts'
import { noteHandled } from './standard-table.sql.ts'
import { checkObject } from '../outbox/definition-shape.ts'
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

/**
 * A handler that calls the outside, or takes minutes: no transaction is open while it runs, and it may run
 * again after a crash. It may say by an outcome when the message is tried again.
 */
export type OutsideHandler<Payload = unknown> = (
  handling: Omit<Handling<Payload>, 'tx'>,
  // oxlint-disable-next-line typescript/no-invalid-void-type -- most have nothing to say
) => Promise<Outcome | void>

/** Functions of this process that an outbox delivers to. */
export interface Handlers {
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types have handlers
  readonly outbox: Outbox<any>
  readonly byType: ReadonlyMap<string, Handler>
  /** Messages of the outbox that one relay handles at once; undefined for what the pool allows. */
  readonly atOnce: number | undefined
  /** False: each is an `OutsideHandler`. */
  readonly transaction: boolean
}

export interface HandlersOptions {
  /**
   * Messages of the outbox that one relay handles at once, those of one key one after the other; each
   * takes a connection. All handlers of a pool together have half of its connections. Default 8, or that
   * half where it is less.
   */
  readonly atOnce?: number
  /**
   * False: no transaction is open while a handler runs, and it holds no connection. For calls to other
   * services and for long work. A crash means that it runs again: the message's id is the key for the other
   * side. Default true.
   */
  readonly transaction?: boolean
}

/** Functions by the type of message that they handle. */
export type HandlersByType<Events extends object> = {
  readonly [Type in keyof Events & string]?: Handler<Events[Type]>
}
export type OutsideHandlersByType<Events extends object> = {
  readonly [Type in keyof Events & string]?: OutsideHandler<Events[Type]>
}
export type OutsideOptions = HandlersOptions & { readonly transaction: false }

/**
 * Says which function handles which type of an outbox's messages. An outbox on a table of your own names
 * `{ transport: 'handlers', topic: <its name> }` as its destination.
 */
export function handlers<Events extends object>(
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types have handlers
  outbox: Outbox<any> & { readonly events?: Events },
  byType: OutsideHandlersByType<Events>,
  options: OutsideOptions,
): Handlers
export function handlers<Events extends object>(
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  outbox: Outbox<any> & { readonly events?: Events },
  byType: HandlersByType<Events>,
  options?: HandlersOptions,
): Handlers
export function handlers(
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  outbox: Outbox<any>,
  byType: object,
  options: HandlersOptions = {},
): Handlers {
  const { name, destination } = outbox
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError(name, `handlers.${field}`, problem)
  }
  checkObject(options, { atOnce: 'optional', transaction: 'optional' }, { prefix: '', wrong })
  const { atOnce, transaction: isInTransaction = true } = options
  if (typeof destination === 'object' && destination.transport !== HANDLERS) {
    const goes = `its messages go to "${destination.transport}"`
    throw new DefinitionError(name, 'destination', `${goes}: leave it out to have them handled`)
  }
  const entries = Object.entries(byType)
  const [strange] = entries.find(([, handler]) => typeof handler !== 'function') ?? []
  if (strange !== undefined) wrong(strange, 'is not a function')
  if (atOnce !== undefined && !(Number.isInteger(atOnce) && atOnce >= 1))
    wrong('atOnce', 'must be a whole number from 1')
  if (typeof isInTransaction !== 'boolean') wrong('transaction', 'must be true or false')
  const byName = new Map(entries as [string, Handler][])
  return { outbox, byType: byName, atOnce, transaction: isInTransaction }
}

/** Handlers by the name of their outbox; throws for an outbox that has two sets. */
export function byOutbox(sets: readonly Handlers[]): ReadonlyMap<string, Handlers> {
  const found = new Map<string, Handlers>()
  for (const set of sets) {
    const { name } = set.outbox
    if (found.has(name)) {
      throw new DefinitionError(name, 'handlers', 'are set twice: pass all types to one handle()')
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
  // For all claims of the relay together: a connection is taken for each.
  const slots = new Map(given.map((set) => [set.outbox.name, new Semaphore(placesOf(set, pool))]))
  const gate = connectionGate(pool)
  return {
    takes: 'each',
    async deliver(batch, options) {
      const outcomes = Array.from<Outcome>({ length: batch.length })
      const end = (at: number, outcome: Outcome) => {
        outcomes[at] = outcome
        options.report?.(at, outcome)
      }
      const handleOne = async (delivery: Delivery) => {
        const { signal } = options
        const giveBack = await slots.get(delivery.destination.topic)?.acquire()
        // A handler that ignores its signal must not keep the others waiting.
        if (giveBack) signal.addEventListener('abort', giveBack)
        // Its connection is held for as long as it runs, so its place at the gate is, too.
        const needsConnection = sets.get(delivery.destination.topic)?.transaction !== false
        const leave = needsConnection ? await gate.acquireUntil(signal) : () => undefined
        try {
          return leave ? await handle(pool, sets, { delivery, signal }) : HELD_BACK
        } finally {
          leave?.()
          if (giveBack) signal.removeEventListener('abort', giveBack)
          giveBack?.()
        }
      }
      const queues = queuesOf(batch, options)
      await Promise.all(queues.map((queue) => handleInOrder(queue, end, handleOne)))
      return outcomes
    },
  }
}

const AT_ONCE = 8

function placesOf({ atOnce, transaction: isInTransaction }: Handlers, pool: Pool): number {
  return atOnce ?? (isInTransaction ? Math.min(AT_ONCE, gatePlaces(pool)) : AT_ONCE)
}

/** Smaller pools work, but everything in them waits for everything else. */
const SMALL_POOL = 4

/** Warns where a pool has fewer connections than what the handlers ask for, with the arithmetic. */
export function warnOfSmallPool(pool: Pool, sets: readonly Handlers[], log: Log): void {
  const places = gatePlaces(pool)
  const connecting = sets.filter((set) => set.transaction)
  const wanted = connecting.reduce((sum, set) => sum + placesOf(set, pool), 0)
  const size = poolSize(pool)
  if (connecting.length === 0 || (wanted <= places && size >= SMALL_POOL)) return
  const outboxes = connecting.map(({ outbox }) => outbox.name)
  const enough = Math.max(SMALL_POOL, wanted * 2)
  log.warn(
    { outboxes, pool: size, wanted, places, enough },
    'the pool is small: handlers have half of its connections, and wait for each other',
  )
}

const HELD_BACK = retryLater(new PosthornError('HELD_BACK'), { charge: false })

interface Placed {
  readonly at: number
  readonly delivery: Delivery
}

/** Messages that must wait for one another; without an order each is alone. */
function queuesOf(batch: readonly Delivery[], { ordered }: DeliverOptions): Placed[][] {
  const placed = batch.map((delivery, at) => ({ at, delivery }))
  if (!ordered) return placed.map((each) => [each])
  return [...Map.groupBy(placed, ({ delivery }) => delivery.message.key).values()]
}

async function handleInOrder(
  queue: readonly Placed[],
  end: (at: number, outcome: Outcome) => void,
  handleOne: (delivery: Delivery) => Promise<Outcome>,
): Promise<void> {
  let isStopped = false
  for (const { at, delivery } of queue) {
    const outcome: Outcome = isStopped ? HELD_BACK : await handleOne(delivery)
    end(at, outcome)
    isStopped ||= outcome.kind !== 'delivered'
  }
}

interface Handing {
  readonly delivery: Delivery
  readonly signal: AbortSignal
}

async function handle(
  pool: Pool,
  sets: ReadonlyMap<string, Handlers>,
  { delivery, signal }: Handing,
): Promise<Outcome> {
  const { message, destination } = delivery
  const set = sets.get(destination.topic)
  const handler = set?.byType.get(message.type)
  // Perhaps a newer process has one: as any failure it is tried again, and ends as a dead letter.
  if (!set || !handler) {
    const missing = `no handler for ${message.type} in ${destination.topic}`
    return retryLater(new PosthornError('HANDLER_MISSING', missing))
  }
  if (signal.aborted) return HELD_BACK
  try {
    return await withHandlerSpan(delivery, async () => {
      if (!set.transaction) {
        const answer = await (handler as OutsideHandler)({
          ...{ payload: message.payload, message, signal },
        })
        return answer ?? delivered()
      }
      await transaction(pool, async (tx) => {
        const { rows } = await tx.query(noteHandled(destination.topic, message.id))
        if (rows.length > 0) await handler({ payload: message.payload, message, tx, signal })
      })
      return delivered()
    })
  } catch (error) {
    return outcomeOfThrow(error)
  }
}
