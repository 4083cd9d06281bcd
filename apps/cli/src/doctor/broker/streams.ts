import { sqsOptionsOf, type BrokerAccess } from '@posthorn/server'
import { natsTransport } from '@posthorn/transports/nats'
import { redisTransport, type RedisTransport } from '@posthorn/transports/redis'
import { sqsTransport } from '@posthorn/transports/sqs'
import { pluralise } from '../../terminal/words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { judgeBacklog, type Topology } from './topology.ts'

/** Whether the topics have streams, and how far the groups are behind. */
export async function checkNats(
  { address, tls }: BrokerAccess,
  topology: Topology,
): Promise<Finding[]> {
  const transport = natsTransport({ url: address, ...(tls && { tls }) })
  return closing(transport, () =>
    checkTopics(transport, topology, {
      check: 'nats',
      count: (topic) => transport.partitions(topic),
      found: (partitions) => `a stream with ${pluralise(partitions, 'partition')}`,
      missing: 'has no stream yet',
      todo: 'the first message makes it, with 8 partitions; make it yourself to choose',
    }),
  )
}

/** Whether the topics have queues, and how far the groups are behind. */
export async function checkSqs(access: BrokerAccess, topology: Topology): Promise<Finding[]> {
  const transport = sqsTransport(sqsOptionsOf(access))
  return closing(transport, () =>
    checkTopics(transport, topology, {
      check: 'sqs',
      count: (topic) => transport.queues(topic),
      found: (queues) => pluralise(queues, 'queue'),
      missing: 'has no queue yet',
      todo: 'its messages wait until a group has made one',
    }),
  )
}

/** Whether the server keeps what it takes, the topics have streams, and how far the groups are behind. */
export async function checkRedis(
  { address, tls }: BrokerAccess,
  topology: Topology,
): Promise<Finding[]> {
  const transport = redisTransport({ url: address, ...(tls && { tls }) })
  return closing(transport, async () => [
    ...judgeDurability(await transport.durability()),
    ...(await checkTopics(transport, topology, {
      check: 'redis',
      count: (topic) => transport.partitions(topic),
      found: (partitions) => pluralise(partitions, 'stream'),
      missing: 'has no streams yet',
      todo: 'the first message makes it, with 8 partitions',
    })),
  ])
}

function judgeDurability({
  version,
  appendOnly,
  evictionPolicy,
}: Awaited<ReturnType<RedisTransport['durability']>>): Finding[] {
  const findings: Finding[] = []
  if (!appendOnly) {
    const todo = 'messages that were delivered are lost with its process: set appendonly yes'
    findings.push(warn('redis', 'it keeps no append-only file', todo))
  }
  if (evictionPolicy !== 'noeviction') {
    const todo = 'streams may be dropped when its memory is full: set maxmemory-policy noeviction'
    findings.push(warn('redis', `it evicts by ${evictionPolicy}`, todo))
  }
  if (findings.length > 0) return findings
  return [ok('redis', `version ${version} writes what it takes to its disk and evicts nothing`)]
}

interface TopicWords {
  readonly check: string
  /** How many streams or queues a topic has. */
  readonly count: (topic: string) => Promise<number>
  readonly found: (count: number) => string
  readonly missing: string
  readonly todo: string
}

async function checkTopics(
  transport: { lag(group: Topology['groups'][number]): Promise<number> },
  { topics, groups }: Topology,
  { check, count, found, missing, todo }: TopicWords,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const topic of topics) {
    const parts = await count(topic)
    findings.push(
      parts === 0
        ? warn(check, `topic ${topic} ${missing}`, { todo, run: 'posthorn start' })
        : ok(check, `topic ${topic}: ${found(parts)}`),
    )
  }
  for (const group of groups) {
    const lag = await transport.lag(group)
    const says = `group ${group.group} of ${group.topic}: ${pluralise(lag, 'message')} behind`
    findings.push(judgeBacklog(check, says, lag))
  }
  return findings
}

async function closing(
  transport: { close(): Promise<void> },
  look: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await look()
  } finally {
    await transport.close()
  }
}
