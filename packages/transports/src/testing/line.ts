import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A TCP line to a server that a test can cut, as if the server or the process were gone. */
export interface Line {
  readonly host: string
  readonly port: number
  readonly cut: () => void
  readonly heal: () => Promise<void>
  readonly close: () => void
}

/** `rewrite` sees what the server says before the client does. */
export async function createLine(
  server: { host: string; port: number },
  rewrite: (line: { port: number }) => (bytes: Buffer) => Buffer = () => (bytes) => bytes,
): Promise<Line> {
  const host = '127.0.0.1'
  const sockets = new Set<Socket>()
  let port = 0
  const listener = createServer((near) => {
    const far = connect(server.port, server.host)
    const change = rewrite({ port })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes) => void far.write(bytes))
    far.on('data', (bytes) => void near.write(change(bytes)))
  })
  const heal = async (): Promise<void> => {
    listener.listen(port, host)
    await once(listener, 'listening')
  }
  await heal()
  const address = listener.address()
  if (address !== null && typeof address === 'object') port = address.port
  const cut = (): void => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  }
  return { host, port, cut, heal, close: cut }
}
