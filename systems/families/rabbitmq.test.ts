import { type Transport, createRelay, enqueueAll, transaction, uuid } from '@posthorn/engine'
import { listAlerts, outboxStats } from '@posthorn/operate'
import { proxyTo, withBroker } from '@posthorn/engine/testing'
import { type RabbitmqTransport, rabbitmqTransport } from '@posthorn/transports/rabbitmq'
import { afterEach, expect, test } from 'vitest'
import { FAMILY_CREATED } from './events.ts'
import { familyDatabase, newAddress, runFamilies, tokenIn } from './testing/running.ts'

const db = await familyDatabase()
const running = await runFamilies(db)
const { outbox, system } = running

withBroker('RABBITMQ_URL', (url) => {
  const made: RabbitmqTransport[] = []
  const started: { stop(): Promise<void> }[] = []
  afterEach(async () => {
    await Promise.all(started.splice(0).map((relay) => relay.stop()))
    await Promise.all(made.splice(0).map((transport) => transport.close()))
  })

  const rabbitmq = (address = url): RabbitmqTransport => {
    const transport = rabbitmqTransport({
      url: address,
      timeout: '3s',
      drain: '1s',
      deadLetters: db.pool,
    })
    made.push(transport)
    return transport
  }
  const startRelay = async (transport: Transport) => {
    const transports = { rabbitmq: transport }
    const relay = createRelay({ pool: db.connect(), outboxes: [outbox], transports })
    await relay.start()
    started.push(relay)
  }
  /** Several tests may run against one broker: each has an exchange of its own. */
  const onTopic = (transport: Transport, topic: string): Transport => ({
    ...transport,
    deliver: (batch, options) =>
      transport.deliver(
        batch.map(({ message, destination }) => ({
          message,
          destination: { ...destination, topic },
        })),
        options,
      ),
  })
  const newTopic = () => `families-${uuid()}`
  const wait = { timeout: 60_000, interval: 50 }

  test(
    'a thousand events of one aggregate keep their order through an outage',
    { timeout: 90_000 },
    async () => {
      const topic = newTopic()
      const line = await proxyTo(url)
      const reader = rabbitmq()
      const seen: number[] = []
      await reader.subscribe({
        topic,
        group: 'seen',
        handle: async ({ payload }) => void seen.push((payload as { n: number }).n),
      })
      const aggregate = uuid()
      const rows = Array.from({ length: 1_000 }, (_, n) => ({
        event_type: FAMILY_CREATED,
        aggregate_type: 'Family',
        aggregate_id: aggregate,
        org_id: 'acme',
        payload: { n },
      }))
      await transaction(db.pool, (tx) => enqueueAll(tx, outbox, rows))
      for (let n = 0; n < 2; n += 1) await startRelay(onTopic(rabbitmq(line.by(url)), topic))
      await expect.poll(() => seen.length, { ...wait, interval: 5 }).toBeGreaterThan(150)
      line.cut()
      const arrived = seen.length
      expect(arrived).toBeLessThan(1_000)
      const failures = async () => {
        const { rows: found } = await db.pool.query<{ failed: number }>(
          'select max(retry_count) as failed from families.outbox_events',
        )
        return found[0]?.failed ?? 0
      }
      await expect.poll(failures, wait).toBeGreaterThanOrEqual(2)
      await line.heal()
      await expect.poll(() => new Set(seen).size, wait).toBe(1_000)
      // A repeat is allowed where the connection broke; that one comes before another is not.
      expect([...new Set(seen)]).toEqual(rows.map((_, n) => n))
      expect(seen.length).toBeLessThan(1_020)
      const counts = async () => (await outboxStats(db.pool, outbox)).counts
      await expect.poll(counts, wait).toMatchObject({ 1: 1_000 })
      expect((await counts())['2'] ?? 0).toBe(0)
      expect((await listAlerts(db.pool, {})).items).toEqual([])
      line.cut()
    },
  )

  test(
    "an event that no queue wants is an alert until the archive's queue is there",
    { timeout: 60_000 },
    async () => {
      const topic = newTopic()
      const broker = rabbitmq()
      const ada = await running.as({})
      await ada.create()
      await startRelay(onTopic(broker, topic))
      const alerts = async () =>
        (await listAlerts(db.pool, { code: 'UNROUTABLE' })).items.map(({ state }) => state)
      await expect.poll(alerts, wait).toEqual(['open'])
      await broker.declareQueue(topic, 'of-a-reader')
      const pending = async () => (await outboxStats(db.pool, outbox)).counts['0'] ?? 0
      await expect.poll(pending, wait).toBe(0)
      expect(await alerts(), 'another queue took it').toEqual(['open'])
      for (const { group, maxLength = 0, declared } of system.queues ?? []) {
        await broker.declareQueue(topic, group, { maxLength })
        await transaction(db.pool, async (tx) => declared?.(tx))
      }
      expect(await alerts()).toEqual(['recovered'])
    },
  )

  test('an invitation becomes a mail by way of RabbitMQ', async () => {
    const topic = newTopic()
    const broker = rabbitmq()
    for (const consumer of system.consumers ?? []) await broker.subscribe({ ...consumer, topic })
    await startRelay(onTopic(broker, topic))
    const ada = await running.as({})
    const family = await ada.create()
    const address = newAddress()
    await ada.invite(family, address)
    const findMail = async () => (await running.mails()).find(({ to }) => to === address)
    await expect.poll(findMail, wait).toBeDefined()
    const mail = await findMail()
    const bob = await running.as({ sub: 'bob' })
    expect(await bob.accept(mail ? tokenIn(mail) : '')).toMatchObject({ status: 'ACCEPTED' })
  })
})
