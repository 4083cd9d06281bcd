import { toMs, type Consumer, type Delivery, type Duration, type Outcome } from '@posthorn/engine'
import { createLazyClient, type LazyClientParts } from './lazy-client.ts'
import type { Queue } from './queue-session.ts'
import {
  queueTransport,
  type QueueTransport,
  type QueueTransportOptions,
} from './queue-transport.ts'
import { publishEach } from '../deliver/publish-each.ts'

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
