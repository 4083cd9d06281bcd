import { randomUUID } from 'node:crypto'
import { createTcpProxy, withBroker } from '@posthorn/engine/testing'
import { silentLog, toMessage, uuid, type Log } from '@posthorn/engine'
import { afterEach, expect, it, vi } from 'vitest'
import { kafkaTransport, type KafkaTransport } from './index.ts'

const made: KafkaTransport[] = []
afterEach(async () => {
  await Promise.all(made.splice(0).map((each) => each.close()))
})
const handle = async (): Promise<void> => undefined
const wait = { timeout: 40_000, interval: 25 }

function recordLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const note = (_: unknown, line: string): void => void lines.push(line)
  return { log: { ...silentLog, info: note, warn: note }, lines }
}

withBroker('KAFKA_BROKERS', (address) => {
  const [broker = ''] = address.split(',')
  const [host = '', port = ''] = broker.split(':')
  const kafka = (brokers: readonly string[], log = silentLog): KafkaTransport => {
    const transport = kafkaTransport({
      brokers,
      log,
      session: '6s',
      drain: '1s',
      deadLetters: () => undefined,
    })
    made.push(transport)
    return transport
  }

  /** A broker that takes a topic and does not show it before `show` is called. */
  async function slowBroker(topic: string) {
    let hides = true
    const other = topic.replace('slow', 'fast')
    const line = await createTcpProxy({ host, port: Number(port) }, () => (bytes) => {
      if (!hides) return bytes
      return Buffer.from(bytes.toString('latin1').replaceAll(topic, other), 'latin1')
    })
    return { ...line, show: () => void (hides = false) }
  }

  it('waits for a broker that is slow to show the topic it has made, and says so once', async () => {
    const topic = `slow-${randomUUID()}`
    const { log, lines } = recordLog()
    const slow = await slowBroker(topic)
    const transport = kafka([`${slow.host}:${slow.port}`], log)
    const joined = transport.subscribe({ topic, group: 'g', handle })
    const outcome = joined.then(
      () => 'joined',
      (error: unknown) => error,
    )
    await vi.waitFor(() => expect(lines).toContain('cannot subscribe; trying again'), wait)

    const message = toMessage({ id: uuid(), type: 'any', payload: 1 })
    const deliveries = [{ message, destination: { transport: 'kafka', topic } }]
    const how = { ordered: true, signal: new AbortController().signal }
    expect(await transport.deliver(deliveries, how)).toMatchObject([
      { kind: 'retryLater', unreachable: true, failure: { code: 'LEADER_NOT_AVAILABLE' } },
    ])

    slow.show()
    expect(await outcome).toBe('joined')
    expect(lines.filter((line) => line.startsWith('cannot subscribe'))).toHaveLength(1)
    expect(lines.at(-1)).toBe('subscribed after failures')
    await slow.close()
  }, 60_000)

  it('gives up waiting for a topic when it is closed', async () => {
    const topic = `slow-${randomUUID()}`
    const slow = await slowBroker(topic)
    const transport = kafka([`${slow.host}:${slow.port}`])
    const joined = transport.subscribe({ topic, group: 'g', handle })
    const rejected = joined.catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const begun = performance.now()
    await transport.close()
    expect(performance.now() - begun).toBeLessThan(3_000)
    expect(await rejected).toMatchObject({ code: 'CLOSED' })
    await slow.close()
  })

  it('fails at once for a name that Kafka never takes', async () => {
    const joined = kafka([broker]).subscribe({ topic: '..', group: 'g', handle })
    await expect(joined).rejects.toMatchObject({
      code: 'INVALID_TOPIC_EXCEPTION',
      retryable: false,
    })
  })
})
