import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { toMessage, type Delivery } from '@posthorn/engine'
import { withBroker } from '@posthorn/engine/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../../../scripts/services/index.mjs'
import { redisTransport, type RedisOptions } from './index.ts'

const ordered = { ordered: true, signal: new AbortController().signal }

function delivery(topic: string): Delivery {
  const message = toMessage({ id: randomUUID(), type: 'any', key: 'k', payload: {} })
  return { message, destination: { transport: 'redis', topic } }
}

// Two of our own: what is done to them here would be felt by all tests.
withBroker('REDIS_URL', () => {
  let leader: Awaited<ReturnType<typeof startRedis>>
  let replica: Awaited<ReturnType<typeof startRedis>>
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthorn-redis-'))
    const log = () => undefined
    ;[leader, replica] = await Promise.all([
      startRedis({ dir: join(folder, 'leader'), log }),
      startRedis({ dir: join(folder, 'replica'), log }),
    ])
  })
  afterAll(async () => {
    await Promise.all([leader.stop(), replica.stop()])
    await rm(folder, { recursive: true })
  })
  const redis = (changes: Partial<RedisOptions> = {}) => {
    const transport = redisTransport({ url: leader.url, timeout: '2s', ...changes })
    onTestFinished(() => transport.close())
    return transport
  }
  const command = async (url: string, ...args: string[]) => {
    const client = await createClient({ url }).connect()
    await client.sendCommand(args)
    client.destroy()
  }

  test('a message counts as delivered when so many replicas have it as are asked for', async () => {
    const transport = redis({ replicas: 1, timeout: '500ms' })
    const topic = randomUUID()
    expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
      { kind: 'retryLater', failure: { code: 'NACKED', message: '0 of 1 replicas have it' } },
    ])
    await command(replica.url, 'REPLICAOF', '127.0.0.1', new URL(leader.url).port)
    await expect
      .poll(async () => (await transport.deliver([delivery(topic)], ordered))[0]?.kind)
      .toBe('delivered')
    expect(await transport.durability()).toMatchObject({
      ...{ appendOnly: true, evictionPolicy: 'noeviction', replicas: 1 },
    })
  })

  test('nothing is charged where a server does not lead, has no memory or wants a login', async () => {
    const topic = randomUUID()
    await redis().deliver([delivery(topic)], ordered)
    const following = redis({ url: replica.url })
    const free = { kind: 'retryLater', unreachable: true }
    expect(await following.deliver([delivery(randomUUID())], ordered)).toMatchObject([free])
    await command(leader.url, 'CONFIG', 'SET', 'maxmemory', '1')
    expect(await redis().deliver([delivery(topic)], ordered)).toMatchObject([
      { ...free, failure: { code: 'BROKER_BLOCKED' } },
    ])
    await command(leader.url, 'CONFIG', 'SET', 'maxmemory', '0')
    const { host } = new URL(leader.url)
    const wrong = redis({ url: `redis://nobody:wrong@${host}` })
    expect(await wrong.deliver([delivery(topic)], ordered)).toMatchObject([
      { ...free, failure: { code: 'DESTINATION_UNREACHABLE' } },
    ])
    expect(await redis().deliver([delivery(topic)], ordered)).toMatchObject([{ kind: 'delivered' }])
  })

  test('what it had is there after a crash, with an append-only file', async () => {
    const topic = randomUUID()
    const transport = redis()
    await transport.deliver([delivery(topic)], ordered)
    await leader.kill()
    expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
      { kind: 'retryLater' },
    ])
    leader = await startRedis({ dir: join(folder, 'leader'), log: () => undefined })
    const seen: string[] = []
    const reading = redis({ deadLetters: async () => undefined })
    await reading.subscribe({
      ...{ topic, group: 'g' },
      handle: async ({ id }) => void seen.push(id),
    })
    await expect.poll(() => seen.length).toBe(1)
  })
})
