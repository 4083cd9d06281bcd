import { exponential } from '@posthorn/engine'
import { proxyTo, testDatabase, transportConformance, withBroker } from '@posthorn/engine/testing'
import { afterAll } from 'vitest'
import { redisTransport } from './index.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

withBroker('REDIS_URL', (server) => {
  const make = async () => {
    const line = await proxyTo(server)
    ends.push(line.cut)
    const transport = redisTransport({
      ...{ url: line.by(server), timeout: '3s', session: '3s', drain: '2s' },
      deadLetters: database.pool,
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  }
  transportConformance('redis', make)
})
