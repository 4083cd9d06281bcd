import { createKafkaLine, transportConformance, withBroker } from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { kafkaTransport } from './index.ts'

const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('KAFKA_BROKERS', (brokers) => {
  transportConformance('kafka', async () => {
    const line = await createKafkaLine(brokers.split(',')[0] ?? '')
    ends.push(line.cut)
    const transport = kafkaTransport({
      brokers: [`${line.host}:${line.port}`],
      timeout: '3s',
      session: '6s',
      drain: '2s',
      backoff: { first: '100ms', max: '1s' },
    })
    return { transport, ...line }
  })
})
