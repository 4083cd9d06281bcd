import { AMQPClient } from '@cloudamqp/amqp-client'
import { Admin } from '@platformatic/kafka'
import { toMessage } from '@posthorn/engine'
import { withBroker } from '@posthorn/engine/testing'
import { natsTransport } from '@posthorn/transports/nats'
import { redisTransport } from '@posthorn/transports/redis'
import { sqsTransport } from '@posthorn/transports/sqs'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { shopEvents } from '../../testing/shop.ts'
import { checkKafka } from './kafka.ts'
import { checkRabbitmq, checkNats, checkRedis, checkSqs, topologyOf } from './queues.ts'

const handle = async () => undefined
const [development, production] = [{ production: false }, { production: true }]

test('a topology is what is sent to and read from, at one broker and once', () => {
  const outboxTo = (transport: string, topic: string) => ({
    ...shopEvents,
    destination: { transport, topic },
  })
  const opened = {
    outboxes: [
      outboxTo('kafka', 'b'),
      outboxTo('kafka', 'a'),
      outboxTo('rabbitmq', 'c'),
      { ...shopEvents, destination: () => ({ transport: 'kafka', topic: 'whichever' }) },
    ],
    consumers: [{ transport: 'kafka', topic: 'a', group: 'g', handle }],
    queues: [{ transport: 'kafka', topic: 'a', group: 'g' }],
  }
  expect(topologyOf(opened, 'kafka')).toEqual({
    topics: ['a', 'b'],
    groups: [{ topic: 'a', group: 'g' }],
  })
})

withBroker('KAFKA_BROKERS', (address) => {
  const brokers = address.split(',')
  const access = { address }

  test('a topic of Kafka that is missing, then there', async () => {
    const topic = `doctor-${randomUUID()}`
    const topology = { topics: [topic], groups: [] }
    expect(await checkKafka(access, topology, development)).toMatchObject([
      { check: 'kafka', level: 'warn', says: `topic ${topic} does not exist yet` },
    ])
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: brokers })
    onTestFinished(() => admin.close())
    await admin.createTopics({ topics: [topic], partitions: 3, replicas: 1 })
    onTestFinished(() => admin.deleteTopics({ topics: [topic] }))
    const says = `topic ${topic}: 3 partitions, 1 copy, min.insync.replicas 1`
    await expect
      .poll(() => checkKafka(access, topology, development))
      .toEqual([{ check: 'kafka', level: 'ok', says }])
    // What is enough on a laptop is a message lost with the disk of one broker.
    expect(await checkKafka(access, topology, production)).toMatchObject([
      { level: 'warn', says, todo: 'keep three copies of which two must be in sync' },
    ])
  })

  withBroker('SCHEMA_REGISTRY_URL', (url) => {
    test('a topic without a schema, then with one', async () => {
      const topic = `doctor-${randomUUID()}`
      const secured = { ...access, schemaRegistry: { url, subject: 'topic' as const } }
      const check = async () =>
        (await checkKafka(secured, { topics: [topic], groups: [] }, development)).at(-1)
      expect(await check()).toMatchObject({
        ...{ level: 'warn', says: `topic ${topic} has no schema in the registry` },
      })
      const { id } = (await (
        await fetch(`${url}/subjects/${topic}-value/versions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ schemaType: 'JSON', schema: '{"type":"object","properties":{}}' }),
        })
      ).json()) as { id: number }
      expect(await check()).toMatchObject({ level: 'ok', says: `topic ${topic}: schema ${id}` })
    })
  })

  test('a topic that asks for more copies in sync than there are fails', async () => {
    const topic = `doctor-${randomUUID()}`
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: brokers })
    onTestFinished(() => admin.close())
    const configs = [{ name: 'min.insync.replicas', value: '2' }]
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1, configs })
    onTestFinished(() => admin.deleteTopics({ topics: [topic] }))
    await expect
      .poll(() => checkKafka(access, { topics: [topic], groups: [] }, development))
      .toMatchObject([
        {
          level: 'fail',
          says: `topic ${topic}: 1 partition with fewer copies in sync than min.insync.replicas, 2; nothing is taken`,
        },
      ])
  })
})

withBroker('RABBITMQ_URL', (url) => {
  test('an exchange and a queue of RabbitMQ that are missing, then there and unread', async () => {
    const topic = `doctor-${randomUUID()}`
    const topology = { topics: [topic], groups: [{ topic, group: 'g' }] }
    expect(await checkRabbitmq({ address: url }, topology)).toMatchObject([
      { check: 'rabbitmq', level: 'warn', says: `exchange ${topic} does not exist yet` },
      { level: 'warn', says: expect.stringContaining(`queue ${topic}.g does not exist yet`) },
    ])
    const client = new AMQPClient(url)
    await client.connect()
    onTestFinished(() => client.close())
    const channel = await client.channel()
    await channel.exchangeDeclare(topic, 'topic')
    await channel.queueDeclare(`${topic}.g`, { durable: true })
    onTestFinished(async () => {
      await channel.queueDelete(`${topic}.g`)
      await channel.exchangeDelete(topic)
    })
    expect(await checkRabbitmq({ address: url }, topology)).toEqual([
      { check: 'rabbitmq', level: 'ok', says: `exchange ${topic} exists` },
      { check: 'rabbitmq', level: 'ok', says: `queue ${topic}.g: 0 messages, 0 readers` },
    ])
    await channel.confirmSelect()
    await channel.basicPublish('', `${topic}.g`, 'x')
    expect((await checkRabbitmq({ address: url }, topology)).at(1)).toMatchObject({
      level: 'warn',
      says: `queue ${topic}.g: 1 message, 0 readers`,
      todo: 'start a worker',
    })
  })
})

withBroker('NATS_URL', (address) => {
  test('a stream of NATS that is missing, then there with a group behind', async () => {
    const topic = `doctor-${randomUUID()}`
    const topology = { topics: [topic], groups: [{ topic, group: 'g' }] }
    expect(await checkNats({ address }, topology)).toMatchObject([
      { check: 'nats', level: 'warn', says: `topic ${topic} has no stream yet` },
      { level: 'ok', says: `group g of ${topic}: 0 messages behind` },
    ])
    const transport = natsTransport({
      url: address,
      deadLetters: async () => undefined,
      createStreams: { partitions: 2 },
    })
    onTestFinished(() => transport.close())
    const reading = await transport.subscribe({ topic, group: 'g', handle })
    await reading.close()
    const message = toMessage({ id: randomUUID(), type: 'x', payload: {} })
    const options = { ordered: false, signal: new AbortController().signal }
    const destination = { transport: 'nats', topic }
    await transport.deliver([{ message, destination }], options)
    expect(await checkNats({ address }, topology)).toMatchObject([
      { level: 'ok', says: `topic ${topic}: a stream with 2 partitions` },
      { level: 'ok', says: `group g of ${topic}: 1 message behind` },
    ])
  })
})

withBroker('REDIS_URL', (address) => {
  test('streams of Redis that are missing, then there with a group behind', async () => {
    const topic = `doctor-${randomUUID()}`
    const topology = { topics: [topic], groups: [{ topic, group: 'g' }] }
    expect(await checkRedis({ address }, topology)).toMatchObject([
      { check: 'redis', level: 'ok', says: expect.stringContaining('stores on disk') },
      { level: 'warn', says: `topic ${topic} has no streams yet` },
      { level: 'ok', says: `group g of ${topic}: 0 messages behind` },
    ])
    const transport = redisTransport({
      url: address,
      deadLetters: async () => undefined,
      partitions: 2,
    })
    onTestFinished(() => transport.close())
    const reading = await transport.subscribe({ topic, group: 'g', handle })
    await reading.close()
    const message = toMessage({ id: randomUUID(), type: 'x', payload: {} })
    const options = { ordered: false, signal: new AbortController().signal }
    const destination = { transport: 'redis', topic }
    await transport.deliver([{ message, destination }], options)
    expect(await checkRedis({ address }, topology)).toMatchObject([
      { level: 'ok' },
      { level: 'ok', says: `topic ${topic}: 2 streams` },
      { level: 'ok', says: `group g of ${topic}: 1 message behind` },
    ])
  })
})

withBroker('SQS_ENDPOINT', (address) => {
  test('a topic of SQS without a queue, then with one and a group behind', async () => {
    const topic = `doctor-${randomUUID()}`
    const topology = { topics: [topic], groups: [{ topic, group: 'g' }] }
    const access = { address, region: 'us-east-1', prefix: 'doctor_' }
    expect(await checkSqs(access, topology)).toMatchObject([
      { check: 'sqs', level: 'warn', says: `topic ${topic} has no queue yet` },
      { level: 'ok', says: `group g of ${topic}: 0 messages behind` },
    ])
    const transport = sqsTransport({ endpoint: address, region: 'us-east-1', prefix: 'doctor_' })
    onTestFinished(() => transport.close())
    await transport.declareQueue(topic, 'g')
    const message = toMessage({ id: randomUUID(), type: 'x', payload: {} })
    const options = { ordered: false, signal: new AbortController().signal }
    await transport.deliver([{ message, destination: { transport: 'sqs', topic } }], options)
    expect(await checkSqs(access, topology)).toMatchObject([
      { level: 'ok', says: `topic ${topic}: 1 queue` },
      { level: 'ok', says: `group g of ${topic}: 1 message behind` },
    ])
  })
})
