import { connection } from './ports.mjs'

const PROTOCOL = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')
const CONNECTION = 10
const START_OK = 11
const TUNE = 30
const FRAME_OVERHEAD = 8

/** Rejects unless the broker lets guest in: it answers a login with its limits. */
export async function probeRabbitmq(port) {
  const socket = await connection({ host: '127.0.0.1', port })
  try {
    socket.write(PROTOCOL)
    let greeted = false
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk])
      if (received.length < 7 || received.length < received.readUInt32BE(3) + FRAME_OVERHEAD)
        continue
      if (greeted && received.readUInt16BE(7) === CONNECTION && received.readUInt16BE(9) === TUNE) {
        return
      }
      if (greeted) break
      greeted = true
      received = Buffer.alloc(0)
      socket.write(login())
    }
    throw new Error('RabbitMQ does not let guest in')
  } finally {
    socket.destroy()
  }
}

function login() {
  const method = Buffer.alloc(8)
  method.writeUInt16BE(CONNECTION, 0)
  method.writeUInt16BE(START_OK, 2)
  // bytes 4 to 7: an empty table of client properties
  const credentials = Buffer.from('\0guest\0guest')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(credentials.length)
  const payload = Buffer.concat([method, short('PLAIN'), length, credentials, short('en_US')])
  const header = Buffer.alloc(7)
  header.writeUInt8(1, 0)
  header.writeUInt32BE(payload.length, 3)
  return Buffer.concat([header, payload, Buffer.from([0xce])])
}

function short(text) {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}
