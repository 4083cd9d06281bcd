import { sqsOptionsOf, type BrokerAccess, type Opened } from '@posthorn/server'
import { natsTransport } from '@posthorn/transports/nats'
import { redisTransport, type RedisTransport } from '@posthorn/transports/redis'
import { sqsTransport } from '@posthorn/transports/sqs'
import { AMQPClient, AMQPError, type AMQPChannel } from '@cloudamqp/amqp-client'
import { pluralise, number } from '../../terminal/words.ts'
import { ok, warn, type Finding } from '../finding.ts'

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
      todo: 'the first message creates it, with 8 partitions; create it yourself for another number',
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
      todo: 'its messages wait until a group creates one',
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
      todo: 'the first message creates it, with 8 partitions',
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
    findings.push(warn('redis', 'it has no append-only file', todo))
  }
  if (evictionPolicy !== 'noeviction') {
    const todo = 'streams may be dropped when its memory is full: set maxmemory-policy noeviction'
    findings.push(warn('redis', `it evicts by ${evictionPolicy}`, todo))
  }
  if (findings.length > 0) return findings
  return [ok('redis', `version ${version} stores on disk and evicts nothing`)]
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

/** What the systems send to and read from at one broker. */
export interface Topology {
  /** Topics of destinations that do not depend on the message, and of consumers. */
  readonly topics: readonly string[]
  readonly groups: readonly { readonly topic: string; readonly group: string }[]
}

export function topologyOf(
  { outboxes, consumers, queues }: Pick<Opened, 'outboxes' | 'consumers' | 'queues'>,
  transport: string,
): Topology {
  const sent = outboxes.flatMap(({ destination }) =>
    typeof destination === 'function' || destination.transport !== transport
      ? []
      : [destination.topic],
  )
  const groups = [...consumers, ...queues]
    .filter((each) => each.transport === transport)
    .map(({ topic, group }) => ({ topic, group }))
  const unique = new Map(groups.map((each) => [`${each.topic} ${each.group}`, each]))
  return {
    topics: [...new Set([...sent, ...groups.map(({ topic }) => topic)])].toSorted(),
    groups: [...unique.values()],
  }
}

const MANY_MESSAGES = 100_000

/** Judges how many messages a group has not read yet. */
export function judgeBacklog(check: string, says: string, messages: number): Finding {
  if (messages <= MANY_MESSAGES) return ok(check, says)
  const todo = `more than ${number(MANY_MESSAGES)} wait: start more workers, or find out why they are slow`
  return warn(check, says, { todo, run: 'posthorn start --role worker' })
}

/** Whether the exchanges and the groups' queues are there, and whether consumers read them. */
export async function checkRabbitmq(
  { address, tls }: BrokerAccess,
  { topics, groups }: Topology,
): Promise<Finding[]> {
  const client = new AMQPClient(address, tls)
  client.onerror = () => undefined
  await client.connect()
  try {
    const findings: Finding[] = []
    for (const topic of topics) findings.push(await checkExchange(client, topic))
    for (const group of groups) findings.push(await checkQueue(client, group))
    return findings
  } finally {
    await client.close().catch(() => undefined)
  }
}

async function checkExchange(client: AMQPClient, topic: string): Promise<Finding> {
  const found = await passively(client, (channel) =>
    channel.exchangeDeclare(topic, 'topic', { passive: true }).then(() => true),
  )
  if (found) return ok('rabbitmq', `exchange ${topic} exists`)
  const todo = 'the first message creates it; start a relay and a worker'
  return warn('rabbitmq', `exchange ${topic} does not exist yet`, { todo, run: 'posthorn start' })
}

async function checkQueue(
  client: AMQPClient,
  { topic, group }: Topology['groups'][number],
): Promise<Finding> {
  const name = `${topic}.${group}`
  const queue = await passively(client, (channel) => channel.queueDeclare(name, { passive: true }))
  if (!queue) {
    const says = `queue ${name} does not exist yet: earlier messages will not reach ${group}`
    const todo = 'start a worker, which creates it'
    return warn('rabbitmq', says, { todo, run: 'posthorn start --role worker' })
  }
  const { messageCount, consumerCount } = queue
  const says = `queue ${name}: ${pluralise(messageCount, 'message')}, ${pluralise(consumerCount, 'reader')}`
  if (consumerCount > 0 || messageCount === 0) return judgeBacklog('rabbitmq', says, messageCount)
  return warn('rabbitmq', says, { todo: 'start a worker', run: 'posthorn start --role worker' })
}

/** Looks without making anything; the broker answers with the end of the channel if it is not there. */
async function passively<Found>(
  client: AMQPClient,
  look: (channel: AMQPChannel) => Promise<Found>,
): Promise<Found | undefined> {
  const channel = await client.channel()
  channel.onerror = () => undefined
  try {
    const found = await look(channel)
    await channel.close()
    return found
  } catch (error) {
    if (error instanceof AMQPError && /\b404\b|NOT_FOUND/.test(error.message)) return undefined
    throw error
  }
}
