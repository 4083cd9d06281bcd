import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** `up` is what the client says, `down` what the server answers. */
export type Direction = 'up' | 'down'

/** A TCP line to a server that a test can break, as if the server or the process were gone. */
export interface TcpProxy {
  readonly host: string
  readonly port: number
  /** Ends all connections and refuses new ones. */
  cut(): void
  /** Ends all connections with a reset, and takes new ones. */
  reset(): void
  /** Keeps all connections, takes new ones, and lets nothing through: both ways, or one. */
  stall(direction?: Direction): void
  /** Keeps the connections that are there and lets nothing through on them; new ones work. */
  strand(): void
  /** Lets everything through later, in order. */
  slow(delayMs: number): void
  heal(): Promise<void>
  /** Ends all connections and listens no longer. */
  close(): Promise<void>
  /**
   * Breaks the connection at the next COMMIT of a Postgres client: before the server gets it, or
   * when it has done it and before its answer comes back.
   */
  cutNextCommit(when: 'before' | 'after'): void
  /** An address of the server by way of this line. */
  by(url: string): string
}

/** One client's connection, and ours to the server. */
interface Pair {
  readonly near: Socket
  readonly far: Socket
  isStranded: boolean
}

/** `rewrite` sees what the server says before the client does; port 0 is any that is free. */
export async function createTcpProxy(
  server: { readonly host: string; readonly port: number },
  rewrite: (line: { port: number }) => (bytes: Buffer) => Buffer = () => (bytes) => bytes,
  at: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
): Promise<TcpProxy> {
  const { host } = at
  const pairs = new Set<Pair>()
  let { port } = at
  let silent: Direction | 'both' | undefined
  let delayMs = 0
  let cutting: 'before' | 'after' | undefined
  const listener = createServer((near) => {
    const far = connect(server.port, server.host)
    const pair: Pair = { near, far, isStranded: false }
    pairs.add(pair)
    const change = rewrite({ port })
    const passes = (direction: Direction) =>
      !pair.isStranded && silent !== 'both' && silent !== direction
    // What the server answers to a COMMIT that was to be cut off behind it.
    let isDeaf = false
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        end(pair)
      })
    }
    const up = lateWriter(far, () => delayMs)
    const down = lateWriter(near, () => delayMs)
    near.on('data', (bytes) => {
      if (!passes('up')) return
      if (cutting !== undefined && /\bcommit\b/i.test(bytes.toString('latin1'))) {
        const when = cutting
        cutting = undefined
        isDeaf = true
        if (when === 'before') return end(pair)
      }
      up(bytes)
    })
    far.on('data', (bytes) => {
      if (isDeaf) end(pair)
      else if (passes('down')) down(change(bytes))
    })
  })
  const endAll = () => pairs.forEach(end)
  const heal = async () => {
    // What was lost meanwhile is lost: those connections are of no use.
    if (silent !== undefined) endAll()
    for (const pair of pairs) if (pair.isStranded) end(pair)
    silent = undefined
    delayMs = 0
    if (listener.listening) return
    listener.listen(port, host)
    await once(listener, 'listening')
  }
  await heal()
  port = (listener.address() as AddressInfo).port
  return {
    host,
    port,
    cut() {
      listener.close()
      endAll()
    },
    reset: () => pairs.forEach(({ near, far }) => [near, far].forEach((s) => s.resetAndDestroy())),
    stall: (direction) => void (silent = direction ?? 'both'),
    strand: () => pairs.forEach((pair) => void (pair.isStranded = true)),
    slow: (ms) => void (delayMs = ms),
    heal,
    async close() {
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      endAll()
      await closed
    },
    cutNextCommit: (when) => void (cutting = when),
    by(url) {
      const address = new URL(url)
      address.hostname = host
      address.port = String(port)
      return address.href
    },
  }
}

function end({ near, far }: Pair): void {
  near.destroy()
  far.destroy()
}

/** Writes what it is given so much later as is said when it comes, and never out of order. */
function lateWriter(to: Socket, delayMs: () => number): (bytes: Buffer) => void {
  let last = Promise.resolve()
  let waiting = 0
  const writeAt = async (dueMs: number, bytes: Buffer, before: Promise<void>) => {
    await before
    await sleep(Math.max(0, dueMs - performance.now()))
    waiting -= 1
    if (!to.destroyed) to.write(bytes)
  }
  return (bytes) => {
    const dueMs = performance.now() + delayMs()
    if (delayMs() === 0 && waiting === 0) return void to.write(bytes)
    waiting += 1
    last = writeAt(dueMs, bytes, last)
  }
}

/** A line to the server of an address that names its port. */
export function proxyTo(url: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(url)
  return createTcpProxy({ host, port: Number(port) })
}

/**
 * A line to a Kafka broker. Clients learn the brokers' addresses from the brokers, so the address of
 * the line is put into what the broker says; host and line must have the same name for that.
 */
export function createKafkaProxy(broker: string): Promise<TcpProxy> {
  const [host = '', port = ''] = broker.split(':')
  return createTcpProxy({ host, port: Number(port) }, (line) => {
    const real = advertised(host, Number(port))
    const ours = advertised(host, line.port)
    let pending = Buffer.alloc(0)
    return (bytes) => {
      // Whole answers only: an address may be cut in two by the network.
      pending = Buffer.concat([pending, bytes])
      let length = 0
      while (pending.length - length >= 4) {
        const size = pending.readInt32BE(length) + 4
        if (pending.length - length < size) break
        length += size
      }
      const whole = Buffer.from(pending.subarray(0, length))
      pending = pending.subarray(length)
      for (let at = whole.indexOf(real); at >= 0; at = whole.indexOf(real, at + 1)) {
        ours.copy(whole, at)
      }
      return whole
    }
  })
}

/** As the protocol writes it: the name, then the port in four bytes. */
function advertised(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(port)
  return Buffer.concat([Buffer.from(host), bytes])
}

/** A server that takes every connection and ends it with the same bytes, as one killed just then. */
export async function dyingPostgres(): Promise<{ readonly url: string; close(): void }> {
  const fatal = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0')
  const opened = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', 'I'), fatal])
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(opened))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `postgresql://ada:x@127.0.0.1:${port}/shop`, close: () => void server.close() }
}

/** A message of Postgres's protocol. */
function message(type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}
