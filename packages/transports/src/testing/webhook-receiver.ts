import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll } from 'vitest'

/** A request as a receiver saw it. */
export interface Seen {
  readonly path: string
  readonly at: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly seen: Seen[]
  /** Connections that were ever made to it. */
  readonly connections: () => number
  close(): Promise<void>
}

export type Answer = (response: ServerResponse, request: Seen) => void

/** A server on the loopback that answers as its test says; closed after the file's tests. */
export async function openReceiver(answer: Answer, host = '127.0.0.1'): Promise<Receiver> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const each = { path: request.url ?? '', at: Date.now(), headers: request.headers, body }
      seen.push(each)
      answer(response, each)
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  afterAll(close)
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${port}`, port, seen, connections: () => connections, close }
}

/** Ways for a receiver to answer, well or badly. */
export const MODES = {
  ok: (response: ServerResponse) => void response.end('thanks'),
  broken: (response: ServerResponse) => void response.writeHead(500).end('no'),
  busy: (response: ServerResponse) => void response.writeHead(429, { 'retry-after': '7' }).end(),
  gone: (response: ServerResponse) => void response.writeHead(410).end(),
  moved: (response: ServerResponse) =>
    void response.writeHead(301, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  hang: () => undefined,
  /** A status at once, and then a byte now and then, for ever. */
  slowBody(response: ServerResponse) {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 50)
    response.on('close', () => clearInterval(timer))
  },
  /** 100 MB, as fast as they are taken. */
  hugeBody(response: ServerResponse) {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let left = (100 * 1024 * 1024) / chunk.length
    const write = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  },
  reset: (response: ServerResponse) => void response.socket?.resetAndDestroy(),
  /** Cut in the middle of what was announced. */
  cut(response: ServerResponse) {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half')
    setTimeout(() => response.socket?.destroy(), 20)
  },
  rubbish: (response: ServerResponse) => void response.socket?.end('this is not HTTP\r\n\r\n'),
  hugeHeaders: (response: ServerResponse) =>
    void response.writeHead(200, { 'x-much': 'y'.repeat(100_000) }).end(),
} satisfies Record<string, Answer>
