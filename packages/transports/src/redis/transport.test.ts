import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'
import { exponential, fixed, toMessage, type Delivery, type Message } from '@posthorn/engine'
import { listDeadLetters } from '@posthorn/operate'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { redisTransport, type RedisOptions } from './index.ts'

const database = await testDatabase()
const ordered = { ordered: true, signal: new AbortController().signal }
const newTopic = () => `redis-${randomUUID()}`
const handle = async () => undefined
const numberOf = ({ payload }: Message) => (payload as { n: number }).n

function delivery(topic: string, key: string, n: number): Delivery {
  const message = toMessage({ id: randomUUID(), type: 'numbered', key, payload: { n } })
  return { message, destination: { transport: 'redis', topic } }
}

withBroker('REDIS_URL', (url) => {
  const redis = (changes: Partial<RedisOptions> = {}) => {
    const transport = redisTransport({
      ...{ url, timeout: '3s', session: '3s', drain: '1s', retryPoll: '100ms' },
      deadLetters: database.pool,
      retry: exponential('100ms', { attempts: 5 }),
      ...changes,
    })
    onTestFinished(() => transport.close())
    return transport
  }
  const inspect = async () => {
    const client = createClient({ url })
    await client.connect()
    onTestFinished(() => client.destroy())
    return client
  }

  test('what one member has set aside holds back its key at the others too', async () => {
    const topic = newTopic()
    const seen: number[] = []
    const members = new Set<string>()
    let failures = 0
    const subscribe = (name: string) =>
      redis().subscribe({
        ...{ topic, group: 'g', retry: fixed('2500ms', { attempts: 3 }) },
        async handle(message: Message) {
          const n = numberOf(message)
          if (n === 0 && failures++ === 0) throw new Error('not yet')
          members.add(name)
          seen.push(n)
        },
      })
    await Promise.all([subscribe('one'), subscribe('two')])
    // Both have read what was set aside before, which is nothing.
    const before = Array.from({ length: 200 }, (_, n) => delivery(topic, `other-${n}`, n + 100))
    await redis().deliver(before, ordered)
    await expect.poll(() => seen.length).toBe(200)
    expect(members.size).toBe(2)
    const batch = Array.from({ length: 60 }, (_, n) => delivery(topic, 'k', n))
    await redis().deliver(batch, ordered)
    await expect.poll(() => seen.length).toBe(260)
    expect(seen.slice(200)).toEqual(batch.map((_, n) => n))
  })

  test('makes a topic as asked, and takes one that is there as it is', async () => {
    const topic = newTopic()
    await redis({ partitions: 3 }).deliver([delivery(topic, 'a', 1)], ordered)
    const sent = Array.from({ length: 30 }, (_, n) => delivery(topic, `k${n}`, n))
    const transport = redis()
    const outcomes = await transport.deliver(sent, ordered)
    expect(new Set(outcomes.map((each) => Reflect.get(each, 'ref')?.partition))).toEqual(
      new Set([0, 1, 2]),
    )
    expect(await transport.partitions(topic)).toBe(3)
    const keys = await (await inspect()).keys(`posthorn:${topic}*`)
    expect(keys.toSorted()).toEqual(['', ':0', ':1', ':2'].map((end) => `posthorn:${topic}${end}`))
  })

  test('says what cannot be: a topic that is missing, a name, a message that is too large', async () => {
    const missing = redis({ partitions: false })
    const [first] = await missing.deliver([delivery(newTopic(), 'a', 1)], ordered)
    expect(first).toMatchObject({ kind: 'retryLater', failure: { code: 'TOPIC_MISSING' } })
    const nowhere = missing.subscribe({ topic: newTopic(), group: 'g', handle })
    await expect(nowhere).rejects.toMatchObject({ code: 'TOPIC_MISSING' })
    const [second] = await redis().deliver([delivery('a:b', 'a', 1)], ordered)
    expect(second).toMatchObject({ kind: 'refused', failure: { code: 'TOPIC_INVALID' } })
    const [third] = await redis({ maxMessageBytes: 100 }).deliver(
      [delivery(newTopic(), 'a', 1)],
      ordered,
    )
    expect(third).toMatchObject({ kind: 'refused', failure: { code: 'MESSAGE_TOO_LARGE' } })
  })

  test('goes on, sending and reading, where all of a topic was deleted under it', async () => {
    const topic = newTopic()
    const transport = redis()
    const seen: number[] = []
    await transport.subscribe({
      ...{ topic, group: 'g' },
      handle: async (message) => void seen.push(numberOf(message)),
    })
    await transport.deliver([delivery(topic, 'a', 1)], ordered)
    await expect.poll(() => seen).toEqual([1])
    const client = await inspect()
    await client.del(await client.keys(`posthorn:${topic}*`))
    await expect
      .poll(async () => (await transport.deliver([delivery(topic, 'a', 2)], ordered))[0]?.kind)
      .toBe('delivered')
    await expect.poll(() => seen).toEqual([1, 2])
  })

  test('trims what is older than it is to be kept, by the clock of the server', async () => {
    const topic = newTopic()
    const transport = redis({ partitions: 1, keep: '1h' })
    await transport.deliver([delivery(topic, 'a', 1)], ordered)
    const client = await inspect()
    const stream = `posthorn:${topic}:0`
    // Whole blocks of entries are trimmed, of a hundred each.
    const fields = { data: '{}' }
    const day = Date.now() - 24 * 3_600_000
    await client.del(stream)
    for (let n = 0; n < 300; n++) await client.xAdd(stream, `${day}-${n}`, fields)
    await transport.deliver([delivery(topic, 'a', 2)], ordered)
    expect(await client.xLen(stream)).toBeLessThan(150)
  })

  test('takes what others have written, and keeps as a dead letter what is no message', async () => {
    const topic = newTopic()
    const transport = redis({ partitions: 1 })
    const seen: Message[] = []
    const consumer = { topic, group: 'g', handle: async (one: Message) => void seen.push(one) }
    await transport.subscribe(consumer)
    const client = await inspect()
    const stream = `posthorn:${topic}:0`
    const id = await client.xAdd(stream, '*', { data: '{"n":7}', colour: 'red' })
    await client.xAdd(stream, '*', { temperature: '21' })
    await expect.poll(() => seen.map(numberOf)).toEqual([7])
    expect(seen[0]).toMatchObject({ type: topic, headers: { colour: 'red' } })
    expect(seen[0]?.occurredAt.getTime()).toBe(Number.parseInt(id, 10))
    await expect
      .poll(async () => (await listDeadLetters(database.pool, { topic })).items)
      .toMatchObject([{ state: 'dead', code: 'MESSAGE_UNREADABLE' }])
  })

  test('a member whose batch was given to another takes no more of it', async () => {
    const topic = newTopic()
    const begun: number[] = []
    const gate = Promise.withResolvers<void>()
    let isTold = false
    const transport = redis({ partitions: 1, session: '600ms' })
    // Before it subscribes: so the three are one batch.
    await transport.deliver(
      [1, 2, 3].map((n) => delivery(topic, 'k', n)),
      ordered,
    )
    await transport.subscribe({
      ...{ topic, group: 'g' },
      async handle(message, { signal }) {
        signal.addEventListener('abort', () => (isTold = true))
        begun.push(numberOf(message))
        await gate.promise
      },
    })
    await expect.poll(() => begun).toEqual([1])
    // As a member does that finds this one silent.
    const client = await inspect()
    const stream = `posthorn:${topic}:0`
    const { messages } = await client.xAutoClaim(stream, 'g', 'other', 0, '0-0')
    const ids = messages.map((each) => each?.id ?? '')
    await client.xAck(stream, 'g', ids)
    await expect.poll(() => isTold).toBe(true)
    gate.resolve()
    await transport.deliver([delivery(topic, 'k', 4)], ordered)
    await expect.poll(() => begun).toEqual([1, 4])
  })

  test('forgets the names of members that are gone', async () => {
    const topic = newTopic()
    const subscription = await redis({ partitions: 1 }).subscribe({ topic, group: 'g', handle })
    const sender = redis({ partitions: 1 })
    await sender.deliver([delivery(topic, 'a', 1)], ordered)
    const client = await inspect()
    const members = () => client.xInfoConsumers(`posthorn:${topic}:0`, 'g')
    await expect.poll(async () => (await members()).length).toBe(1)
    await expect.poll(() => sender.lag({ topic, group: 'g' })).toBe(0)
    await subscription.close()
    expect(await members()).toEqual([])
  })
})
