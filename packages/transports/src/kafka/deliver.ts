import { refused, type Delivery, type Outcome, type Transport } from '@posthorn/engine'
import { abortedOutcome, createGate, heldBackOutcome, sendByHalves } from '../deliver/gate.ts'
import { outcomeBeforeSending } from './failure.ts'
import { frameJson, partitionOf, toOutgoing } from './wire.ts'
import { outcomeOfSchema, type SchemaRegistry } from './schema-registry.ts'
import type { Sender, Addressed } from './sender.ts'

export interface DeliverParts {
  readonly sender: Sender
  /** The topic's number of partitions. */
  readonly findTopic: (topic: string) => Promise<number>
  readonly source: string
  /** Where records name the schemas of their values. */
  readonly registry: Pick<SchemaRegistry, 'idOf'> | undefined
}

/** Writes the messages, finds their partitions and sends them in as few requests as possible. */
export function createDeliver(parts: DeliverParts): Transport['deliver'] {
  const { sender, findTopic, source, registry } = parts
  let turn = Math.floor(Math.random() * 1_000)

  const address = async (
    delivery: Delivery,
    topics: Map<string, number | Outcome>,
  ): Promise<Ready | Outcome> => {
    try {
      const { record, bytes } = toOutgoing(delivery, source)
      const { topic, key } = record
      const found = topics.get(topic) ?? (await findTopic(topic).catch(outcomeBeforeSending))
      topics.set(topic, found)
      if (typeof found !== 'number') return found
      const value = await frame(record.value, delivery)
      if (typeof value === 'object' && 'kind' in value) return value
      const partition = key === undefined ? turn++ % found : partitionOf(key, found)
      return { delivery, bytes, record: { ...record, value, partition } }
    } catch (error) {
      return refused(error)
    }
  }

  /** The value as it goes into the record; an outcome where its schema has no id. */
  const frame = async (
    json: string,
    { message, destination }: Delivery,
  ): Promise<string | Buffer | Outcome> => {
    if (!registry) return json
    const id = await registry.idOf(destination.topic, message.type).catch(outcomeOfSchema)
    return typeof id === 'number' ? frameJson(id, json) : id
  }

  return async (batch, { ordered, signal }) => {
    if (signal.aborted) return batch.map(abortedOutcome)
    // Two gates: a message that cannot be written stops what is behind it, not what is before.
    const writing = createGate(ordered)
    const sending = createGate(ordered)
    const outcomes = new Map<Delivery, Outcome>()
    const topics = new Map<string, number | Outcome>()
    let rest: Ready[] = []
    for (const delivery of batch) {
      if (!writing.admits(delivery)) continue
      const addressed = await address(delivery, topics)
      if ('record' in addressed) rest.push(addressed)
      else {
        outcomes.set(delivery, addressed)
        writing.note(delivery, addressed)
      }
    }
    while (rest.length > 0) {
      const { round, later } = nextRound(rest, { ordered })
      const records = new Map(round.map(({ delivery, record }) => [delivery, record]))
      const deliveries = [...records.keys()]
      const answers = await sendByHalves(deliveries, sending, async (admitted) => {
        if (signal.aborted) return admitted.map(abortedOutcome)
        return sender.send(admitted.flatMap((delivery) => records.get(delivery) ?? []))
      })
      deliveries.forEach((delivery, i) => outcomes.set(delivery, answers[i] ?? abortedOutcome()))
      rest = later
    }
    return batch.map((delivery) => outcomes.get(delivery) ?? heldBackOutcome())
  }
}

/** A delivery ready to go. */
export interface Ready {
  readonly delivery: Delivery
  readonly record: Addressed
  readonly bytes: number
}

/** Brokers take about 1 MB as one batch of one partition (`message.max.bytes`) by default. */
const PARTITION_BYTES = 900_000
const REQUEST_BYTES = 16 * 1024 * 1024

/**
 * What may be produced together: each partition's batch small enough for the broker and, in an
 * ordered delivery, no key in two topics (two partitions can fail apart, and the later message of
 * the key would overtake). What does not fit waits for a later round, with all behind it.
 */
export function nextRound(
  rest: readonly Ready[],
  { ordered }: { ordered: boolean },
): { round: Ready[]; later: Ready[] } {
  const round: Ready[] = []
  const later: Ready[] = []
  const sizes = new Map<string, number>()
  const topics = new Map<string, string>()
  const waiting = new Set<string>()
  let total = 0
  for (const ready of rest) {
    const { topic, partition, key } = ready.record
    const place = `partition ${topic}:${partition}`
    const size = sizes.get(place) ?? 0
    const fits =
      !waiting.has(place) &&
      (size === 0 || size + ready.bytes <= PARTITION_BYTES) &&
      (total === 0 || total + ready.bytes <= REQUEST_BYTES)
    const apart =
      ordered &&
      key !== undefined &&
      (waiting.has(`key ${key}`) || (topics.get(key) ?? topic) !== topic)
    if (fits && !apart) {
      round.push(ready)
      sizes.set(place, size + ready.bytes)
      total += ready.bytes
      if (key !== undefined) topics.set(key, topic)
    } else {
      later.push(ready)
      waiting.add(place)
      if (key !== undefined) waiting.add(`key ${key}`)
    }
  }
  return { round, later }
}
