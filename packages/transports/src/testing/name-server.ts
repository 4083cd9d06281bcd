import { createSocket } from 'node:dgram'
import { afterAll } from 'vitest'

/** What a name server does with a question: addresses, none, an error, or no answer at all. */
export type Reply = readonly string[] | 'no such name' | 'failure' | 'silence'

export interface NameServer {
  /** As resolvers take it: `127.0.0.1:5353`. */
  readonly address: string
  /** Names that were asked for, in their order; each is asked for both families. */
  readonly asked: string[]
}

const CODES = { 'no such name': 3, failure: 2 }

/** A name server on the loopback that answers as its test says; closed after the file's tests. */
export async function openNameServer(
  reply: (name: string, family: 4 | 6) => Reply,
  ttlSeconds = 30,
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, end } = nameIn(query)
    const family = query.readUInt16BE(end) === 28 ? 6 : 4
    asked.push(name)
    const answer = reply(name, family)
    if (answer === 'silence') return
    const addresses = typeof answer === 'string' ? [] : answer
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? CODES[answer] : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(addresses.length, 6)
    const question = query.subarray(12, end + 4)
    const records = addresses.map((address) => recordOf(address, family, ttlSeconds))
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  afterAll(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  const { port } = socket.address()
  return { address: `127.0.0.1:${port}`, asked }
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function recordOf(address: string, family: 4 | 6, ttlSeconds: number): Buffer {
  const bytes =
    family === 4
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(address.replaceAll(':', ''), 'hex')
  const head = Buffer.alloc(12)
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(family === 4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttlSeconds, 6)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}
