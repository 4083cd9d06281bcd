import { exponential } from '@posthorn/engine'
import {
  createTcpProxy,
  testDatabase,
  transportConformance,
  withBroker,
} from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { rabbitmqTransport } from './index.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('RABBITMQ_URL', (broker) => {
  const make = async () => {
    const url = new URL(broker)
    const line = await createTcpProxy({ host: url.hostname, port: Number(url.port || 5672) })
    ends.push(line.cut)
    url.hostname = line.host
    url.port = String(line.port)
    const transport = rabbitmqTransport({
      url: url.href,
      timeout: '3s',
      drain: '2s',
      concurrency: 4,
      deadLetters: database.pool,
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  }
  transportConformance('rabbitmq', make, { offsets: false })
})
