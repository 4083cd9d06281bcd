import type { Message } from './message.ts'
import type { Outcome, Reference } from './outcome.ts'
import type { RetryPolicy } from './retry.ts'

/** Where messages go, as data; the live client is bound by the host under `transport`'s name. */
export interface Destination {
  /** Name under which the host binds the transport, e.g. `kafka`. */
  readonly transport: string
  /** Topic, exchange or endpoint; together with `transport` the unit of the circuit breaker. */
  readonly topic: string
  /**
   * What metrics call it, where many share a name because each is a customer's. Default
   * `transport:topic`.
   */
  readonly label?: string
  /** What else the transport wants to know, e.g. `{ group: 'evidence-worker' }`. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** One message on its way to one destination. */
export interface Delivery {
  readonly message: Message
  readonly destination: Destination
  /**
   * When the destination took it before, where it is sent again on purpose: replayed, or unconfirmed.
   * Known of outboxes with `columns.sentAt`. A destination that drops repeats must not drop this one.
   */
  readonly sentAt?: Date
}

export interface DeliverOptions {
  /**
   * True: messages that share a `key` are in order, and after one of them fails nothing later of
   * that key may be delivered in this batch (report it as `retryLater`).
   */
  readonly ordered: boolean
  /**
   * Aborted when the claim is lost, the time of an attempt or the relay's time to drain is over. A
   * transport that goes on in spite of it is left alone a little later, and its outcomes are dropped.
   */
  readonly signal: AbortSignal
  /** For a transport with `takes: 'each'`: says the outcome of the delivery at this place of the batch. */
  report?(at: number, outcome: Outcome): void
}

/** A live client that takes batches of messages somewhere. */
export interface Transport {
  /**
   * `each`: the messages of a batch are delivered side by side, and `report` is called for each as soon as
   * its outcome is known, so that a slow one holds up no other. Default `batch`: they have one fate.
   */
  readonly takes?: 'batch' | 'each'
  /** One outcome for each delivery, in their order. A throw means that the outcomes are unknown: all are retried. */
  deliver(batch: readonly Delivery[], options: DeliverOptions): Promise<readonly Outcome[]>
  /**
   * For `confirm.within`: whether the consumer group has gone by each message. A message that still
   * waits in front of a slow consumer must not be sent again.
   */
  passed?(
    sent: readonly { destination: Destination; ref: Reference }[],
  ): Promise<readonly boolean[]>
  /** Rejects in bounded time if the other side cannot be reached: for a host that says if it is ready. */
  ping?(): Promise<void>
  /**
   * For the host that opened it, after the relays have stopped: neither `createRelay` nor `posthorn`
   * closes what it was given. Left out where there is nothing to close.
   */
  close?(): Promise<void>
}

/**
 * A reader of a topic. Returning means done (acknowledged). Throwing means again, as `retry` says, and
 * then a dead letter; a `DeliveryError` may say that no retry helps, or that something the handler
 * needs is unreachable: then the message waits and is not charged.
 */
export interface Consumer {
  readonly topic: string
  /** Consumers of one group share the work; every group gets every message. */
  readonly group: string
  /** Default 10 attempts after 1, 2, 4 … 256 s; an endless policy has no dead letters of its own. */
  readonly retry?: RetryPolicy
  /**
   * What becomes of the messages behind a dead one of their key. `skip` (default): they are handled
   * without it. `block`: they wait until an operator replays or drops it.
   */
  readonly dead?: 'skip' | 'block'
  handle(message: Message, context: ConsumeContext): Promise<void>
  /** Handles what a poll brought together. Left out, `handle` gets each message by itself. */
  readonly batch?: ConsumerBatch
}

/** The way in which a consumer handles several messages at once, e.g. in one transaction. */
export interface ConsumerBatch {
  /** Messages at once, at the most. They come in the order of their partition or queue. */
  readonly size: number
  /**
   * What became of each message, in their order. After one that failed, no later one of its key may
   * be tried. Where it throws, all count as untried. What was not tried comes again, together or
   * through `handle`; a failure is the message's own, with the consumer's retries and dead letters.
   */
  handle(messages: readonly Message[], context: BatchContext): Promise<readonly Handled[]>
}

/** What became of one message of a batch. */
export type Handled = 'done' | 'untried' | { readonly error: unknown }

export interface BatchContext {
  /** Aborted when the results are no longer wanted. */
  readonly signal: AbortSignal
}

export interface ConsumeContext {
  /** Where the message was read, e.g. `{ partition: 3, offset: '17' }`. */
  readonly ref: Reference
  readonly signal: AbortSignal
}

/** The reading side of a transport. */
export interface Subscriber {
  /** Resolves once the consumer is in its group; `close` waits for the message in hand. */
  subscribe(consumer: Consumer): Promise<Subscription>
  /** How many messages of the topic the group has not acknowledged yet. */
  lag?(consumer: Pick<Consumer, 'topic' | 'group'>): Promise<number>
  close(): Promise<void>
}

export interface Subscription {
  close(): Promise<void>
}

/** Delivers messages side by side, for a transport with `takes: 'each'`: says each outcome when it is known. */
export async function deliverEach<Made extends Outcome>(
  batch: readonly Delivery[],
  { report }: DeliverOptions,
  deliver: (delivery: Delivery, at: number) => Promise<Made>,
): Promise<Made[]> {
  return Promise.all(
    batch.map(async (delivery, at) => {
      const outcome = await deliver(delivery, at)
      report?.(at, outcome)
      return outcome
    }),
  )
}
