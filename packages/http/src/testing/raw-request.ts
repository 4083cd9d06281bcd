import { connect } from 'node:net'
import type { App } from '../app.ts'

/** Listens on a free port of this machine. */
export async function listen(app: App): Promise<number> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(url).port)
}

/** A connection that sends exactly the given bytes, and gathers what comes back. */
export async function rawConnection(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  await new Promise((resolve) => socket.once('connect', resolve))
  let received = ''
  let isOver = false
  socket.setEncoding('utf8')
  socket.on('data', (text) => void (received += String(text)))
  socket.on('error', () => undefined)
  socket.on('close', () => void (isOver = true))
  return {
    socket,
    say: (text: string) => void socket.write(text),
    received: () => received,
    isOver: () => isOver,
  }
}
