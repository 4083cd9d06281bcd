import { toMessage, uuid, type Delivery, type Message } from '@posthorn/engine'
import type { DeadLetter } from '@posthorn/engine/internal'
import { withBroker } from '@posthorn/engine/testing'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi, test } from 'vitest'
import { kafkaTransport, type KafkaOptions, type KafkaTransport } from './index.ts'
import { cacheBytes } from './transport.ts'

/** No message of these tests may die unless the test says so. */
const refuse = ({ failure }: DeadLetter): never => {
  throw new Error(`a dead letter: ${failure.message}`)
}

withBroker('KAFKA_BROKERS', (address) => {
  const brokers = address.split(',')
  const made: KafkaTransport[] = []
  afterEach(async () => {
    await Promise.all(made.splice(0).map((each) => each.close()))
  })
  const kafka = (options: Partial<KafkaOptions> = {}): KafkaTransport => {
    const transport = kafkaTransport({
      brokers,
      session: '6s',
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
    return { message, destination: { transport: 'kafka', topic } }
  }

  async function produce(
    topic: string,
    records: { key?: string; value?: string }[],
  ): Promise<void> {
    const producer = new Producer({
      clientId: 'foreign',
      bootstrapBrokers: brokers,
      serializers: stringSerializers,
    })
    await producer.send({ messages: records.map((record) => ({ ...record, topic, partition: 0 })) })
    await producer.close()
  }

  // A broker that has just started answers its first producers with "not yet".
  beforeAll(async () => {
    const transport = kafkaTransport({ brokers })
    const topic = newTopic()
    await vi.waitFor(async () => {
      const [outcome] = await transport.deliver([delivery(topic)], ordered)
      expect(outcome).toMatchObject({ kind: 'delivered' })
    }, wait)
    await transport.close()
  })

  describe('sending', () => {
    it('refuses the one message that is too large, and keeps the order around it', async () => {
      const topic = newTopic()
      const transport = kafka()
      const batch = Array.from({ length: 20 }, (_, i) =>
        delivery(topic, { key: `k${i % 5}`, payload: 'x'.repeat(i === 7 ? 1_500_000 : 20_000) }),
      )
      const outcomes = await transport.deliver(batch, ordered)
      // The later ones of the same key wait for a decision about it.
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        batch.map((_, i) => {
          if (i === 7) return 'refused'
          return i > 7 && i % 5 === 2 ? 'retryLater' : 'delivered'
        }),
      )
      expect(outcomes[7]).toMatchObject({ failure: { code: 'MESSAGE_TOO_LARGE' } })
    })

    it('sends more for one partition than a broker takes at once', async () => {
      const topic = newTopic()
      const transport = kafka()
      const batch = Array.from({ length: 40 }, () =>
        delivery(topic, { payload: 'x'.repeat(80_000) }),
      )
      const outcomes = await transport.deliver(batch, ordered)
      const offsets = outcomes.map((each) =>
        each.kind === 'delivered' ? each.ref?.['offset'] : each,
      )
      expect(offsets).toEqual(batch.map((_, i) => String(i)))
    })

    it('says which topic is missing, and may not make it', async () => {
      const transport = kafka({ createTopics: false })
      const [outcome] = await transport.deliver([delivery(newTopic())], ordered)
      expect(outcome).toMatchObject({ kind: 'retryLater', failure: { code: 'TOPIC_MISSING' } })
      const reading = transport.subscribe({
        topic: newTopic(),
        group: 'g',
        handle: async () => undefined,
      })
      await expect(reading).rejects.toMatchObject({ code: 'TOPIC_MISSING' })
    })

    it('makes topics with as many partitions as asked', async () => {
      const topic = newTopic()
      const transport = kafka({ createTopics: { partitions: 3 } })
      const batch = Array.from({ length: 9 }, () => delivery(topic, { key: undefined }))
      const outcomes = await transport.deliver(batch, ordered)
      const partitions = outcomes.map((o) => (o.kind === 'delivered' ? o.ref?.['partition'] : o))
      expect(new Set(partitions)).toEqual(new Set([0, 1, 2]))
    })

    it('refuses a bad name', async () => {
      const [outcome] = await kafka().deliver([delivery('a b')], ordered)
      expect(outcome).toMatchObject({ kind: 'refused', failure: { code: 'TOPIC_INVALID' } })
    })

    it('answers within its time when no broker is there', async () => {
      const begun = performance.now()
      const unreachable = kafka({ brokers: ['127.0.0.1:1'], timeout: '2s' })
      const outcomes = await unreachable.deliver([delivery(newTopic())], ordered)
      expect(outcomes).toMatchObject([{ kind: 'retryLater', unreachable: true }])
      expect(performance.now() - begun).toBeLessThan(20_000)
    })
  })

  describe('reading', () => {
    it('keeps what cannot be read as a dead letter and goes on', async () => {
      const topic = newTopic()
      const letters: DeadLetter[] = []
      const transport = kafka({
        createTopics: { partitions: 1 },
        deadLetters: (letter) => void letters.push(letter),
      })
      const seen: Message[] = []
      await transport.subscribe({
        topic,
        group: 'g',
        handle: async (message) => void seen.push(message),
      })
      await produce(topic, [{ value: '{"a":1}' }, { value: '{"a":' }, { key: 'k', value: '2' }, {}])
      await vi.waitFor(() => expect(seen.length).toBe(3), wait)

      expect(seen.map(({ payload }) => payload)).toEqual([{ a: 1 }, 2, null])
      expect(seen.map(({ type, key }) => ({ type, key }))).toEqual([
        { type: topic, key: undefined },
        { type: topic, key: 'k' },
        { type: topic, key: undefined },
      ])
      expect(new Set(seen.map(({ id }) => id)).size).toBe(3)
      expect(letters).toMatchObject([
        {
          ...{ topic, group: 'g', place: { partition: 0, offset: 1 }, message: undefined },
          failure: { code: 'MESSAGE_UNREADABLE' },
        },
      ])
      expect(Buffer.from(letters[0]?.raw?.body ?? []).toString()).toBe('{"a":')
    })

    it('acknowledges nothing before its dead letter is kept', async () => {
      const topic = newTopic()
      let reports = 0
      const transport = kafka({
        createTopics: { partitions: 1 },
        deadLetters: () => {
          if (++reports < 3) throw new Error('the dead letter queue is full')
        },
      })
      const seen: Message[] = []
      await transport.subscribe({ topic, group: 'g', handle: async (m) => void seen.push(m) })
      await produce(topic, [{ value: 'no' }, { value: '1' }])
      await vi.waitFor(() => expect(seen.length).toBe(1), wait)
      expect(reports).toBe(3)
    })

    it('goes on behind what the topic no longer has', async () => {
      const topic = newTopic()
      const first = kafka({ createTopics: { partitions: 1 }, drain: '10ms' })
      const batch = Array.from({ length: 6 }, () => delivery(topic))
      await first.deliver(batch, ordered)
      let seen = 0
      const reading = await first.subscribe({
        topic,
        group: 'g',
        handle: () => (++seen === 1 ? Promise.resolve() : new Promise(() => undefined)),
      })
      await vi.waitFor(() => expect(seen).toBe(2), wait)
      await reading.close()
      const admin = new Admin({ clientId: 'retention', bootstrapBrokers: brokers })
      const gone = { name: topic, partitions: [{ partition: 0, offset: 4n }] }
      await admin.deleteRecords({ topics: [gone] })
      await admin.close()

      const ids: string[] = []
      await kafka().subscribe({ topic, group: 'g', handle: async ({ id }) => void ids.push(id) })
      const rest = batch.slice(4).map(({ message }) => message.id)
      await vi.waitFor(() => expect(ids).toEqual(rest), wait)
    })

    it('begins at the end if asked to', async () => {
      const topic = newTopic()
      const transport = kafka({ createTopics: { partitions: 1 }, from: 'latest' })
      await transport.deliver([delivery(topic), delivery(topic)], ordered)
      const ids: string[] = []
      await transport.subscribe({ topic, group: 'g', handle: async ({ id }) => void ids.push(id) })
      // The end is looked up in the background, once the partitions are known.
      await new Promise((resolve) => setTimeout(resolve, 500))
      const after = delivery(topic)
      await transport.deliver([after], ordered)
      await vi.waitFor(() => expect(ids).toEqual([after.message.id]), wait)
    })

    it('reads several topics under one group name, each wholly', async () => {
      const topics = [newTopic(), newTopic()]
      const members = [kafka(), kafka()]
      const seen: string[] = []
      const handle = async ({ id }: Message): Promise<void> => void seen.push(id)
      for (const topic of topics) {
        for (const member of members) await member.subscribe({ topic, group: 'g', handle })
      }
      const batch = topics.flatMap((topic) =>
        Array.from({ length: 40 }, (_, i) => delivery(topic, { key: `k${i}` })),
      )
      await kafka().deliver(batch, ordered)
      const sent = new Set(batch.map(({ message }) => message.id))
      await vi.waitFor(() => expect(new Set(seen)).toEqual(sent), wait)
    })

    it('shares partitions between members without a gap when one leaves', async () => {
      const topic = newTopic()
      const [one, two] = [kafka(), kafka()]
      const seen: string[] = []
      const handle = async ({ id }: Message): Promise<void> => void seen.push(id)
      await one.subscribe({ topic, group: 'g', handle })
      const second = await two.subscribe({ topic, group: 'g', handle })
      const sent: string[] = []
      const send = async (): Promise<void> => {
        const batch = Array.from({ length: 40 }, (_, i) => delivery(topic, { key: `k${i}` }))
        await one.deliver(batch, ordered)
        sent.push(...batch.map(({ message }) => message.id))
      }
      for (let i = 0; i < 5; i++) await send()
      await second.close()
      for (let i = 0; i < 5; i++) await send()
      await vi.waitFor(() => expect(new Set(seen)).toEqual(new Set(sent)), wait)
    })
  })
})

test('gives the bytes of any text, the same ones for a short text that comes again', () => {
  const bytesOf = cacheBytes()
  for (const text of ['ce_type', '', 'é😀', 'x'.repeat(10_000)]) {
    expect(bytesOf(text)).toEqual(Buffer.from(text))
  }
  expect(bytesOf('ce_type')).toBe(bytesOf('ce_type'))
})

test('is right when more texts have come than it remembers', () => {
  const bytesOf = cacheBytes()
  const texts = Array.from({ length: 2_000 }, (_, n) => `key-${n}`)
  expect(texts.map((text) => bytesOf(text).toString())).toEqual(texts)
})
