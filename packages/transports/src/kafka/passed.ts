import type { Destination, Reference } from '@posthorn/engine'
import type { Admin } from '@platformatic/kafka'
import { groupIdOf, groupOf } from '../names.ts'

/** For each message, in order: whether its destination's group has committed past it. */
export async function arePassed(
  admin: Admin,
  sent: readonly { destination: Destination; ref: Reference }[],
): Promise<boolean[]> {
  const places = sent.map(({ destination, ref }) => ({
    group: groupOf(destination) && groupIdOf(destination.topic, groupOf(destination)),
    topic: destination.topic,
    partition: Number(ref['partition']),
    offset: BigInt(ref['offset'] ?? 0),
  }))
  const committed = new Map<string, bigint>()
  for (const [groupId, mine] of Map.groupBy(places, ({ group }) => group)) {
    if (groupId === '') continue
    const byTopic = Map.groupBy(mine, ({ topic }) => topic)
    const topics = [...byTopic].map(([name, each]) => ({
      name,
      partitionIndexes: [...new Set(each.map(({ partition }) => partition))],
    }))
    for (const group of await admin.listConsumerGroupOffsets({ groups: [{ groupId, topics }] })) {
      for (const { name, partitions } of group.topics) {
        for (const { partitionIndex, committedOffset } of partitions) {
          committed.set(`${groupId}/${name}/${partitionIndex}`, committedOffset)
        }
      }
    }
  }
  return places.map(
    ({ group, topic, partition, offset }) =>
      (committed.get(`${group}/${topic}/${partition}`) ?? -1n) > offset,
  )
}
