import { randomBytes } from 'node:crypto'

/** What every message carries: JSON of this many bytes. */
export const PAYLOAD_BYTES = 512

/** How many keys the keyed contestants spread their messages over. */
export const KEYS = 1_000

/** Connections that enqueue at the same time in the latency benchmark. */
export const SENDERS = 16

export interface Payload {
  readonly body: string
}

const BODY_CHARACTERS = PAYLOAD_BYTES - JSON.stringify({ body: '' }).length
// Hexadecimal from one random block: no two messages alike, and no randomness drawn per message.
const NOISE = randomBytes(64 * 1024).toString('hex')

/** The payload of the `index`-th message. */
export function payload(index: number): Payload {
  const from = (index * 7) % (NOISE.length - BODY_CHARACTERS)
  return { body: NOISE.slice(from, from + BODY_CHARACTERS) }
}

/** The key of the `index`-th message: drawn evenly, the same in every run. */
export function key(index: number): string {
  // A step of a known mixing function (murmur3's last); keys in rotation would favour queues that take
  // one message per key at a time, keys in blocks those that take many.
  let mixed = Math.imul(index ^ (index >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return `key-${((mixed ^ (mixed >>> 16)) >>> 0) % KEYS}`
}

/** Numbers from 0 to `count`, cut into ranges of at most `size`. */
export function* chunks(count: number, size: number): Generator<number[]> {
  for (let from = 0; from < count; from += size) {
    yield Array.from({ length: Math.min(size, count - from) }, (_, i) => from + i)
  }
}

/** Makes sure that a payload came over the wire whole. Every contestant's handler calls it. */
export function read(message: unknown): void {
  if (typeof message === 'object' && message !== null && 'body' in message) {
    const { body } = message
    if (typeof body === 'string' && body.length === BODY_CHARACTERS) return
  }
  throw new Error(`not a payload that was sent: ${JSON.stringify(message)}`)
}

/** A payload that says which sample of the latency benchmark it is. */
export function samplePayload(sample: number): Payload & { readonly sample: number } {
  return { sample, ...payload(sample) }
}

export function sampleOf(message: unknown): number {
  if (typeof message === 'object' && message !== null && 'sample' in message) {
    return Number(message.sample)
  }
  throw new Error(`not a sample that was sent: ${JSON.stringify(message)}`)
}
