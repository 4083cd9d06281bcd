import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a database that can be cut and mended. */
export interface Line {
  /** The database's address by this way. */
  readonly url: string
  /** As if the server were gone: nothing answers, and what was connected is closed. */
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port || 5432) })
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    async cut() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async mend() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
