import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** One address for all processes with the role `api`, as a load balancer gives it. */
export interface Ingress {
  readonly url: string
  /** From then on nothing comes in from outside. */
  close(): Promise<void>
}

/** Passes each connection on to the next port that takes it; ends it where none does. */
export async function openIngress(ports: readonly number[]): Promise<Ingress> {
  const sockets = new Set<Socket>()
  let next = 0
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    return socket.on('error', () => undefined)
  }
  const passOn = async (client: Socket): Promise<void> => {
    for (const _ of ports) {
      const api = keep(connect(ports[next++ % ports.length] ?? 0, '127.0.0.1'))
      const isOpen = await new Promise<boolean>((resolve) => {
        api.once('connect', () => resolve(true))
        api.once('close', () => resolve(false))
      })
      if (!isOpen) continue
      client.on('close', () => api.destroy())
      api.on('close', () => client.destroy())
      client.pipe(api)
      api.pipe(client)
      return
    }
    client.destroy()
  }
  const server = createServer((client) => void passOn(keep(client)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = once(server, 'close')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}

/**
 * Free ports for processes that keep theirs over restarts. Systems give those above 32,767 to connections and to
 * servers that ask for any; embedded servers of Postgres take those from 20,000 on.
 */
export async function findPorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; ports.size < count && tries < 200; tries += 1) {
    const port = randomInt(10_000, 20_000)
    if (await isFree(port)) ports.add(port)
  }
  if (ports.size < count) throw new Error(`found only ${ports.size} of ${count} free ports`)
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)))
  })
}
