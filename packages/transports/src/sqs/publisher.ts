import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { delivered, retryLater, type Outcome } from '@posthorn/engine'
import type { WaveParts } from '../deliver/wave.ts'
import { TransportError } from '../errors.ts'
import { isQueueMissing, outcomeOf, type Ask } from './client.ts'
import type { Publication } from './wire.ts'

interface PublisherOptions {
  readonly ask: Ask
  /** The addresses of the queues that a topic leads to. */
  queuesOf(topic: string): Promise<readonly string[]>
  /** They are to be looked for again. */
  forget(topic: string): void
  /** What a request may hold. */
  readonly maxBatchBytes: number
}

/** What a request may hold at most. */
const MAX_ENTRIES = 10

/** Publishes all at once and waits for the word on each. */
export function createPublisher({
  ask,
  queuesOf,
  forget,
  maxBatchBytes,
}: PublisherOptions): WaveParts<Publication>['publish'] {
  const send = async (queue: string, batch: readonly Publication[]): Promise<Outcome[]> => {
    const command = new SendMessageBatchCommand({
      QueueUrl: queue,
      Entries: batch.map(({ body, groupId, dedupeId }, at) => ({
        Id: String(at),
        MessageBody: body,
        MessageGroupId: groupId,
        MessageDeduplicationId: dedupeId,
      })),
    })
    try {
      const answer = await ask((client, options) => client.send(command, options))
      const ids = new Map((answer.Successful ?? []).map((each) => [each.Id, each.MessageId ?? '']))
      const failures = new Map((answer.Failed ?? []).map((each) => [each.Id, each]))
      return batch.map((_, at) => {
        const id = ids.get(String(at))
        if (id !== undefined) return delivered({ messageId: id })
        const says = failures.get(String(at))?.Message ?? 'SQS did not answer for it'
        return retryLater(new TransportError('NACKED', says))
      })
    } catch (error) {
      if (isQueueMissing(error)) for (const { topic } of batch) forget(topic)
      return batch.map(() => outcomeOf(error))
    }
  }

  const publishTo = async (queue: string, wave: readonly Publication[]): Promise<Outcome[]> => {
    const batches = batchesOf(wave, maxBatchBytes)
    return (await Promise.all(batches.map((batch) => send(queue, batch)))).flat()
  }

  /** To all queues of a topic. What only some have is sent to all again, and dropped by those. */
  const publishTopic = async (topic: string, wave: readonly Publication[]): Promise<Outcome[]> => {
    try {
      const queues = await queuesOf(topic)
      if (queues.length === 0) {
        forget(topic)
        return wave.map(() => retryLater(new TransportError('UNROUTABLE', `no queue of ${topic}`)))
      }
      const all = await Promise.all(queues.map((queue) => publishTo(queue, wave)))
      return wave.map((_, at) => {
        const outcomes = all.map((each) => each[at] as Outcome)
        return outcomes.find(({ kind }) => kind !== 'delivered') ?? (outcomes[0] as Outcome)
      })
    } catch (error) {
      // Of looking for queues: no message has left.
      return wave.map(() => outcomeOf(error))
    }
  }

  return async (wave) => {
    const outcomes = new Map<Publication, Outcome>()
    const topics = Map.groupBy(wave, ({ topic }) => topic)
    await Promise.all(
      [...topics].map(async ([topic, each]) => {
        const found = await publishTopic(topic, each)
        for (const [at, publication] of each.entries()) {
          const outcome = found[at]
          if (outcome) outcomes.set(publication, outcome)
        }
      }),
    )
    return wave.map((each) => outcomes.get(each) as Outcome)
  }
}

/** As few requests as the limits allow, in the order of the wave. */
export function batchesOf(wave: readonly Publication[], maxBytes: number): Publication[][] {
  const batches: Publication[][] = []
  let room = 0
  for (const publication of wave) {
    const last = batches.at(-1)
    if (!last || last.length === MAX_ENTRIES || publication.bytes > room) {
      batches.push([publication])
      room = maxBytes - publication.bytes
    } else {
      last.push(publication)
      room -= publication.bytes
    }
  }
  return batches
}
