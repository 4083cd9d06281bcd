import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A way to a database that breaks where a test wants it to. */
export interface CuttingProxy {
  readonly url: string
  /**
   * The next COMMIT breaks the connection: before Postgres gets it, or after Postgres has done it
   * and before its answer comes back.
   */
  cutNext(when: 'before' | 'after'): void
  close(): Promise<void>
}

export async function cuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cut: 'before' | 'after' | undefined
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let isCut = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      if (cut !== undefined && /\bcommit\b/i.test(chunk.toString('latin1'))) {
        const when = cut
        cut = undefined
        isCut = true
        if (when === 'before') return end()
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => (isCut ? end() : client.write(chunk)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutNext: (when) => void (cut = when),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}
