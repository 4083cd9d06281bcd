import type { Consumer, Log } from '@posthorn/engine'
import {
  IS_CONTROL,
  type ConnectionPool,
  type Consumer as KafkaConsumer,
  type KafkaRecord,
  ListOffsetTimestamps,
} from '@platformatic/kafka'
import { TransportError } from '../errors.ts'
import { workOf, workOfUnreadable, type Work } from '../consume/handling.ts'
import type { PartitionReader, Received } from '../consume/partition-reader.ts'
import { isRecord, tree } from './failure.ts'
import { unframe, bodyOf, fromRecord, headersOf, idOf, type Coordinates } from './wire.ts'

type FetchResponse = Awaited<ReturnType<KafkaConsumer['fetch']>>
type FetchResponsePartition = FetchResponse['responses'][number]['partitions'][number]

export interface FetcherOptions {
  readonly client: KafkaConsumer
  /** Of its own: a broker works on one request of a connection at a time, and a fetch waits. */
  readonly pool: ConnectionPool
  readonly consumer: Consumer
  readonly log: Log
  readonly from: From
}

/** How much of a partition is fetched at once; a larger message comes alone. */
const PARTITION_BYTES = 1024 * 1024
const FETCH_BYTES = 16 * 1024 * 1024
const OFFSET_OUT_OF_RANGE = 1

/** Feeds the readers of partitions; throws when a broker cannot be asked. */
export class Fetcher {
  readonly #options: FetcherOptions

  constructor(options: FetcherOptions) {
    this.#options = options
  }

  /** Waits up to `maxWaitMs` at the broker for something to come. */
  async feed(readers: readonly PartitionReader[], maxWaitMs: number): Promise<void> {
    const { client, consumer } = this.#options
    const { topics } = await client.metadata({ topics: [consumer.topic] })
    const topic = topics.get(consumer.topic)
    if (!topic) throw new TransportError('TOPIC_MISSING', `there is no topic "${consumer.topic}"`)
    const byLeader = Map.groupBy(readers, (r) => topic.partitions[r.partition]?.leader ?? -1)
    await Promise.all(
      [...byLeader].map(([node, mine]) =>
        this.#feedFrom(node, mine, { topicId: topic.id, maxWaitMs }),
      ),
    )
  }

  async #feedFrom(
    node: number,
    readers: readonly PartitionReader[],
    { topicId, maxWaitMs }: { topicId: string; maxWaitMs: number },
  ): Promise<void> {
    const { client, pool } = this.#options
    const partitions = readers.map(({ partition, next }) => ({
      partition,
      fetchOffset: BigInt(next),
      partitionMaxBytes: PARTITION_BYTES,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
    }))
    const response = await client
      .fetch({
        node,
        connectionPool: pool,
        topics: [{ topicId, partitions }],
        maxWaitTime: maxWaitMs,
        minBytes: 1,
        maxBytes: FETCH_BYTES,
      })
      .catch((error: unknown) => this.#rewind(readers, error))
    for (const reader of readers) {
      for (const partition of partitionsOf(response)) {
        if (partition.partitionIndex === reader.partition) this.#give(reader, partition)
      }
    }
  }

  /** Readers that the topic's retention has left behind go on where there still is something. */
  async #rewind(readers: readonly PartitionReader[], error: unknown): Promise<undefined> {
    const { client, log, consumer, from } = this.#options
    const { topic, group } = consumer
    const answers = [...tree(error)].flatMap((each) => partitionsOf(each['response']))
    const gone = answers.filter(({ errorCode }) => errorCode === OFFSET_OUT_OF_RANGE)
    if (gone.length === 0) throw error
    const partitions = [...new Set(gone.map(({ partitionIndex }) => partitionIndex))]
    const offsets = await endOffsets(client, { topic, from }, partitions)
    for (const reader of readers) {
      const next = offsets.get(reader.partition)
      if (next === undefined) continue
      const { partition, next: asked } = reader
      log.error(
        { topic, group, partition, asked, next },
        'offset out of range: messages were lost; reading continues',
      )
      reader.give([], next)
    }
  }

  #give(reader: PartitionReader, { partitionIndex, records }: FetchResponsePartition): void {
    const { topic } = this.#options.consumer
    const received: Received[] = []
    let { next } = reader
    for (const batch of records ?? []) {
      const first = Number(batch.firstOffset)
      // A batch comes whole, also if only its end was asked for; control records are Kafka's own.
      for (const record of batch.attributes & IS_CONTROL ? [] : batch.records) {
        const offset = first + record.offsetDelta
        if (offset < reader.next) continue
        const timestampMs = Number(batch.firstTimestamp + record.timestampDelta)
        const at = { topic, partition: partitionIndex, offset, timestampMs }
        received.push({ offset, work: this.#workFor(record, at) })
      }
      next = Math.max(next, first + batch.lastOffsetDelta + 1)
    }
    reader.give(received, next)
  }

  #workFor(record: KafkaRecord, at: Coordinates): Work {
    const { consumer } = this.#options
    const { schemaId } = unframe(bodyOf(record))
    const ref = {
      ...{ partition: at.partition, offset: String(at.offset) },
      ...(schemaId !== undefined && { schemaId }),
    }
    const place = { partition: at.partition, offset: at.offset }
    try {
      return workOf(consumer, fromRecord(record, at), { ref, place })
    } catch (error) {
      const { topic, group } = consumer
      const raw = { topic, group, ref, headers: headersOf(record), body: bodyOf(record) }
      return workOfUnreadable(raw, { id: idOf(at), place }, error)
    }
  }
}

function partitionsOf(response: unknown): FetchResponsePartition[] {
  return isFetchResponse(response) ? response.responses.flatMap((topic) => topic.partitions) : []
}

function isFetchResponse(value: unknown): value is FetchResponse {
  return isRecord(value) && Array.isArray(value['responses'])
}

/** Where a group begins in a partition it has never read, or whose place is gone. */
export type From = 'earliest' | 'latest'

/** Where the group is in each partition; where it never was, at the beginning or the end. */
export async function startOffsets(
  client: KafkaConsumer,
  { topic, from }: { topic: string; from: From },
  partitions: number[],
): Promise<Map<number, number>> {
  const offsets = new Map<number, number>()
  if (partitions.length === 0) return offsets
  const committed = await client.listCommittedOffsets({ topics: [{ topic, partitions }] })
  for (const partition of partitions) {
    const offset = committed.get(topic)?.[partition] ?? -1n
    if (offset >= 0n) offsets.set(partition, Number(offset))
  }
  const missing = partitions.filter((partition) => !offsets.has(partition))
  const ends = await endOffsets(client, { topic, from }, missing)
  return new Map([...offsets, ...ends])
}

/** The first offset that is still there, or the next to be written. */
async function endOffsets(
  client: KafkaConsumer,
  { topic, from }: { topic: string; from: From },
  partitions: number[],
): Promise<Map<number, number>> {
  if (partitions.length === 0) return new Map()
  const offsets = await client.listOffsets({
    topics: [topic],
    partitions: { [topic]: partitions },
    timestamp: ListOffsetTimestamps[from === 'earliest' ? 'EARLIEST' : 'LATEST'],
  })
  return new Map(partitions.map((each) => [each, Number(offsets.get(topic)?.[each] ?? 0n)]))
}
