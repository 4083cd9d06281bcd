import { ListOffsetTimestamps, UserError, type Admin } from '@platformatic/kafka'
import { groupIdOf } from '../names.ts'

/** How many records of the topic the group has not committed; all that are kept if it never read. */
export async function lagOf(admin: Admin, topic: string, group: string): Promise<number> {
  const partitions = await partitionsOf(admin, topic)
  const at = async (timestamp: bigint) => {
    const listed = await admin.listOffsets({
      topics: [
        {
          name: topic,
          partitions: partitions.map((partitionIndex) => ({ partitionIndex, timestamp })),
        },
      ],
    })
    return new Map(
      listed.flatMap((each) => each.partitions.map((p) => [p.partitionIndex, p.offset] as const)),
    )
  }
  if (partitions.length === 0) return 0
  const [first, end] = await Promise.all([
    at(ListOffsetTimestamps.EARLIEST),
    at(ListOffsetTimestamps.LATEST),
  ])
  const groups = await admin.listConsumerGroupOffsets({
    groups: [
      { groupId: groupIdOf(topic, group), topics: [{ name: topic, partitionIndexes: partitions }] },
    ],
  })
  const committed = new Map(
    groups.flatMap(({ topics }) =>
      topics.flatMap((each) =>
        each.partitions.map((p) => [p.partitionIndex, p.committedOffset] as const),
      ),
    ),
  )
  return partitions.reduce((lag, each) => {
    const start = first.get(each) ?? 0n
    const done = committed.get(each) ?? -1n
    return lag + Number((end.get(each) ?? 0n) - (done > start ? done : start))
  }, 0)
}

async function partitionsOf(admin: Admin, topic: string): Promise<number[]> {
  try {
    const { topics } = await admin.metadata({ topics: [topic] })
    return [...(topics.get(topic)?.partitions.keys() ?? [])]
  } catch (error) {
    // The library's word for a topic that the brokers do not know.
    if (error instanceof UserError) return []
    throw error
  }
}
