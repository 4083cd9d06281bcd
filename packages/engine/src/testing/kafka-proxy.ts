import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/**
 * A line to a Kafka broker. Clients learn the brokers' addresses from the brokers, so the address of
 * the line is put into what the broker says; host and line must have the same name for that.
 */
export function createKafkaProxy(broker: string): Promise<TcpProxy> {
  const [host = '', port = ''] = broker.split(':')
  return createTcpProxy({ host, port: Number(port) }, (line) => {
    const real = address(host, Number(port))
    const ours = address(host, line.port)
    let pending = Buffer.alloc(0)
    return (bytes) => {
      // Whole answers only: an address may be cut in two by the network.
      pending = Buffer.concat([pending, bytes])
      let end = 0
      while (pending.length - end >= 4) {
        const size = pending.readInt32BE(end) + 4
        if (pending.length - end < size) break
        end += size
      }
      const whole = Buffer.from(pending.subarray(0, end))
      pending = pending.subarray(end)
      for (let at = whole.indexOf(real); at >= 0; at = whole.indexOf(real, at + 1)) {
        ours.copy(whole, at)
      }
      return whole
    }
  })
}

/** As the protocol writes it: the name, then the port in four bytes. */
function address(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(port)
  return Buffer.concat([Buffer.from(host), bytes])
}
