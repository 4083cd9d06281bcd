import type { Delivery, Message } from '@posthorn/engine'
import {
  compatibilityPartitioner,
  type KafkaRecord,
  type MessageToProduce,
} from '@platformatic/kafka'
import {
  fromCloudEvent,
  idOfCoordinates,
  kafkaBinding,
  writeCloudEvent,
  type Headers,
} from '../cloudevents.ts'
import { checkName } from '../names.ts'

/** A record to be produced; its value is JSON, or bytes that have JSON in them. */
export type OutgoingRecord = MessageToProduce<string, string | Buffer, string, string>

/** A message on its way: its record and about how many bytes that takes in a batch. */
export interface Outgoing {
  readonly record: OutgoingRecord & { readonly value: string }
  readonly bytes: number
}

/** Per record: lengths, timestamp, offset, attributes. */
const RECORD_OVERHEAD = 64
/** Per header: two lengths. */
const HEADER_OVERHEAD = 4

/** Writes a message; throws `MESSAGE_UNENCODABLE` or `TOPIC_INVALID` for one that cannot go. */
export function toOutgoing({ message, destination }: Delivery, source: string): Outgoing {
  const { key } = message
  const headers = new Map<string, string>()
  let bytes = RECORD_OVERHEAD + Buffer.byteLength(key ?? '')
  const value = writeCloudEvent(message, { binding: kafkaBinding, source }, (name, text) => {
    headers.set(name, text)
    bytes += HEADER_OVERHEAD + Buffer.byteLength(name) + Buffer.byteLength(text)
  })
  const topic = checkName(destination.topic)
  const record = { topic, value, headers, ...(key !== undefined && { key }) }
  return { record, bytes: bytes + Buffer.byteLength(value) }
}

/** The partition that the Java client would choose for the key: murmur2, sign bit cleared. */
export function partitionOf(key: string, partitions: number): number {
  const unused = { topic: '' }
  return compatibilityPartitioner(unused, Buffer.from(key)) % partitions
}

export interface Coordinates {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestampMs: number
}

/**
 * Reads a record. One that has no CloudEvents headers gets an id from its coordinates (the same at
 * every delivery), the topic as its type, and Kafka's key and time.
 */
export function fromRecord(record: KafkaRecord, at: Coordinates): Message {
  const { topic, timestampMs } = at
  const wire = { headers: headersOf(record), body: unframe(bodyOf(record)).body }
  return fromCloudEvent(wire, kafkaBinding, {
    id: () => idOf(at),
    type: topic,
    key: record.key?.toString(),
    occurredAt: new Date(timestampMs),
  })
}

/** The same at every delivery. */
export function idOf({ topic, partition, offset, timestampMs }: Coordinates): string {
  return idOfCoordinates(timestampMs, `${topic}/${partition}/${offset}`)
}

/** A record without a value (a tombstone) is a message whose payload is null. */
export function bodyOf(record: KafkaRecord): Buffer {
  return record.value ?? Buffer.from('null')
}

/** A header without a value is one that is not there: so Kafka Connect writes an empty column. */
export function headersOf(record: KafkaRecord): Headers {
  return Object.fromEntries(
    record.headers.flatMap(([name, value]) =>
      value ? [[name?.toString() ?? '', value.toString()]] : [],
    ),
  )
}

/** What a record begins with that names its schema; JSON never does. */
const MAGIC = 0
/** The magic byte, and the id in four. */
const PREFIX_BYTES = 5

/** JSON behind the id of its schema, as Confluent's serializers write it. */
export function frameJson(schemaId: number, json: string): Buffer {
  const framed = Buffer.alloc(PREFIX_BYTES + Buffer.byteLength(json))
  framed.writeUInt8(MAGIC)
  framed.writeUInt32BE(schemaId, 1)
  framed.write(json, PREFIX_BYTES)
  return framed
}

/** The id of the schema that a value names, and what is behind it; the value itself where it names none. */
export function unframe(value: Buffer): { schemaId: number | undefined; body: Buffer } {
  const isFramed = value.byteLength >= PREFIX_BYTES && value[0] === MAGIC
  if (!isFramed) return { schemaId: undefined, body: value }
  return { schemaId: value.readUInt32BE(1), body: value.subarray(PREFIX_BYTES) }
}
