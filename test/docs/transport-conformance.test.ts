import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exponential } from '@posthorn/engine'
import { proxyTo, testDatabase, transportConformance, withBroker } from '@posthorn/engine/testing'
import { afterAll, expect, test } from 'vitest'
import { redisLists } from '../../examples/redis-lists/transport.ts'
import { page, root } from './markdown.ts'
import { programOf } from './program.ts'

const database = await testDatabase()
const ends: (() => void)[] = []
afterAll(() => ends.forEach((end) => end()))

test('the page shows the transport that is tried here', () => {
  const { files } = programOf(page('docs/guide/write-a-transport.md'))
  const text = readFileSync(join(root, 'examples/redis-lists/transport.ts'), 'utf8')
  expect(files).toEqual([{ path: 'transport.ts', text }])
})

withBroker('REDIS_URL', (server) => {
  const make = async () => {
    const line = await proxyTo(server)
    ends.push(line.cut)
    const transport = redisLists(line.by(server), {
      ...{ drain: '2s', deadLetters: database.pool },
      retry: exponential('100ms', { max: '1s', attempts: 20 }),
    })
    return { transport, letters: database.pool, ...line }
  }
  transportConformance('redis lists', make, { offsets: false })
})
