import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a broker that a test can cut and mend, as if the broker were gone for a while. */
export interface Line {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** Ends all connections and refuses new ones. */
  cut(): void
  mend(): Promise<void>
}

type Rewrite = (bytes: Buffer) => Buffer

/** `speaks: 'kafka'`: its clients go where the broker says that it is, so that is rewritten. */
export async function lineTo(
  broker: { readonly host: string; readonly port: number },
  speaks: 'kafka' | 'amqp',
): Promise<Line> {
  const sockets = new Set<Socket>()
  let port = 0
  const listener = createServer((near) => {
    const far = connect(broker.port, broker.host)
    const rewrite = speaks === 'kafka' ? readdressed(broker, port) : (bytes: Buffer) => bytes
    far.on('data', (bytes) => near.write(rewrite(bytes)))
    near.on('data', (bytes) => far.write(bytes))
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
  })
  const mend = async () => {
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
  }
  await mend()
  port = (listener.address() as AddressInfo).port
  return {
    address: `127.0.0.1:${port}`,
    cut() {
      listener.close()
      sockets.forEach((socket) => socket.destroy())
    },
    mend,
  }
}

/** Puts another port into a broker's answers, each of which begins with its length. */
function readdressed({ host, port }: { host: string; port: number }, other: number): Rewrite {
  const real = asWritten(host, port)
  const ours = asWritten(host, other)
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    let end = 0
    while (rest.length - end >= 4 && rest.length - end >= 4 + rest.readInt32BE(end)) {
      end += 4 + rest.readInt32BE(end)
    }
    const whole = Buffer.from(rest.subarray(0, end))
    rest = rest.subarray(end)
    for (let at = whole.indexOf(real); at >= 0; at = whole.indexOf(real, at + 1))
      ours.copy(whole, at)
    return whole
  }
}

/** The host's name, then its port in four bytes. */
function asWritten(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(port)
  return Buffer.concat([Buffer.from(host), bytes])
}
