import { DeliveryError } from '@posthorn/engine'
import { sleep } from '@posthorn/operate'
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

/** A new topic shows up in the brokers' metadata with a delay; so does a leader after an election. */
const APPEARS_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 50

export interface TopicMaking {
  readonly admin: Admin
  readonly creation: TopicCreation | undefined
  /** Ends the waiting for a topic that was made. */
  readonly signal?: AbortSignal
}

/**
 * The topic's number of partitions; makes it if it is missing and that is wanted. Throws
 * `LEADER_NOT_AVAILABLE` for a topic that is there and has lost brokers, and for one that was made and
 * that the brokers do not show yet: both come by themselves.
 */
export async function partitionCount(
  client: Client,
  topic: string,
  making: TopicMaking,
): Promise<number> {
  const { admin, creation, signal } = making
  let found = await lookUp(client, topic)
  if (found === 'missing') {
    if (!creation) throw new TransportError('TOPIC_MISSING', `there is no topic "${topic}"`)
    await create(admin, topic, creation)
  }
  for (let waited = 0; typeof found !== 'number'; waited += LOOK_EVERY_MS) {
    if (waited >= APPEARS_WITHIN_MS || signal?.aborted) throw notThere(topic, found)
    await sleep(LOOK_EVERY_MS, signal)
    found = await lookUp(client, topic)
  }
  return found
}

type Absence = 'missing' | 'leaderless'

function notThere(topic: string, absence: Absence): DeliveryError {
  const says =
    absence === 'leaderless'
      ? `a partition of "${topic}" has no leader`
      : `topic "${topic}" was made, and the brokers do not show it yet`
  return new DeliveryError('LEADER_NOT_AVAILABLE', says)
}

async function lookUp(client: Client, topic: string): Promise<number | Absence> {
  try {
    const { topics } = await client.metadata({ topics: [topic] })
    const found = topics.get(topic)
    if (!found) return 'missing'
    // Without a leader no broker takes messages for the partition.
    return found.partitions.some(({ leader }) => leader < 0) ? 'leaderless' : found.partitionsCount
  } catch (error) {
    if (isAnswer(error, 'LEADER_NOT_AVAILABLE')) return 'leaderless'
    // The library's word for a topic that the brokers do not know.
    if (error instanceof UserError) return 'missing'
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
