import {
  Admin,
  ConfigResourceTypes,
  UserError,
  type ClusterTopicMetadata,
} from '@platformatic/kafka'
import { createSchemaRegistry } from '@posthorn/transports/kafka'
import { listKafkaBrokers, type BrokerAccess, type Configuration } from '@posthorn/server'
import { pluralise } from '../../terminal/words.ts'
import { examine, fail, ok, warn, type Finding } from '../finding.ts'
import type { Topology } from './queues.ts'

const TIMEOUT_MS = 5_000

/** Whether the topics are there, led, and kept on as many brokers as an acknowledgement promises. */
export async function checkKafka(
  access: BrokerAccess,
  { topics }: Topology,
  { production }: Pick<Configuration, 'production'>,
): Promise<Finding[]> {
  const { tls, sasl } = access
  const admin = new Admin({
    clientId: 'posthorn-doctor',
    bootstrapBrokers: listKafkaBrokers(access),
    ...(tls && { tls }),
    ...(sasl && { sasl }),
    connectTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    timeout: TIMEOUT_MS,
    retries: false,
  })
  try {
    const findings: Finding[] = []
    for (const topic of topics) {
      const found = await lookUp(admin, topic)
      if (!found) findings.push(reportMissing(topic))
      else
        findings.push(
          ...judge({ topic, found, production, least: await leastInSync(admin, topic) }),
        )
    }
    return [...findings, ...(await checkSchemas(access, topics))]
  } finally {
    await admin.close().catch(() => undefined)
  }
}

async function lookUp(admin: Admin, topic: string): Promise<ClusterTopicMetadata | undefined> {
  try {
    const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
    return topics.get(topic)
  } catch (error) {
    // The library's word for a topic that the brokers do not know.
    if (error instanceof UserError) return undefined
    throw error
  }
}

/** How many copies must have a message before it counts as taken. */
async function leastInSync(admin: Admin, topic: string): Promise<number> {
  const [found] = await admin.describeConfigs({
    resources: [
      {
        resourceType: ConfigResourceTypes.TOPIC,
        resourceName: topic,
        configurationKeys: ['min.insync.replicas'],
      },
    ],
  })
  return Number(found?.configs[0]?.value ?? 1)
}

function reportMissing(topic: string): Finding {
  const todo =
    'the first message creates it, with 8 partitions; create it yourself for another number'
  const run = `kafka-topics.sh --create --topic ${topic} --partitions 8 --replication-factor 3 --bootstrap-server …`
  return warn('kafka', `topic ${topic} does not exist yet`, { todo, run })
}

interface Topic {
  readonly topic: string
  readonly found: ClusterTopicMetadata
  readonly least: number
  readonly production: boolean
}

function judge({ topic, found, least, production }: Topic): Finding[] {
  const { partitions, partitionsCount } = found
  const leaderless = partitions.filter(({ leader }) => leader < 0).length
  if (leaderless > 0) {
    const says = `topic ${topic}: ${pluralise(leaderless, 'partition')} without a leader`
    return [fail('kafka', says, 'restart the brokers that have it')]
  }
  const short = partitions.filter(({ isr }) => isr.length < least).length
  if (short > 0) {
    const says = `topic ${topic}: ${pluralise(short, 'partition')} with fewer copies in sync than min.insync.replicas, ${least}; nothing is taken`
    return [fail('kafka', says, 'restart the missing brokers')]
  }
  const behind = partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length
  if (behind > 0) {
    const says = `topic ${topic}: ${pluralise(behind, 'partition')} with copies out of sync`
    return [warn('kafka', says, 'check those brokers')]
  }
  const copies = Math.min(...partitions.map(({ replicas }) => replicas.length))
  const says = `topic ${topic}: ${pluralise(partitionsCount, 'partition')}, ${copies} ${copies === 1 ? 'copy' : 'copies'}, min.insync.replicas ${least}`
  // With one copy in sync an acknowledged message is gone with the disk of one broker.
  if (!production || (copies > 1 && least > 1)) return [ok('kafka', says)]
  const todo = 'keep three copies of which two must be in sync'
  const run = `kafka-configs.sh --alter --entity-type topics --entity-name ${topic} --add-config min.insync.replicas=2 --bootstrap-server …`
  return [warn('kafka', says, copies > 1 ? { todo, run } : todo)]
}

/** Whether the topics have schemas, where subjects are named by topics: types are known to messages only. */
async function checkSchemas(
  { schemaRegistry }: BrokerAccess,
  topics: readonly string[],
): Promise<readonly Finding[]> {
  if (schemaRegistry?.subject !== 'topic') return []
  const registry = createSchemaRegistry(schemaRegistry)
  const look = async (topic: string): Promise<Finding> => {
    try {
      return ok('kafka', `topic ${topic}: schema ${await registry.idOf(topic, '')}`)
    } catch (error) {
      if (Object(error).code !== 'SCHEMA_MISSING') throw error
      const todo = 'its messages are refused: register one'
      return warn('kafka', `topic ${topic} has no schema in the registry`, todo)
    }
  }
  try {
    return await examine('kafka', () => Promise.all(topics.map(look)))
  } finally {
    await registry.close()
  }
}
