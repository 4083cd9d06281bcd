import { connection } from './ports.mjs'

const METADATA = 3
const VERSION = 8

/**
 * Rejects unless the broker names itself in its metadata. That is later than accepting
 * connections: a broker that has not registered with its controller yet lists no brokers.
 */
export async function probeKafka(port) {
  const socket = await connection({ host: '127.0.0.1', port })
  try {
    socket.write(metadataRequest())
    let reply = Buffer.alloc(0)
    for await (const chunk of socket) {
      reply = Buffer.concat([reply, chunk])
      if (reply.length < 16) continue
      // length, correlation id, throttle time, then the number of brokers
      if (reply.readInt32BE(12) > 0) return
      break
    }
    throw new Error('Kafka answers, but lists no broker')
  } finally {
    socket.destroy()
  }
}

function metadataRequest() {
  const client = Buffer.from('posthorn')
  const header = Buffer.alloc(10)
  header.writeInt16BE(METADATA, 0)
  header.writeInt16BE(VERSION, 2)
  header.writeInt32BE(1, 4)
  header.writeInt16BE(client.length, 8)
  // no topics (an empty list, not null, which would mean all), and three flags off
  const body = Buffer.alloc(7)
  const length = Buffer.alloc(4)
  length.writeInt32BE(header.length + client.length + body.length)
  return Buffer.concat([length, header, client, body])
}
