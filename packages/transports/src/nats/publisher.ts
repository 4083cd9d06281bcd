import { jetstream } from '@nats-io/jetstream'
import { delivered, retryLater, type Outcome } from '@posthorn/engine'
import { TransportError, UnreachableError } from '../errors.ts'
import { partitionOfKey } from '../names.ts'
import { publishEach } from '../deliver/publish-each.ts'
import type { Connection } from './connection.ts'
import { findStream, manage, subjectOf, type StreamOptions } from './streams.ts'
import type { Publication } from './wire.ts'

export interface PublisherOptions {
  readonly connection: Connection
  readonly timeoutMs: number
  /** How missing streams are made; undefined: they are not. */
  readonly making: StreamOptions | undefined
}

export interface Publisher {
  /** Publishes all at once and waits for the word on each. */
  publish(wave: readonly Publication[]): Promise<readonly Outcome[]>
}

export function createPublisher({ connection, timeoutMs, making }: PublisherOptions): Publisher {
  const partitionsOf = new Map<string, number>()
  let turn = 0

  /** Finds the streams of a wave; `unusable` has the outcome for those that cannot be used. */
  const prepare = async (wave: readonly Publication[]) => {
    const client = await connection.open()
    const unusable = new Map<string, Outcome>()
    for (const topic of new Set(wave.map((publication) => publication.topic))) {
      if (partitionsOf.has(topic)) continue
      try {
        const stream = await findStream(await manage(client, timeoutMs), topic, making)
        if (stream) partitionsOf.set(topic, stream.partitions)
        else unusable.set(topic, retryLater(new TransportError('TOPIC_MISSING')))
      } catch (error) {
        if (client.isClosed()) throw new UnreachableError('connection lost', { cause: error })
        unusable.set(topic, retryLater(error))
      }
    }
    return { client, stream: jetstream(client, { timeout: timeoutMs }), unusable }
  }

  const send = async (
    { client, stream, unusable }: Awaited<ReturnType<typeof prepare>>,
    { topic, key, headers, body }: Publication,
  ): Promise<Outcome> => {
    const outcome = unusable.get(topic)
    if (outcome) return outcome
    const partitions = partitionsOf.get(topic) ?? 1
    const partition = key === undefined ? turn++ % partitions : partitionOfKey(key, partitions)
    try {
      const subject = subjectOf(topic, partition)
      const { seq } = await stream.publish(subject, body, { headers, timeout: timeoutMs })
      return delivered({ partition, seq })
    } catch (cause) {
      // No answer may also mean that the stream was deleted: it is looked for again.
      partitionsOf.delete(topic)
      // The server may have taken it: a lost connection also loses the answer.
      const isLost = client.isClosed()
      return retryLater(
        isLost ? new TransportError('CONNECTION_LOST', undefined, { cause }) : cause,
      )
    }
  }

  return {
    publish: (wave) => publishEach(wave, { connection, timeoutMs, prepare, send }),
  }
}
