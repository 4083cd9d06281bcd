import { createSocket } from 'node:dgram'

/** The one name that has an address: the loopback's. */
export const KNOWN_NAME = 'neighbour.example'

export interface NameServer {
  /** As resolvers take it: `127.0.0.1:5353`. */
  readonly address: string
  close(): void
}

const IPV4 = 1

/**
 * A name server on the loopback: it knows one name, says of every other once that it has no address,
 * and is silent from then on.
 */
export async function openNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked = new Set<string>()
  socket.on('message', (query, from) => {
    const end = endOfName(query)
    const question = query.subarray(12, end + 4)
    const isKnown = nameIn(question) === KNOWN_NAME
    const key = question.toString('latin1').toLowerCase()
    if (!isKnown && asked.has(key)) return
    asked.add(key)
    const hasAddress = isKnown && query.readUInt16BE(end) === IPV4
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    // An answer, without an error, to one question.
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(hasAddress ? 1 : 0, 6)
    // A pointer to the name in the question, IPv4, Internet, a second, four bytes.
    const record = Buffer.from('c00c00010001000000010004'.concat('7f000001'), 'hex')
    const answer = [head, question, ...(hasAddress ? [record] : [])]
    socket.send(Buffer.concat(answer), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() }
}

function endOfName(query: Buffer): number {
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) at += length + 1
  return at + 1
}

function nameIn(question: Buffer): string {
  const labels: string[] = []
  let at = 0
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return labels.join('.').toLowerCase()
}
