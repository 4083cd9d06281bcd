import { toMessage, uuid, type Subscriber, type Transport } from '@posthorn/engine'
import { listDeadLetters } from '@posthorn/operate'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { kafkaTransport } from './kafka/index.ts'
import { postgresTransport, topicMigrations } from './postgres/index.ts'
import { rabbitmqTransport } from './rabbitmq/index.ts'

const database = await testDatabase({ migrations: [await topicMigrations()] })

/** A process that consumes and, at the message "poison", dies or fails as `AT` says. */
const CONSUMER = `
import { Pool } from 'pg'
import { DeliveryError } from '@posthorn/engine'
const { BROKER, ADDRESS, DATABASE, TOPIC, AT } = process.env
const pool = new Pool({ connectionString: DATABASE })
pool.on('error', () => undefined)
const deadLetters = pool
const make = {
  postgres: async () => (await import('@posthorn/transports/postgres')).postgresTransport({ pool, lease: '2s', poll: '200ms' }),
  kafka: async () => (await import('@posthorn/transports/kafka')).kafkaTransport({ brokers: [ADDRESS], session: '6s', deadLetters }),
  rabbitmq: async () => (await import('@posthorn/transports/rabbitmq')).rabbitmqTransport({ url: ADDRESS, deadLetters }),
}
if (AT === 'kept') {
  // The row has committed; the acknowledgement has not gone out.
  const query = pool.query.bind(pool)
  pool.query = async (...args) => {
    const result = await query(...args)
    if (args[0].text?.includes('insert into posthorn.consumer_message')) process.kill(process.pid, 'SIGKILL')
    return result
  }
}
const transport = await make[BROKER]()
await transport.subscribe({
  topic: TOPIC, group: 'g',
  async handle({ payload }) {
    if (payload !== 'poison') return
    if (AT === 'handling') process.kill(process.pid, 'SIGKILL')
    throw new DeliveryError('NEVER', 'no', { retryable: false })
  },
})
setInterval(() => undefined, 1000)
`

type Broker = Transport & Required<Subscriber>

function exercise(
  name: 'postgres' | 'kafka' | 'rabbitmq',
  { address, make }: { address: string; make: () => Broker },
): void {
  describe(`${name}: a killed consumer`, { timeout: 240_000 }, () => {
    const made: Broker[] = []
    afterAll(() => Promise.all(made.map((each) => each.close())))
    const openBroker = (): Broker => {
      const broker = make()
      made.push(broker)
      return broker
    }
    /** Runs the consumer until it dies of its message. */
    const runUntilDead = async (topic: string, at: 'handling' | 'kept'): Promise<void> => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', CONSUMER], {
        cwd: new URL('.', import.meta.url),
        env: {
          ...process.env,
          ...{ BROKER: name, ADDRESS: address, DATABASE: database.url, TOPIC: topic, AT: at },
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
      expect(signal).toBe('SIGKILL')
    }
    const send = async (broker: Broker, topic: string, payloads: string[]): Promise<void> => {
      const batch = payloads.map((payload) => ({
        message: toMessage({ id: uuid(), type: 'test', key: 'k', payload }),
        destination: { transport: name, topic },
      }))
      const signal = new AbortController().signal
      const outcomes = await broker.deliver(batch, { ordered: true, signal })
      expect(outcomes.map(({ kind }) => kind)).toEqual(payloads.map(() => 'delivered'))
    }
    /** A group that is known to its broker, so that nothing sent before it reads is lost. */
    const prepare = async (broker: Broker, topic: string): Promise<void> => {
      const first = await broker.subscribe({ topic, group: 'g', handle: async () => undefined })
      await first.close()
    }

    it('a process killed between dead letter and acknowledgement keeps one dead letter', async () => {
      const topic = `killed-${randomUUID()}`
      const broker = openBroker()
      await prepare(broker, topic)
      await send(broker, topic, ['a', 'poison', 'b'])
      await runUntilDead(topic, 'kept')
      const seen: unknown[] = []
      await broker.subscribe({
        ...{ topic, group: 'g' },
        handle: async ({ payload }) => void seen.push(payload),
      })
      await expect.poll(() => seen.at(-1), { timeout: 60_000 }).toBe('b')
      expect(seen).not.toContain('poison')
      const { items } = await listDeadLetters(database.pool, { topic })
      expect(items).toMatchObject([{ payload: 'poison', code: 'NEVER', state: 'dead' }])
    })

    it('a message that kills its consumer ends as a dead letter and the others go on', async () => {
      const topic = `killed-${randomUUID()}`
      const broker = openBroker()
      await prepare(broker, topic)
      await send(broker, topic, ['a', 'poison', 'b'])
      // The first time nothing is suspected; then it is handled alone, three times.
      for (let i = 0; i < 4; i++) await runUntilDead(topic, 'handling')
      const seen: unknown[] = []
      await broker.subscribe({
        ...{ topic, group: 'g' },
        handle: async ({ payload }) => void seen.push(payload),
      })
      await expect.poll(() => seen.at(-1), { timeout: 60_000 }).toBe('b')
      expect(seen).not.toContain('poison')
      const { items } = await listDeadLetters(database.pool, { topic })
      expect(items).toMatchObject([{ payload: 'poison', code: 'CONSUMER_LOST', state: 'dead' }])
    })
  })
}

exercise('postgres', {
  address: '',
  make: () => postgresTransport({ pool: database.connect(), lease: '2s', poll: '200ms' }),
})
withBroker('KAFKA_BROKERS', (brokers) => {
  const address = brokers.split(',')[0] ?? ''
  exercise('kafka', {
    address,
    make: () =>
      kafkaTransport({ brokers: [address], session: '6s', deadLetters: database.connect() }),
  })
})
withBroker('RABBITMQ_URL', (address) => {
  exercise('rabbitmq', {
    address,
    make: () => rabbitmqTransport({ url: address, deadLetters: database.connect() }),
  })
})
