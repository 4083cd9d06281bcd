import { fixed, toMessage, uuid, type Delivery, type Message } from '@posthorn/engine'
import type { DeadLetter } from '@posthorn/engine/internal'
import { listDeadLetters } from '@posthorn/operate'
import { createTcpProxy, testDatabase, withBroker } from '@posthorn/engine/testing'
import { AMQPClient, type AMQPChannel } from '@cloudamqp/amqp-client'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { rabbitmqTransport, type RabbitmqOptions, type RabbitmqTransport } from './index.ts'

const database = await testDatabase()

/** No message of these tests may die unless the test says so. */
const refuse = ({ failure }: DeadLetter): never => {
  throw new Error(`a dead letter: ${failure.message}`)
}

withBroker('RABBITMQ_URL', (url) => {
  const made: RabbitmqTransport[] = []
  let foreign: AMQPClient
  let channel: AMQPChannel
  beforeAll(async () => {
    foreign = new AMQPClient(url)
    await foreign.connect()
    channel = await foreign.channel()
  })
  afterEach(async () => {
    await Promise.all(made.splice(0).map((each) => each.close()))
  })
  afterAll(() => foreign.close())

  const rabbitmq = (options: Partial<RabbitmqOptions> = {}): RabbitmqTransport => {
    const transport = rabbitmqTransport({
      url,
      timeout: '3s',
      drain: '1s',
      deadLetters: refuse,
      ...options,
    })
    made.push(transport)
    return transport
  }
  const ordered = { ordered: true, signal: new AbortController().signal }
  const wait = { timeout: 40_000, interval: 25 }
  const newTopic = (): string => `transport-${randomUUID()}`

  function delivery(topic: string, init: Partial<Message> = {}): Delivery {
    const message = toMessage({ id: uuid(), type: 'test', key: 'k', payload: 1, ...init })
    return { message, destination: { transport: 'rabbitmq', topic } }
  }

  it('goes on with the next host of a cluster where one refuses or is lost', async () => {
    const { host, hostname, port } = new URL(url)
    const line = await createTcpProxy({ host: hostname, port: Number(port || 5672) })
    const hosts = `127.0.0.1:1,${line.host}:${line.port},${host}`
    const transport = rabbitmq({ url: url.replace(host, hosts), declare: true })
    const topic = newTopic()
    await transport.declareQueue(topic, 'g')
    expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
      { kind: 'delivered' },
    ])
    await line.close()
    await expect
      .poll(() => transport.deliver([delivery(topic)], ordered), wait)
      .toMatchObject([{ kind: 'delivered' }])
  })

  describe('sending', () => {
    it('reports a message for which no queue is bound, and holds back its key', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ patterns: () => ['known.*'] })
      await transport.declareQueue(topic, 'g')
      const types = ['known.a', 'unknown', 'known.b', 'known.c']
      const batch = types.map((type, i) => delivery(topic, { type, key: i < 3 ? 'a' : 'b' }))
      const outcomes = await transport.deliver(batch, ordered)
      expect(outcomes).toMatchObject([
        { kind: 'delivered', ref: { exchange: topic, routingKey: 'known.a' } },
        { kind: 'retryLater', failure: { code: 'UNROUTABLE' }, unreachable: false },
        { kind: 'retryLater', failure: { code: 'HELD_BACK' } },
        { kind: 'delivered' },
      ])
      const { messageCount } = await channel.queueDeclare(`${topic}.g`, { passive: true })
      expect(messageCount).toBe(2)
    })

    it('reports a message that the broker refuses, and lets nothing of its key overtake', async () => {
      const topic = newTopic()
      const transport = rabbitmq()
      await channel.exchangeDeclare(topic, 'topic')
      const full = { 'x-max-length': 2, 'x-overflow': 'reject-publish' }
      const { name } = await channel.queueDeclare(`${topic}.full`, {}, full)
      await channel.queueBind(name, topic, '#')
      const batch = ['a', 'a', 'a', 'a'].map((key) => delivery(topic, { key }))
      const outcomes = await transport.deliver(batch, ordered)
      expect(outcomes).toMatchObject([
        { kind: 'delivered' },
        { kind: 'delivered' },
        { kind: 'retryLater', failure: { code: 'NACKED' } },
        { kind: 'retryLater', failure: { code: 'HELD_BACK' } },
      ])
    })

    it("leaves a channel that is refused, as after the loss of a queue's leader", async () => {
      const { hostname, port } = new URL(url)
      const server = { host: hostname, port: Number(port || 5672) }
      const line = await createTcpProxy(server, refuseFirstChannel)
      const topic = newTopic()
      const transport = rabbitmq({ url: line.by(url) })
      await transport.declareQueue(topic, 'g')
      const send = () => transport.deliver([delivery(topic)], ordered)
      const [first] = await send()
      expect(first).toMatchObject({ failure: { code: 'NACKED' } })
      const [second, third] = await Promise.all([send(), send()])
      expect([second, third]).toMatchObject([[{ kind: 'delivered' }], [{ kind: 'delivered' }]])
      await line.close()
    })

    it('refuses what the broker cannot take', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ maxMessageBytes: 1_000 })
      await transport.declareQueue(topic, 'g')
      const outcomes = await transport.deliver(
        [
          delivery(topic, { payload: 'x'.repeat(2_000) }),
          delivery(topic, { key: 'a', headers: { long: 'x'.repeat(40_000) } }),
          delivery(topic, { key: 'b', headers: { ['x'.repeat(300)]: '1' } }),
          delivery(topic, { key: 'c', type: 't'.repeat(300) }),
          delivery('a b', { key: 'd' }),
          delivery(topic, { key: 'e', headers: { fits: 'x'.repeat(20_000) } }),
        ],
        ordered,
      )
      expect(outcomes).toMatchObject([
        { kind: 'refused', failure: { code: 'MESSAGE_TOO_LARGE' } },
        { kind: 'refused', failure: { code: 'MESSAGE_TOO_LARGE' } },
        { kind: 'refused', failure: { code: 'MESSAGE_UNENCODABLE' } },
        { kind: 'refused', failure: { code: 'MESSAGE_UNENCODABLE' } },
        { kind: 'refused', failure: { code: 'TOPIC_INVALID' } },
        { kind: 'delivered' },
      ])
    })

    it('routes by the option instead of the type', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ patterns: () => ['by.option'] })
      await transport.declareQueue(topic, 'g')
      const { message, destination } = delivery(topic)
      const routed = { ...destination, options: { routingKey: 'by.option' } }
      expect(await transport.deliver([{ message, destination: routed }], ordered)).toMatchObject([
        { kind: 'delivered' },
      ])
    })

    it('says which exchange is missing, and does not make it', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ declare: false })
      expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
        { kind: 'retryLater', failure: { code: 'TOPIC_MISSING' } },
      ])
      await channel.exchangeDeclare(topic, 'fanout')
      await channel.queueDeclare(`${topic}.any`)
      await channel.queueBind(`${topic}.any`, topic, '')
      expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
        { kind: 'delivered' },
      ])
    })

    it('uses an exchange of another type, and finds a deleted one again', async () => {
      const topic = newTopic()
      const transport = rabbitmq()
      await channel.exchangeDeclare(topic, 'fanout')
      await transport.declareQueue(topic, 'g')
      expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
        { kind: 'delivered' },
      ])
      await channel.exchangeDelete(topic)
      // The broker closes the channel on which it was used.
      const lost = await transport.deliver([delivery(topic)], ordered)
      expect(lost).toMatchObject([{ kind: 'retryLater', failure: { code: 'CONNECTION_LOST' } }])
      const unbound = await transport.deliver([delivery(topic)], ordered)
      expect(unbound).toMatchObject([{ kind: 'retryLater', failure: { code: 'UNROUTABLE' } }])
    })

    it('survives a connection that breaks under a large batch', async () => {
      const topic = newTopic()
      const address = new URL(url)
      const line = await createTcpProxy({ host: address.hostname, port: Number(address.port) })
      address.hostname = line.host
      address.port = String(line.port)
      const transport = rabbitmq({ url: address.href })
      await rabbitmq().declareQueue(topic, 'g')
      await transport.deliver([delivery(topic)], ordered)
      const batch = Array.from({ length: 300 }, () =>
        delivery(topic, { key: undefined, payload: 'x'.repeat(100_000) }),
      )
      const delivering = transport.deliver(batch, ordered)
      setTimeout(() => line.cut(), 10)
      const outcomes = await delivering
      expect(outcomes.length).toBe(300)
      expect(outcomes.filter(({ kind }) => kind === 'retryLater').length).toBeGreaterThan(0)
      await line.heal()
      await vi.waitFor(async () => {
        expect(await transport.deliver([delivery(topic)], ordered)).toMatchObject([
          { kind: 'delivered' },
        ])
      }, wait)
      line.cut()
    })
  })

  describe('reading', () => {
    it('keeps what cannot be read as a dead letter, and reads what others wrote', async () => {
      const topic = newTopic()
      const letters: DeadLetter[] = []
      const transport = rabbitmq({ deadLetters: (letter) => void letters.push(letter) })
      const seen: Message[] = []
      await transport.subscribe({ topic, group: 'g', handle: async (m) => void seen.push(m) })
      await channel.basicPublish(topic, 'a.b', '{"a":')
      await channel.basicPublish(topic, 'a.b', '{"a":1}', { headers: { n: 5, table: { x: true } } })
      await channel.basicPublish(topic, 'a.b', '2', { messageId: 'm-1', type: 'own' })
      await vi.waitFor(() => expect(seen.length).toBe(2), wait)
      expect(seen).toMatchObject([
        { type: 'a.b', payload: { a: 1 }, headers: { n: '5', table: '{"x":true}' } },
        { id: 'm-1', type: 'own', payload: 2 },
      ])
      expect(letters).toMatchObject([
        { topic, group: 'g', failure: { code: 'MESSAGE_UNREADABLE' } },
      ])
      expect(Buffer.from(letters[0]?.raw?.body ?? []).toString()).toBe('{"a":')
      const { messageCount } = await channel.queueDeclare(`${topic}.g`, { passive: true })
      expect(messageCount).toBe(0)
    })

    it('keeps what the database refuses as a dead letter, and goes on behind it', async () => {
      const topic = newTopic()
      const transport = rabbitmq({
        deadLetters: database.pool,
        retry: fixed('1ms', { attempts: 1 }),
      })
      await transport.declareQueue(topic, 'g')
      const handled: unknown[] = []
      await transport.subscribe({
        ...{ topic, group: 'g' },
        handle: async ({ type, payload }) => {
          if (type === 'bad') throw new Error('never')
          handled.push(payload)
        },
      })
      const random = randomBytes(2_500).toString('hex')
      const publish = (body: string, headers: Record<string, string>) =>
        channel.basicPublish(topic, 'bad', body, {
          headers: { cloudEvents_id: uuid(), cloudEvents_type: 'bad', ...headers },
        })
      await publish('1', { cloudEvents_posthornversion: '3000000000' })
      await publish('2', { cloudEvents_id: random })
      await publish('3', { cloudEvents_partitionkey: random })
      await publish(`${'['.repeat(20_000)}${']'.repeat(20_000)}`, {})
      await publish('"next"', { cloudEvents_type: 'good' })
      await expect.poll(() => handled, wait).toEqual(['next'])
      const dead = async () =>
        (await listDeadLetters(database.pool, { topic })).items
          .map(({ code }) => String(code))
          .toSorted((a, b) => (a < b ? -1 : 1))
      await expect
        .poll(dead, wait)
        .toEqual([...Array(2).fill('CONSUMER_FAILED'), ...Array(2).fill('MESSAGE_UNSTORABLE')])
      await expect.poll(() => transport.lag({ topic, group: 'g' }), wait).toBe(0)
    })

    it('holds back only the key of a message that fails', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ retry: fixed('200ms', { attempts: 5 }) })
      const seen: string[] = []
      let failures = 0
      await transport.subscribe({
        topic,
        group: 'g',
        async handle({ type }) {
          if (type === 'a1' && ++failures < 3) throw new Error('not yet')
          seen.push(type)
        },
      })
      const types = ['a1', 'b1', 'a2', 'b2']
      const batch = types.map((type) => delivery(topic, { type, key: type.slice(0, 1) }))
      await transport.deliver(batch, ordered)
      await vi.waitFor(() => expect(seen).toEqual(['b1', 'b2', 'a1', 'a2']), wait)
    })

    it('handles so many at once, and never two of a key', async () => {
      const topic = newTopic()
      const transport = rabbitmq({ concurrency: 3 })
      const running = new Set<string>()
      let most = 0
      let handled = 0
      await transport.subscribe({
        topic,
        group: 'g',
        async handle({ key = '' }) {
          expect(running.has(key)).toBe(false)
          running.add(key)
          most = Math.max(most, running.size)
          await new Promise((resolve) => setTimeout(resolve, 3))
          running.delete(key)
          handled++
        },
      })
      const batch = Array.from({ length: 100 }, (_, i) => delivery(topic, { key: `k${i % 10}` }))
      await transport.deliver(batch, ordered)
      await vi.waitFor(() => expect(handled).toBe(100), wait)
      expect(most).toBe(3)
    })

    it('lets members compete if asked to', async () => {
      const topic = newTopic()
      const seen: number[] = []
      for (const n of [1, 2]) {
        const transport = rabbitmq({ members: 'compete', prefetch: 1 })
        await transport.subscribe({
          topic,
          group: 'g',
          async handle() {
            await new Promise((resolve) => setTimeout(resolve, 5))
            seen.push(n)
          },
        })
      }
      const batch = Array.from({ length: 20 }, () => delivery(topic, { key: undefined }))
      await rabbitmq().deliver(batch, ordered)
      await vi.waitFor(() => expect(seen.length).toBe(20), wait)
      expect(new Set(seen)).toEqual(new Set([1, 2]))
    })

    it('says that a queue has other settings, and that a name is too long', async () => {
      const topic = newTopic()
      await rabbitmq().declareQueue(topic, 'g')
      const other = rabbitmq({ members: 'compete' })
      const handle = async (): Promise<void> => undefined
      await expect(other.subscribe({ topic, group: 'g', handle })).rejects.toMatchObject({
        code: 'QUEUE_MISMATCH',
      })
      const long = { topic: 't'.repeat(150), group: 'g'.repeat(150), handle }
      await expect(other.subscribe(long)).rejects.toMatchObject({ code: 'TOPIC_INVALID' })
    })

    it('can be closed while it waits for a broker that is not there', async () => {
      const transport = rabbitmq({ url: 'amqp://127.0.0.1:1' })
      const reading = transport.subscribe({
        topic: newTopic(),
        group: 'g',
        handle: async () => undefined,
      })
      setTimeout(() => void transport.close(), 300)
      await expect(reading).rejects.toMatchObject({ code: 'CLOSED' })
    })

    it('keeps only the newest in a queue with a limit', async () => {
      const topic = newTopic()
      const transport = rabbitmq()
      await transport.declareQueue(topic, 'log', { maxLength: 3 })
      await transport.deliver(
        Array.from({ length: 10 }, () => delivery(topic, { key: undefined })),
        ordered,
      )
      await vi.waitFor(async () => {
        const { messageCount } = await channel.queueDeclare(`${topic}.log`, { passive: true })
        expect(messageCount).toBe(3)
      }, wait)
    })
  })
})

/** Methods of AMQP, as class and number. */
const [CONFIRM_OK, CHANNEL_CLOSED, ACK, NACK] = [
  0x00_55_00_0b, 0x00_14_00_29, 0x00_3c_00_50, 0x00_3c_00_78,
]

/** A server's words as they reach the client: all that is confirmed on the first channel is refused. */
function refuseFirstChannel(): (bytes: Buffer) => Buffer {
  let refused: number | undefined
  let isOver = false
  return (bytes) => {
    const changed = Buffer.from(bytes)
    // A frame: its kind, channel and length, what it says, and an end.
    for (let at = 0; at + 11 <= changed.length; at += 8 + changed.readUInt32BE(at + 3)) {
      const channel = changed.readUInt16BE(at + 1)
      const method = changed[at] === 1 ? changed.readUInt32BE(at + 7) : undefined
      if (method === CONFIRM_OK && !isOver) refused ??= channel
      if (method === CHANNEL_CLOSED && channel === refused) [refused, isOver] = [undefined, true]
      if (method === ACK && channel === refused) changed.writeUInt32BE(NACK, at + 7)
    }
    return changed
  }
}
