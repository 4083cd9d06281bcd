import { createServer } from 'node:http'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'

/** Receives the webhooks of the organisation that does nothing unusual. */
export interface Receiver {
  readonly url: string
  /** When a webhook about a payment first came, by `performance.now()`. */
  arrivalOf(payment: string): number | undefined
  close(): void
}

/** `host` is a name of the loopback's for those who send to it. */
export async function openReceiver(host: string): Promise<Receiver> {
  const arrivals = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const id = /"paymentId":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1]
      if (id !== undefined && !arrivals.has(id)) arrivals.set(id, performance.now())
      response.end()
    })
  })
  return {
    url: (await listen(server)).replace('127.0.0.1', host),
    arrivalOf: (payment) => arrivals.get(payment),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Takes every connection and says nothing. */
export async function openSilent(): Promise<{ readonly url: string; close(): void }> {
  const open = new Set<Socket>()
  const server = createTcpServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => void open.delete(socket))
    socket.resume()
  })
  return {
    url: await listen(server),
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
