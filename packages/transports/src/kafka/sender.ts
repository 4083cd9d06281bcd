import { delivered, type Outcome, DeliveryError } from '@posthorn/engine'
import { Semaphore, sleep } from '@posthorn/engine/internal'
import { ProduceAcks, type Producer, UserError, type Admin } from '@platformatic/kafka'
import type { Faulty } from '../deliver/gate.ts'
import { hasMoved, isNotReady, outcomeOfCode, outcomeOfError, tree, isAnswer } from './failure.ts'
import type { OutgoingRecord } from './wire.ts'
import { TransportError } from '../errors.ts'

export type StringProducer = Producer<string, string | Buffer, string, string>

/** A record whose partition is known. */
export type Addressed = OutgoingRecord & { readonly partition: number }

/** Takes records to Kafka in one request for each broker; a partition's records go or fail together. */
export interface Sender {
  send(records: readonly Addressed[]): Promise<(Outcome | Faulty)[]>
}

/** How often, and how far apart, records are sent again which the brokers are not ready for. */
const NOT_READY_TRIES = 10
const NOT_READY_WAIT_MS = 100

export function createSender(producer: StringProducer): Sender {
  // One request at a time keeps the sequence numbers of the idempotent producer in line: with two
  // under way, the failure of the first makes the broker refuse the second.
  const turn = new Semaphore(1)
  return {
    send: (records) => turn.run(() => sendUntilReady(producer, records)),
  }
}

/**
 * A new topic, an election, a restart: for a moment a partition's leader is not where it was, or the
 * broker has no producer id to give, which it must ask the controller for.
 */
async function sendUntilReady(
  producer: StringProducer,
  records: readonly Addressed[],
): Promise<(Outcome | Faulty)[]> {
  const results = new Map<Addressed, Outcome | Faulty>()
  let rest = records
  for (let tries = 1; rest.length > 0; tries++) {
    const early = await sendOnce(producer, rest, results)
    if (early.length === 0 || tries === NOT_READY_TRIES) break
    rest = early
    producer.clearMetadata()
    await sleep(NOT_READY_WAIT_MS)
  }
  return records.flatMap((record) => results.get(record) ?? [])
}

/** Notes the result of each record; returns those that no broker was ready for. */
async function sendOnce(
  producer: StringProducer,
  records: readonly Addressed[],
  results: Map<Addressed, Outcome | Faulty>,
): Promise<Addressed[]> {
  const { partitions, rest, nothingSent } = await produce(producer, records)
  const places = new Map<string, number>()
  return records.filter((record) => {
    const { topic, partition } = record
    const name = `${topic}:${partition}`
    const place = places.get(name) ?? 0
    places.set(name, place + 1)
    const answer = partitions.get(name)
    const appended = answer !== undefined && answer.errorCode === 0
    if (appended) {
      results.set(
        record,
        delivered({ partition, offset: String(answer.baseOffset + BigInt(place)) }),
      )
    } else {
      results.set(record, answer ? outcomeOfCode(answer.errorCode, answer.errorMessage) : rest)
    }
    return answer === undefined ? nothingSent : hasMoved(answer.errorCode)
  })
}

interface PartitionAnswer {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly baseOffset: bigint
}

interface Answers {
  /** By `topic:partition`. */
  readonly partitions: Map<string, PartitionAnswer>
  /** For partitions about which no broker said anything. */
  readonly rest: Outcome
  /** The brokers were not ready for the request as a whole: no record has left this process. */
  readonly nothingSent: boolean
}

async function produce(producer: StringProducer, records: readonly Addressed[]): Promise<Answers> {
  const partitions: Answers['partitions'] = new Map()
  const noteAppended = ({ topic, partition, offset }: Appended): void =>
    void partitions.set(`${topic}:${partition}`, {
      errorCode: 0,
      errorMessage: null,
      baseOffset: offset,
    })
  try {
    const sent = await producer.send({
      messages: [...records],
      acks: ProduceAcks.ALL,
      idempotent: true,
    })
    sent.offsets?.forEach(noteAppended)
    const rest = outcomeOfError(new Error('Kafka did not mention the partition'))
    return { partitions, rest, nothingSent: false }
  } catch (error) {
    // Some brokers or partitions may have said yes all the same.
    for (const each of tree(error)) {
      const { produced, response } = each as { produced?: Produced; response?: ProduceAnswer }
      produced?.offsets?.forEach(noteAppended)
      for (const { name, partitionResponses } of response?.responses ?? []) {
        for (const answer of partitionResponses ?? []) {
          partitions.set(`${name}:${answer.index}`, answer)
        }
      }
    }
    const nothingSent = partitions.size === 0 && isNotReady(error)
    return { partitions, rest: outcomeOfError(error), nothingSent }
  }
}

interface Appended {
  topic: string
  partition: number
  offset: bigint
}

interface Produced {
  offsets?: Appended[]
}

interface ProduceAnswer {
  responses?: { name: string; partitionResponses?: (PartitionAnswer & { index: number })[] }[]
}

/** How topics that do not exist are made; undefined: they are not. */
export interface TopicCreation {
  /** Default 8. */
  readonly partitions?: number
  /** Copies of each partition. Default: the broker's own default. */
  readonly replicas?: number
}

/** Any client of the library: all of them know metadata. */
type Client = Pick<Admin, 'metadata'>

/** A new topic shows up in the brokers' metadata with a delay; so does a leader after an election. */
const APPEARS_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 50

interface TopicMaking {
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
