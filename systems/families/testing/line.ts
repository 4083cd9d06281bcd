import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a server that a test can cut and mend, as if the server were gone for a while. */
export interface Line {
  readonly url: string
  /** Ends all connections and refuses new ones. */
  cut(): void
  mend(): Promise<void>
  /**
   * Breaks the connection at the next COMMIT of a Postgres client: before the server gets it, or
   * when it has done it and before its answer comes back.
   */
  cutNextCommit(when: 'before' | 'after'): void
}

/** The same address by way of another port; `cut` it at the end. */
export async function lineTo(address: string): Promise<Line> {
  const target = new URL(address)
  const sockets = new Set<Socket>()
  let cutting: 'before' | 'after' | undefined
  const listener = createServer((near) => {
    const far = connect(Number(target.port || 5672), target.hostname)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    let isDeaf = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    near.on('data', (bytes) => {
      if (cutting !== undefined && /\bcommit\b/i.test(bytes.toString('latin1'))) {
        const when = cutting
        cutting = undefined
        isDeaf = true
        if (when === 'before') return end()
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => (isDeaf ? end() : near.write(bytes)))
  })
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
  }
  await listen(0)
  const { port } = listener.address() as AddressInfo
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cut() {
      listener.close()
      sockets.forEach((socket) => socket.destroy())
    },
    mend: () => listen(port),
    cutNextCommit: (when) => void (cutting = when),
  }
}
