import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

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
