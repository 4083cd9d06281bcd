import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs'
import type { Consumer } from '@posthorn/engine'
import type { Incoming, Queue } from '../queue/queue-session.ts'
import { repeat, type Repeating } from '../timing.ts'
import type { Ask } from './client.ts'
import { seconds } from './queues.ts'
import { fromDelivery } from './wire.ts'

export interface QueueReading {
  readonly consumer: Pick<Consumer, 'topic' | 'group'>
  /** The address of the group's queue. */
  readonly queue: string
  readonly ask: Ask
  /** So many messages may be here at once, and one batch more. */
  readonly prefetch: number
  /** After this time without a sign of its member a message is given to another. */
  readonly sessionMs: number
}

/** What a request may hold at most, and how long one may wait for messages. */
const MAX_ENTRIES = 10
const WAIT_MS = 20_000
/** How often, within its time, the server hears that a message is still being handled. */
const SIGNS_OF_LIFE = 3
/** Those who are done meanwhile are acknowledged by one request: requests are what SQS charges. */
const GATHER_MS = 20

/** A queue, of which SQS itself gives out the messages of a group one after the other. */
export function readQueue(reading: QueueReading): Queue {
  const { consumer, queue, ask, prefetch, sessionMs } = reading
  const { topic, group } = consumer
  /** Received and not acknowledged, by what stands for this receipt of them. */
  const inHand = new Set<string>()
  const done: string[] = []
  const ended = Promise.withResolvers<void>()
  const stopped = new AbortController()
  let receiving: Promise<void> | undefined
  let renewing: Repeating | undefined
  let acknowledging: Repeating | undefined
  let hasRoom = Promise.withResolvers<void>()

  const receiveOnce = async (take: (incoming: Incoming) => void): Promise<void> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queue,
      MaxNumberOfMessages: MAX_ENTRIES,
      WaitTimeSeconds: seconds(WAIT_MS),
      VisibilityTimeout: seconds(sessionMs),
      MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId', 'SentTimestamp'],
    })
    const { Messages: messages = [] } = await ask((client, { abortSignal }) => {
      const signal = AbortSignal.any([abortSignal, stopped.signal])
      return client.send(command, { abortSignal: signal })
    }, WAIT_MS)
    for (const raw of messages) inHand.add(raw.ReceiptHandle ?? '')
    for (const raw of messages) take(toIncoming(raw))
  }

  const receive = async (take: (incoming: Incoming) => void): Promise<void> => {
    try {
      while (!stopped.signal.aborted) {
        if (inHand.size < prefetch) await receiveOnce(take)
        else {
          hasRoom = Promise.withResolvers<void>()
          await hasRoom.promise
        }
      }
    } catch {
      ended.resolve()
    }
  }

  const toIncoming = (raw: SqsMessage): Incoming => {
    const receipt = raw.ReceiptHandle ?? ''
    const id = raw.MessageId ?? ''
    return {
      ref: { queue: `${topic}.${group}`, messageId: id },
      redelivered: Number(raw.Attributes?.ApproximateReceiveCount ?? 1) > 1,
      read: () => fromDelivery(raw, topic),
      raw: () => ({ id, headers: {}, body: Buffer.from(raw.Body ?? '') }),
      ack() {
        inHand.delete(receipt)
        hasRoom.resolve()
        done.push(receipt)
        if (done.length >= MAX_ENTRIES) acknowledging?.now()
        else if (done.length === 1) setTimeout(() => acknowledging?.now(), GATHER_MS)
      },
    }
  }

  const acknowledge = async (): Promise<void> => {
    try {
      while (done.length > 0) {
        const entries = entriesOf(done.splice(0, MAX_ENTRIES))
        const command = new DeleteMessageBatchCommand({ QueueUrl: queue, Entries: entries })
        await ask((client, options) => client.send(command, options))
      }
    } catch {
      // They come again, and the inbox knows them.
      ended.resolve()
    }
  }

  /** The session ends where a message was given to another member meanwhile. */
  const setVisible = async (receipts: readonly string[], afterMs: number): Promise<void> => {
    for (let at = 0; at < receipts.length; at += MAX_ENTRIES) {
      const entries = entriesOf(receipts.slice(at, at + MAX_ENTRIES))
      const command = new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queue,
        Entries: entries.map((each) => ({
          ...each,
          VisibilityTimeout: afterMs === 0 ? 0 : seconds(afterMs),
        })),
      })
      const { Failed: failed = [] } = await ask((client, options) => client.send(command, options))
      const lost = failed.map(({ Id: id }) => entries[Number(id)]?.ReceiptHandle ?? '')
      if (lost.some((receipt) => inHand.has(receipt))) ended.resolve()
    }
  }

  const renew = async (): Promise<void> => {
    await setVisible([...inHand], sessionMs).catch(() => ended.resolve())
  }

  const stop = async (): Promise<void> => {
    stopped.abort()
    hasRoom.resolve()
    await Promise.all([receiving, renewing?.stop()])
    await acknowledging?.stop()
  }

  return {
    name: `${topic}.${group}`,
    async open(take) {
      acknowledging = repeat(sessionMs, acknowledge)
      renewing = repeat(sessionMs / SIGNS_OF_LIFE, renew)
      receiving = receive(take)
      return { ended: ended.promise.then(stop) }
    },
    async close() {
      await stop()
      await acknowledge()
      // Others may have them at once.
      await setVisible([...inHand], 0)
    },
  }
}

function entriesOf(receipts: readonly string[]) {
  return receipts.map((receipt, at) => ({ Id: String(at), ReceiptHandle: receipt }))
}
