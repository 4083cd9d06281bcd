import {
  silentLog,
  type Consumer,
  type Log,
  type Subscriber,
  type Transport,
  toMs,
  type Delivery,
  type Duration,
  type Outcome,
} from '@posthorn/engine'
import { readingOf, type ReadingOptions } from '../consume/failures.ts'
import { checkName } from '../names.ts'
import { QueueSession, type Queue } from './queue-session.ts'
import { addTo, keepSubscribed, type StartedSubscription } from '../consume/subscription.ts'
import { deliverInWaves, type WaveParts, publishEach } from '../deliver/wave.ts'
import { createLazyClient, type LazyClientParts } from './lazy-client.ts'

/** What is particular to a broker with queues. */
export interface QueueBroker<Written> extends WaveParts<Written> {
  /** The queue of a consumer's group, made if it is missing; not read before it is opened. */
  queueOf(consumer: Consumer): Promise<Queue>
  /** How many messages of the topic the group has not acknowledged; 0 where it has no queue. */
  lag(consumer: Pick<Consumer, 'topic' | 'group'>): Promise<number>
  /** Rejects in bounded time if the broker cannot be reached. */
  ping(): Promise<void>
  close(): Promise<void>
  /** False where all messages of a key come to one member of a group. Default true. */
  readonly sharesKeys?: boolean
}

export interface QueueTransportOptions extends ReadingOptions {
  readonly log?: Log
  /** Handlers at once in one subscription; messages of one key never at once. Default 8. */
  readonly concurrency?: number
}

export type QueueTransport = Required<Pick<Transport, 'deliver' | 'close'>> &
  Required<Subscriber> & { ping(): Promise<void> }

/**
 * A transport by way of a broker with queues, of which any member of a group may have the next
 * message: the order of keys, retries, dead letters, batches and new sessions are the same for all.
 */
export function queueTransport<Written>(
  broker: QueueBroker<Written>,
  options: QueueTransportOptions,
): QueueTransport {
  const { log = silentLog, concurrency = 8 } = options
  const { sharesKeys = true } = broker
  const subscriptions = new Set<StartedSubscription>()
  return {
    deliver: (batch, how) => deliverInWaves(batch, how, broker),
    async subscribe(consumer) {
      checkName(consumer.topic)
      checkName(consumer.group)
      const session = { ...readingOf(options), consumer, log, concurrency, sharesKeys }
      const started = keepSubscribed(consumer, log, async () =>
        QueueSession.open(await broker.queueOf(consumer), session),
      )
      return addTo(subscriptions, started)
    },
    lag: (consumer) => broker.lag(consumer),
    ping: () => broker.ping(),
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()))
      await broker.close()
    },
  }
}

/** What is particular to a broker with queues that is asked over one connection. */
export interface ConnectedBroker<Client, Written> extends LazyClientParts<Client> {
  /** A message as the broker takes it; throws for one that can never be sent. */
  write(delivery: Delivery): Written
  /** Sends one message and waits for the word on it; what it throws is retried. */
  send(client: Client, written: Written): Promise<Outcome>
  /** The queue of a consumer's group, made if it is missing; not read before it is opened. */
  queueOf(client: Client, consumer: Consumer): Queue | Promise<Queue>
  /** How many messages of the topic the group has not acknowledged; 0 where it has no queue. */
  lag(client: Client, consumer: Pick<Consumer, 'topic' | 'group'>): Promise<number>
  ping(client: Client): Promise<unknown>
}

export interface ConnectedOptions extends QueueTransportOptions {
  /** How long to wait for a connection, and again for an answer. Default 5 s. */
  readonly timeout?: Duration
}

/** As `queueTransport`, with one connection for all: opened, bounded in time and closed here. */
export function connectedTransport<Client, Written>(
  broker: ConnectedBroker<Client, Written>,
  options: ConnectedOptions,
): QueueTransport {
  const connection = createLazyClient(broker)
  const timeoutMs = toMs(options.timeout ?? '5s')
  const ask = <Answer>(question: (client: Client) => Answer | Promise<Answer>): Promise<Answer> =>
    connection.within(connection.open().then(question), 2 * timeoutMs)

  return queueTransport<Written>(
    {
      write: (delivery) => broker.write(delivery),
      publish: (wave) =>
        publishEach(wave, {
          ...{ connection, timeoutMs },
          prepare: () => connection.open(),
          send: (client, written) => broker.send(client, written),
        }),
      queueOf: (consumer) => ask((client) => broker.queueOf(client, consumer)),
      lag: (consumer) => ask((client) => broker.lag(client, consumer)),
      ping: async () => void (await ask((client) => broker.ping(client))),
      close: () => connection.close(),
    },
    options,
  )
}
