import { randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { exponential, fixed, toMessage, type Delivery, type Message } from '@posthorn/engine'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { natsTransport, type NatsOptions } from './index.ts'

const database = await testDatabase()
const ordered = { ordered: true, signal: new AbortController().signal }
const newTopic = () => `nats-${randomUUID()}`

function delivery(topic: string, key: string, n: number): Delivery {
  const message = toMessage({ id: randomUUID(), type: 'numbered', key, payload: { n } })
  return { message, destination: { transport: 'nats', topic } }
}

withBroker('NATS_URL', (url) => {
  const nats = (changes: Partial<NatsOptions> = {}) => {
    const transport = natsTransport({
      ...{ url, timeout: '3s', session: '3s', drain: '1s', retryPoll: '100ms' },
      deadLetters: database.pool,
      retry: exponential('100ms', { attempts: 5 }),
      ...changes,
    })
    onTestFinished(() => transport.close())
    return transport
  }
  const inspect = async () => {
    const client = await connect({ servers: url.replace('nats://', '') })
    onTestFinished(() => client.close())
    return jetstreamManager(client)
  }

  test('what one member has set aside holds back its key at the others too', async () => {
    const topic = newTopic()
    const seen: number[] = []
    const members = new Set<string>()
    let failures = 0
    const subscribe = (name: string) =>
      nats().subscribe({
        ...{ topic, group: 'g', retry: fixed('2500ms', { attempts: 3 }) },
        async handle({ payload }: Message) {
          const { n } = payload as { n: number }
          if (n === 0 && failures++ === 0) throw new Error('not yet')
          members.add(name)
          seen.push(n)
        },
      })
    await Promise.all([subscribe('one'), subscribe('two')])
    // Both have read what was set aside before, which is nothing.
    const before = Array.from({ length: 200 }, (_, n) => delivery(topic, `other-${n}`, n + 100))
    await nats().deliver(before, ordered)
    await expect.poll(() => seen.length).toBe(200)
    expect(members.size).toBe(2)
    const batch = Array.from({ length: 60 }, (_, n) => delivery(topic, 'k', n))
    await nats().deliver(batch, ordered)
    await expect.poll(() => seen.length).toBe(260)
    expect(seen.slice(200)).toEqual(batch.map((_, n) => n))
  })

  test('makes a stream as asked, and takes one that is there as it is', async () => {
    const topic = `shop.${newTopic()}`
    const createStreams = { partitions: 3, keep: '1h' } as const
    await nats({ createStreams }).deliver([delivery(topic, 'a', 1)], ordered)
    const manager = await inspect()
    const { config } = await manager.streams.info(topic.replaceAll('.', '~'))
    expect(config.subjects).toEqual([`${topic}.0`, `${topic}.1`, `${topic}.2`])
    expect(config.max_age).toBe(3_600_000_000_000)
    const sent = Array.from({ length: 30 }, (_, n) => delivery(topic, `k${n}`, n))
    const outcomes = await nats().deliver(sent, ordered)
    expect(new Set(outcomes.map((each) => Reflect.get(each, 'ref')?.partition))).toEqual(
      new Set([0, 1, 2]),
    )
  })

  test('says what cannot be: a topic that is missing, a name, a message that is too large', async () => {
    const missing = nats({ createStreams: false })
    const [first] = await missing.deliver([delivery(newTopic(), 'a', 1)], ordered)
    expect(first).toMatchObject({ kind: 'retryLater', failure: { code: 'TOPIC_MISSING' } })
    const handle = async () => undefined
    const nowhere = missing.subscribe({ topic: newTopic(), group: 'g', handle })
    await expect(nowhere).rejects.toMatchObject({ code: 'TOPIC_MISSING' })
    const [second] = await nats().deliver([delivery('a..b', 'a', 1)], ordered)
    expect(second).toMatchObject({ kind: 'refused', failure: { code: 'TOPIC_INVALID' } })
    const [third] = await nats({ maxMessageBytes: 100 }).deliver(
      [delivery(newTopic(), 'a', 1)],
      ordered,
    )
    expect(third).toMatchObject({ kind: 'refused', failure: { code: 'MESSAGE_TOO_LARGE' } })
  })

  test('finds a stream again that was deleted under it', async () => {
    const topic = newTopic()
    const transport = nats({ timeout: '1s' })
    await transport.deliver([delivery(topic, 'a', 1)], ordered)
    const manager = await inspect()
    await manager.streams.delete(topic)
    const [lost] = await transport.deliver([delivery(topic, 'a', 2)], ordered)
    expect(lost?.kind).toBe('retryLater')
    const [found] = await transport.deliver([delivery(topic, 'a', 2)], ordered)
    expect(found?.kind).toBe('delivered')
  })
})
