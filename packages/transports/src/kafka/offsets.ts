import { ListOffsetTimestamps, type Consumer as KafkaConsumer } from '@platformatic/kafka'

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
export async function endOffsets(
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
