import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP line to a server that a test can break, as if the server or the process were gone. */
export interface TcpProxy {
  readonly host: string
  readonly port: number
  /** Ends all connections and refuses new ones. */
  cut(): void
  /** Keeps all connections, takes new ones, and lets nothing through. */
  stall(): void
  heal(): Promise<void>
  /**
   * Breaks the connection at the next COMMIT of a Postgres client: before the server gets it, or
   * when it has done it and before its answer comes back.
   */
  cutNextCommit(when: 'before' | 'after'): void
  /** An address of the server by way of this line. */
  by(url: string): string
}

/** `rewrite` sees what the server says before the client does. */
export async function createTcpProxy(
  server: { readonly host: string; readonly port: number },
  rewrite: (line: { port: number }) => (bytes: Buffer) => Buffer = () => (bytes) => bytes,
): Promise<TcpProxy> {
  const host = '127.0.0.1'
  const sockets = new Set<Socket>()
  let port = 0
  let stalled = false
  let cutting: 'before' | 'after' | undefined
  const listener = createServer((near) => {
    const far = connect(server.port, server.host)
    const change = rewrite({ port })
    const end = () => {
      near.destroy()
      far.destroy()
    }
    // What the server answers to a COMMIT that was to be cut off behind it.
    let isDeaf = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    near.on('data', (bytes) => {
      if (stalled) return
      if (cutting !== undefined && /\bcommit\b/i.test(bytes.toString('latin1'))) {
        const when = cutting
        cutting = undefined
        isDeaf = true
        if (when === 'before') return end()
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (isDeaf) end()
      else if (!stalled) near.write(change(bytes))
    })
  })
  const endAll = () => sockets.forEach((socket) => socket.destroy())
  const heal = async () => {
    // What was lost meanwhile is lost: those connections are of no use.
    if (stalled) endAll()
    stalled = false
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
    stall: () => void (stalled = true),
    heal,
    cutNextCommit: (when) => void (cutting = when),
    by(url) {
      const address = new URL(url)
      address.hostname = host
      address.port = String(port)
      return address.href
    },
  }
}

/** A line to the server of an address that names its port. */
export function proxyTo(url: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(url)
  return createTcpProxy({ host, port: Number(port) })
}
