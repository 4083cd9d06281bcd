import { exponential } from '@posthorn/engine'
import {
  createTcpProxy,
  testDatabase,
  transportConformance,
  withBroker,
} from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { natsTransport } from './index.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('NATS_URL', (server) => {
  const make = async () => {
    const { hostname, port } = new URL(server)
    const line = await createTcpProxy({ host: hostname, port: Number(port) })
    ends.push(line.cut)
    const transport = natsTransport({
      url: `nats://${line.host}:${line.port}`,
      timeout: '3s',
      session: '3s',
      drain: '2s',
      deadLetters: database.pool,
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  }
  transportConformance('nats', make)
})
