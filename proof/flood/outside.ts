import { createServer } from 'node:http'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { createSocket } from 'node:dgram'

/** Receives the webhooks of the organisation that does nothing unusual. */
export interface Receiver {
  readonly url: string
  /** When a webhook about a payment first came, by `performance.now()`. */
  arrivalOf(payment: string): number | undefined
  close(): void
}

/** `host` is a name of the loopback's for those who send to it. */
export async function openReceiver(host: string): Promise<Receiver> {
  const arrivals = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const id = /"paymentId":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1]
      if (id !== undefined && !arrivals.has(id)) arrivals.set(id, performance.now())
      response.end()
    })
  })
  return {
    url: (await listen(server)).replace('127.0.0.1', host),
    arrivalOf: (payment) => arrivals.get(payment),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Takes every connection and says nothing. */
export async function openSilent(): Promise<{ readonly url: string; close(): void }> {
  const open = new Set<Socket>()
  const server = createTcpServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => void open.delete(socket))
    socket.resume()
  })
  return {
    url: await listen(server),
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

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
