import { sleep } from '@posthorn/engine/operate'
import { UserError, type Admin } from '@platformatic/kafka'
import { TransportError } from '../errors.ts'
import { isAnswer } from './failure.ts'

/** How topics that do not exist are made; undefined: they are not. */
export interface TopicCreation {
  /** Default 8. */
  readonly partitions?: number
  /** Copies of each partition. Default: the broker's own default. */
  readonly replicas?: number
}

/** Any client of the library: all of them know metadata. */
export type Client = Pick<Admin, 'metadata'>

/** A new topic shows up in the brokers' metadata with a delay. */
const APPEARS_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 50

/** The topic's number of partitions; makes it if it is missing and that is wanted. */
export async function partitionCount(
  client: Client,
  topic: string,
  making: { admin: Admin; creation: TopicCreation | undefined },
): Promise<number> {
  const found = await lookUp(client, topic)
  if (found !== undefined) return found
  const { admin, creation } = making
  if (!creation) throw new TransportError('TOPIC_MISSING', `there is no topic "${topic}"`)
  await create(admin, topic, creation)
  for (let waited = 0; waited < APPEARS_WITHIN_MS; waited += LOOK_EVERY_MS) {
    const made = await lookUp(client, topic)
    if (made !== undefined) return made
    await sleep(LOOK_EVERY_MS)
  }
  throw new TransportError('TOPIC_MISSING', `topic "${topic}" was made and is not there yet`)
}

async function lookUp(client: Client, topic: string): Promise<number | undefined> {
  try {
    const { topics } = await client.metadata({ topics: [topic] })
    const found = topics.get(topic)
    // Without a leader no broker takes messages for the partition yet.
    if (!found || found.partitions.some(({ leader }) => leader < 0)) return undefined
    return found.partitionsCount
  } catch (error) {
    // The library's word for a topic that the brokers do not know.
    if (error instanceof UserError || isAnswer(error, 'LEADER_NOT_AVAILABLE')) return undefined
    throw error
  }
}

async function create(admin: Admin, topic: string, creation: TopicCreation): Promise<void> {
  const { partitions = 8, replicas = -1 } = creation
  try {
    await admin.createTopics({ topics: [topic], partitions, replicas })
  } catch (error) {
    if (!isAnswer(error, 'TOPIC_ALREADY_EXISTS')) throw error
  }
}
