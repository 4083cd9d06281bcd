import { delivered, type Outcome } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/operate'
import { ProduceAcks, type Producer } from '@platformatic/kafka'
import type { Faulty } from '../gate.ts'
import { createSlots } from '../timing.ts'
import { hasMoved, outcomeOfCode, outcomeOfError, tree } from './failure.ts'
import type { OutgoingRecord } from './wire.ts'

export type StringProducer = Producer<string, string, string, string>

/** A record whose partition is known. */
export type Addressed = OutgoingRecord & { readonly partition: number }

/** Takes records to Kafka in one request for each broker; a partition's records go or fail together. */
export interface Sender {
  send(records: readonly Addressed[]): Promise<(Outcome | Faulty)[]>
}

/** How often, and how far apart, records are sent again whose partition's leader has moved. */
const MOVED_TRIES = 10
const MOVED_WAIT_MS = 100

export function createSender(producer: StringProducer): Sender {
  // One request at a time keeps the sequence numbers of the idempotent producer in line: with two
  // under way, the failure of the first makes the broker refuse the second.
  const turn = createSlots(1)
  return {
    send: (records) => turn.run(() => sendFollowingLeaders(producer, records)),
  }
}

/** A new topic, an election, a restart: for a moment a partition's leader is not where it was. */
async function sendFollowingLeaders(
  producer: StringProducer,
  records: readonly Addressed[],
): Promise<(Outcome | Faulty)[]> {
  const results = new Map<Addressed, Outcome | Faulty>()
  let rest = records
  for (let tries = 1; rest.length > 0; tries++) {
    const moved = await sendOnce(producer, rest, results)
    if (moved.length === 0 || tries === MOVED_TRIES) break
    rest = moved
    producer.clearMetadata()
    await sleep(MOVED_WAIT_MS)
  }
  return records.flatMap((record) => results.get(record) ?? [])
}

/** Notes the result of each record; returns those whose partition's leader was not there. */
async function sendOnce(
  producer: StringProducer,
  records: readonly Addressed[],
  results: Map<Addressed, Outcome | Faulty>,
): Promise<Addressed[]> {
  const { partitions, rest } = await produce(producer, records)
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
    return answer !== undefined && hasMoved(answer.errorCode)
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
    return { partitions, rest: outcomeOfError(new Error('Kafka did not mention the partition')) }
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
    return { partitions, rest: outcomeOfError(error) }
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
