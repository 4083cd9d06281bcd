import { exponential } from '@posthorn/engine'
import {
  createKafkaProxy,
  testDatabase,
  transportConformance,
  withBroker,
} from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { kafkaTransport } from './index.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('KAFKA_BROKERS', (brokers) => {
  transportConformance('kafka', async () => {
    const line = await createKafkaProxy(brokers.split(',')[0] ?? '')
    ends.push(line.cut)
    const transport = kafkaTransport({
      brokers: [`${line.host}:${line.port}`],
      timeout: '3s',
      session: '6s',
      drain: '2s',
      deadLetters: database.pool,
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  })
})
