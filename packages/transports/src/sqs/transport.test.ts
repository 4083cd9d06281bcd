import { randomUUID } from 'node:crypto'
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs'
import { exponential, toMessage, type Delivery, type Message } from '@posthorn/engine'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { batchesOf } from './publisher.ts'
import { findQueue, queueNameOf } from './queues.ts'
import { sqsTransport, type SqsOptions } from './index.ts'

const database = await testDatabase()
const ordered = { ordered: true, signal: new AbortController().signal }
const credentials = { accessKeyId: 'posthorn', secretAccessKey: 'posthorn-secret' }
const newTopic = () => `sqs-${randomUUID()}`

function delivery(topic: string, key: string, payload: unknown): Delivery {
  const message = toMessage({ id: randomUUID(), type: 'any', key, payload })
  return { message, destination: { transport: 'sqs', topic } }
}

test('puts as much into a request as its limits allow', () => {
  const publication = (bytes: number) => ({
    ...{ topic: 't', body: '', groupId: 'g', dedupeId: 'd' },
    bytes,
  })
  const sizes = (bytes: readonly number[]) =>
    batchesOf(bytes.map(publication), 100).map((batch) => batch.map((each) => each.bytes))
  expect(sizes(Array.from({ length: 25 }, () => 1)).map((batch) => batch.length)).toEqual([
    10, 10, 5,
  ])
  expect(sizes([60, 40, 1, 100, 30])).toEqual([[60, 40], [1], [100], [30]])
})

test('names queues within 80 characters, and no two alike', () => {
  const long = 'a'.repeat(200)
  const names = [
    queueNameOf('posthorn_', long, long),
    queueNameOf('posthorn_', `${long.slice(1)}b`, long),
    queueNameOf('posthorn_', 'shop.orders', 'mail'),
    queueNameOf('posthorn_', 'shop-orders', 'mail'),
  ]
  expect(new Set(names).size).toBe(4)
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,75}\.fifo$/)
})

withBroker('SQS_ENDPOINT', (endpoint) => {
  const sqs = (changes: Partial<SqsOptions> = {}) => {
    const transport = sqsTransport({
      ...{ region: 'us-east-1', endpoint, credentials, timeout: '3s', session: '3s', drain: '1s' },
      deadLetters: database.pool,
      retry: exponential('100ms', { attempts: 5 }),
      ...changes,
    })
    onTestFinished(() => transport.close())
    return transport
  }

  test('drops a message that comes again, and sends to groups that are named', async () => {
    const topic = newTopic()
    const transport = sqs({ groups: () => ['mail', 'stock'] })
    const one = delivery(topic, 'k', 1)
    expect(await transport.deliver([one], ordered)).toMatchObject([{ kind: 'delivered' }])
    // As after an answer that was lost.
    expect(await transport.deliver([one], ordered)).toMatchObject([{ kind: 'delivered' }])
    expect(await transport.lag({ topic, group: 'mail' })).toBe(1)
    expect(await transport.lag({ topic, group: 'stock' })).toBe(1)
  })

  test('takes what is sent again on purpose, once for each time that it was taken', async () => {
    const topic = newTopic()
    const transport = sqs({ groups: () => ['mail'] })
    const first = delivery(topic, 'k', 1)
    await transport.deliver([first], ordered)
    const again = { ...first, sentAt: new Date() }
    await transport.deliver([again], ordered)
    // An answer that was lost: still the same time.
    expect(await transport.deliver([again], ordered)).toMatchObject([{ kind: 'delivered' }])
    expect(await transport.lag({ topic, group: 'mail' })).toBe(2)
  })

  test('says what cannot be: no queue, none to be made, a message that is too large', async () => {
    const topic = newTopic()
    expect(await sqs().deliver([delivery(topic, 'k', 1)], ordered)).toMatchObject([
      { kind: 'retryLater', failure: { code: 'UNROUTABLE' } },
    ])
    const handle = async () => undefined
    const none = sqs({ createQueues: false }).subscribe({ topic, group: 'g', handle })
    await expect(none).rejects.toMatchObject({ code: 'TOPIC_MISSING' })
    const large = delivery(topic, 'k', 'ä'.repeat(140_000))
    expect(await sqs().deliver([large], ordered)).toMatchObject([
      { kind: 'refused', failure: { code: 'MESSAGE_TOO_LARGE' } },
    ])
  })

  test('takes what others have written, with its group as the key', async () => {
    const topic = newTopic()
    const seen: Message[] = []
    const transport = sqs()
    await transport.subscribe({ topic, group: 'g', handle: async (one) => void seen.push(one) })
    const client = new SQSClient({ region: 'us-east-1', endpoint, credentials })
    onTestFinished(() => client.destroy())
    const queue = await findQueue(
      (request) => request(client, { abortSignal: new AbortController().signal }),
      queueNameOf('posthorn_', topic, 'g'),
    )
    const foreign = {
      ...{ QueueUrl: queue, MessageBody: '{"n":7}' },
      ...{ MessageGroupId: 'k', MessageDeduplicationId: randomUUID() },
    }
    await client.send(new SendMessageCommand(foreign))
    await expect.poll(() => seen).toMatchObject([{ key: 'k', payload: { n: 7 }, type: topic }])
  })
})
