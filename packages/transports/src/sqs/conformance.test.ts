import { exponential } from '@posthorn/engine'
import { proxyTo, testDatabase, transportConformance, withBroker } from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { sqsTransport } from './index.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('SQS_ENDPOINT', (server) => {
  const make = async () => {
    const line = await proxyTo(server)
    ends.push(line.cut)
    const transport = sqsTransport({
      ...{ region: 'us-east-1', endpoint: line.by(server) },
      credentials: { accessKeyId: 'posthorn', secretAccessKey: 'posthorn-secret' },
      ...{ timeout: '3s', session: '3s', drain: '2s' },
      deadLetters: database.pool,
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  }
  transportConformance('sqs', make, { offsets: false })
})
