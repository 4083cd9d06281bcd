import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A TCP line to a server that a test can break, as if the server or the process were gone. */
export interface Line {
  readonly host: string
  readonly port: number
  /** Ends all connections and refuses new ones. */
  readonly cut: () => void
  /** Keeps all connections, takes new ones, and lets nothing through. */
  readonly stall: () => void
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
  let stalled = false
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
    near.on('data', (bytes) => stalled || far.write(bytes))
    far.on('data', (bytes) => stalled || near.write(change(bytes)))
  })
  const endAll = (): void => sockets.forEach((socket) => socket.destroy())
  const heal = async (): Promise<void> => {
    // What was lost meanwhile is lost: those connections are of no use.
    if (stalled) endAll()
    stalled = false
    if (listener.listening) return
    listener.listen(port, host)
    await once(listener, 'listening')
  }
  await heal()
  const address = listener.address()
  if (address !== null && typeof address === 'object') port = address.port
  const cut = (): void => {
    listener.close()
    endAll()
  }
  return { host, port, cut, stall: () => void (stalled = true), heal, close: cut }
}
