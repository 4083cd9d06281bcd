import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Relay,
  type Subscriber,
  type Transport,
  createRelay,
  enqueue,
  schedule,
  transaction,
  uuid,
} from '@posthorn/engine'
import { advanceClock, getMessage, listAlerts, replay, useMovableClock } from '@posthorn/operate'
import { type TcpProxy, createKafkaProxy, proxyTo, withBroker } from '@posthorn/engine/testing'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { rabbitmqTransport } from '@posthorn/transports/rabbitmq'
import { afterEach, describe, expect, test } from 'vitest'
import { orderEvents } from './outbox.ts'
import { expectStockAddsUp, orderDatabase, runOrders, runParticipants } from './testing/running.ts'

type Broker = Transport & Subscriber

interface Side {
  readonly line: TcpProxy
  /** A client by way of the line. */
  connect(): Broker
  /** One that finds no place for messages until `openPlace`: what it publishes fails. */
  connectWithoutPlace(): Broker
  openPlace(topic: string): Promise<void>
}

const wait = { timeout: 60_000, interval: 50 }

const db = await orderDatabase()
await useMovableClock(db.pool)

/** A whole system on a topic of its own. */
async function systemOn(name: string) {
  const home = await orderDatabase()
  await useMovableClock(home.pool)
  const settings = { SAGAS_BROKER: name, SAGAS_TOPIC: `orders-${uuid()}` }
  return { home, running: await runOrders(home, settings) }
}
const systems = { kafka: await systemOn('kafka'), rabbitmq: await systemOn('rabbitmq') }

function exercise(name: keyof typeof systems, prepare: () => Promise<Side>): void {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  /** An event in the outbox and a relay that is run step by step. */
  async function oneEvent(broker: Broker) {
    const events = orderEvents(name, `orders-${uuid()}`)
    const { topic } = events
    const relayOn = (transport: Transport): Relay => {
      const relay = createRelay({
        pool: db.connect(),
        outboxes: [events],
        transports: { [name]: transport },
      })
      ends.push(() => relay.stop())
      return relay
    }
    ends.push(() => broker.close())
    const sagaId = uuid()
    const { id } = await transaction(db.pool, (tx) =>
      enqueue(tx, events, {
        ...{ saga_id: sagaId, step: 'reserve', topic, key: sagaId, tenant: 'acme' },
        ...{ event_type: 'stock.reserve', payload: {} },
      }),
    )
    const row = async () => {
      const { rows } = await db.pool.query<{ status: string; retry_count: number; wait: number }>(
        `select status, retry_count, extract(epoch from next_retry_at - posthorn.now())::float8 as wait
           from sagas.saga_outbox where id = $1`,
        [id],
      )
      return rows[0]
    }
    const moves = async () => {
      const found = await getMessage(db.pool, events, id)
      return found?.transitions.map(({ from, to }) => `${from ?? ''}>${to}`) ?? []
    }
    return { events, topic, id, row, moves, relay: relayOn(broker), relayOn }
  }

  const runOnce = (relay: Relay) => relay.runOnce()
  const RETRY = ['PENDING>CLAIMED', 'CLAIMED>FAILED', 'FAILED>PENDING']
  const GIVE_UP = ['PENDING>CLAIMED', 'CLAIMED>FAILED', 'FAILED>DEAD_LETTER']
  const SENT = ['PENDING>CLAIMED', 'CLAIMED>SENT']

  test('an event is claimed and sent', async () => {
    const side = await prepare()
    const broker = side.connect()
    const { relay, row, moves, topic } = await oneEvent(broker)
    const seen: string[] = []
    await broker.subscribe({ topic, group: 'seen', handle: async ({ id }) => void seen.push(id) })
    // A topic that was just made may have no leader for a moment: that costs no attempt.
    const tickOnce = async () => {
      await runOnce(relay)
      return row()
    }
    await expect.poll(tickOnce, wait).toMatchObject({ status: 'SENT', retry_count: 0 })
    expect(await moves()).toEqual(expect.arrayContaining(SENT))
    await expect.poll(() => seen.length, wait).toBe(1)
  })

  test(
    'one that cannot be published waits 1, 2, 4, 8 and 16 s and is then a dead letter, until it is replayed',
    { timeout: 90_000 },
    async () => {
      const side = await prepare()
      const { relay, relayOn, row, moves, topic, id, events } = await oneEvent(
        side.connectWithoutPlace(),
      )
      const waits: number[] = []
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await runOnce(relay)
        const found = await row()
        expect(found).toMatchObject({ status: 'PENDING', retry_count: attempt })
        waits.push(Math.round(found?.wait ?? 0))
        await advanceClock(db.pool, '20s')
      }
      expect(waits).toEqual([1, 2, 4, 8, 16])
      await runOnce(relay)
      expect(await row()).toMatchObject({ status: 'DEAD_LETTER' })
      expect(await moves()).toEqual([...Array.from({ length: 5 }, () => RETRY).flat(), ...GIVE_UP])
      const alerts = (await listAlerts(db.pool, {})).items.filter(({ subject }) => subject === id)
      expect(alerts.map(({ state }) => state)).toEqual(['open'])

      await side.openPlace(topic)
      const operator = { by: 'ada', reason: 'the place is there now' }
      await transaction(db.pool, (tx) => replay(tx, events, { filter: { ids: [id] }, ...operator }))
      const again = side.connect()
      ends.push(() => again.close())
      await runOnce(relayOn(again))
      expect(await row()).toMatchObject({ status: 'SENT' })
    },
  )

  test('one that failed is sent as soon as it can be', async () => {
    const side = await prepare()
    const broker = side.connectWithoutPlace()
    const { relay, row, moves, topic } = await oneEvent(broker)
    await runOnce(relay)
    expect(await row()).toMatchObject({ status: 'PENDING', retry_count: 1 })
    await side.openPlace(topic)
    await advanceClock(db.pool, '2s')
    await runOnce(relay)
    expect(await row()).toMatchObject({ status: 'SENT', retry_count: 1 })
    expect(await moves()).toEqual([...RETRY, ...SENT])
  })

  test(
    'a broker that is away for a minute costs nothing but the minute',
    { timeout: 180_000 },
    async () => {
      const { home, running } = systems[name]
      const { connect, line } = await prepare()
      ends.push(await runParticipants(running, { db: home, broker: connect(), name }))
      const ada = await running.as()
      const statuses = async (ids: readonly { id: string }[]) =>
        new Set(await Promise.all(ids.map(({ id }) => ada.status(id))))
      const before = await Promise.all(Array.from({ length: 5 }, () => ada.order()))
      await expect.poll(() => statuses(before), wait).toEqual(new Set(['COMPLETED']))

      line.cut()
      const during = await Promise.all(
        Array.from({ length: 20 }, (_, n) => ada.order({ amount: n % 4 ? 700 : 702 })),
      )
      const countFailed = async () => {
        const { rows } = await home.pool.query<{ n: number }>(
          `select count(*)::integer as n from sagas.saga_outbox where error_code is not null or last_error is not null`,
        )
        return rows[0]?.n
      }
      await expect.poll(countFailed, wait).toBeGreaterThan(0)
      for (let seconds = 0; seconds < 60; seconds += 10) await advanceClock(home.pool, '10s')
      const counts = async () =>
        (
          await home.pool.query<{ status: string; most: number }>(
            `select status, max(retry_count) as most from sagas.saga_outbox group by status order by status`,
          )
        ).rows
      expect((await counts()).map(({ status }) => status)).not.toContain('DEAD_LETTER')
      expect(await statuses(during)).toEqual(new Set(['RUNNING']))

      await line.heal()
      // A relay that could not reach its broker waits up to a minute of the business clock before it
      // looks again, and may look just before the connection is back: so that minute passes, four times.
      for (let minutes = 0; minutes < 4; minutes += 1) {
        await sleep(2_000)
        await advanceClock(home.pool, '1m')
      }
      await expect.poll(() => statuses(during), wait).toEqual(new Set(['COMPLETED', 'COMPENSATED']))
      await expect
        .poll(async () => (await counts()).map(({ status }) => status), wait)
        .toEqual(['SENT'])
      // What was on its way when the connection broke may have been charged one attempt, no more.
      for (const { most } of await counts()) expect(most).toBeLessThanOrEqual(1)
      const dead = (await listAlerts(home.pool, {})).items.filter(({ subject }) =>
        /^[0-9a-f-]{36}$/.test(subject),
      )
      expect(dead).toEqual([])
      await expectStockAddsUp(home)
      for (const { id } of during) {
        const { charges } = await running.ledger(id)
        expect(charges).toHaveLength(1)
      }
    },
  )
}

withBroker('KAFKA_BROKERS', (brokers) => {
  describe('kafka', () => {
    exercise('kafka', async () => {
      const broker = brokers.split(',')[0] ?? ''
      const line = await createKafkaProxy(broker)
      const byLine = [`${line.host}:${line.port}`]
      const options = {
        timeout: '3s',
        session: '6s',
        drain: '1s',
        retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
        deadLetters: db.pool,
      } as const
      return {
        line,
        connect: () => kafkaTransport({ brokers: byLine, ...options }),
        connectWithoutPlace: () =>
          kafkaTransport({ brokers: byLine, ...options, createTopics: false }),
        async openPlace(topic) {
          const maker = kafkaTransport({ brokers: [broker], ...options })
          const subscription = await maker.subscribe({
            topic,
            group: 'place',
            handle: async () => {},
          })
          await subscription.close()
          await maker.close()
        },
      }
    })
  })
})

withBroker('RABBITMQ_URL', (url) => {
  describe('rabbitmq', () => {
    exercise('rabbitmq', async () => {
      const line = await proxyTo(url)
      const options = {
        timeout: '3s',
        drain: '1s',
        concurrency: 8,
        retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
        deadLetters: db.pool,
      } as const
      const connect = () => rabbitmqTransport({ url: line.by(url), ...options })
      return {
        line,
        connect,
        // An exchange without a queue: every message comes back.
        connectWithoutPlace: connect,
        async openPlace(topic) {
          const maker = rabbitmqTransport({ url, ...options })
          await maker.declareQueue(topic, 'place')
          await maker.close()
        },
      }
    })
  })
})
