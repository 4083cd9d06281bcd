import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Admin, Consumer } from '@platformatic/kafka'
import {
  createRelay,
  defineOutbox,
  engineMigrations,
  enqueueAll,
  exponential,
  migrate,
  outbox,
  outboxTableSql,
  transaction,
  type Message,
} from '@posthorn/engine'
import { withBroker } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import {
  debeziumConnector,
  kafkaTransport,
  type DebeziumConnector,
} from '@posthorn/transports/kafka'
import { Pool } from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { startConnect } from '../../scripts/services/index.mjs'

const MESSAGES = 60
const PASSWORD_VARIABLE = 'DATABASE_PASSWORD'
const wait = { timeout: 120_000, interval: 100 }

/** A record as it is on the wire. */
interface Sent {
  readonly id: string
  readonly partition: number
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: unknown
}

withBroker('KAFKA_BROKERS', (brokers) => {
  const suffix = randomUUID().slice(0, 8)
  const ending: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const end of ending.reverse()) await end()
  }, 120_000)

  /** All there is about a message in columns, and a topic that a column decides. */
  const plain = defineOutbox<PlainRow>({
    name: 'shop.notices',
    table: 'shop.notices',
    states: { ready: 'new', sent: 'gone', dead: 'dead' },
    columns: { dueAt: 'due_at', traceparent: 'traceparent' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    order: { key: 'customer', dead: 'block' },
    retry: exponential('1s', { attempts: 3 }),
    destination: ({ kind }) => ({ transport: 'kafka', topic: `notices-${suffix}.${kind}` }),
    message: ({ id, kind, body, region, happened_at: occurredAt }) => ({
      id,
      type: kind,
      version: 3,
      payload: body,
      occurredAt,
      headers: { region, origin: 'shop' },
    }),
  })
  const standard = outbox('shop.outbox', {
    order: 'key',
    destination: { transport: 'kafka', topic: `orders-${suffix}` },
  })
  const topics = [`orders-${suffix}`, `notices-${suffix}.mail`, `notices-${suffix}.letter`]

  test('Debezium sends what the relay sends', { timeout: 300_000 }, async () => {
    const postgres = await temporaryPostgres({ settings: { wal_level: 'logical' } })
    ending.push(() => postgres.close())
    const pool = new Pool({ connectionString: postgres.url, max: 6 })
    ending.push(() => pool.end())
    await migrate(pool, [await engineMigrations()])
    await pool.query(standard.tableSql())
    await pool.query(PLAIN_TABLE + outboxTableSql(plain))
    const sending = debeziumConnector(standard, {
      databaseUrl: postgres.url,
      headers: Object.keys(OWN_HEADERS),
    })
    await pool.query(sending.sql ?? '')
    const deadLetters = async () => undefined
    const kafka = kafkaTransport({ brokers: brokers.split(','), deadLetters })
    ending.push(() => kafka.close())
    await startConnectors(postgres.url, pool, [
      sending,
      debeziumConnector(plain, { databaseUrl: postgres.url }),
    ])

    const sent = await readAll()
    const consumed: Message[] = []
    await kafka.subscribe({
      topic: `orders-${suffix}`,
      group: `consumer-${suffix}`,
      handle: async (message) => void consumed.push(message),
    })
    await write(pool)
    const relay = createRelay({ pool, outboxes: [standard, plain], transports: { kafka } })
    await relay.start()
    ending.push(() => relay.stop())
    await vi.waitFor(() => expect(sent).toHaveLength(4 * MESSAGES), wait)

    const byId = Map.groupBy(sent, ({ id }) => id)
    expect(byId.size).toBe(2 * MESSAGES)
    for (const [, twice] of byId) {
      expect(twice).toHaveLength(2)
      expect(takenApart(twice[0])).toEqual(takenApart(twice[1]))
    }
    // The one difference on the wire, by which Debezium's are known, is the header without a column of its
    // own: no transformation of Kafka Connect makes headers of the keys of a column.
    const together = sent.filter(({ headers }) => 'ce_posthornheaders' in headers)
    expect(together).toHaveLength(MESSAGES / 12)
    for (const { headers } of together) {
      expect(JSON.parse(headers['ce_posthornheaders'] ?? '')).toEqual(UNNAMED_HEADER)
    }
    const names = new Set(sent.flatMap((each) => Object.keys(takenApart(each)?.headers ?? {})))
    expect([...names].toSorted()).toEqual(
      ['ce_id', 'ce_partitionkey', 'ce_posthornversion', 'ce_source', 'ce_specversion', 'ce_tenant']
        .concat(['ce_time', 'ce_traceparent', 'ce_type', 'content-type', 'origin', 'region'])
        .concat('note', 'unnamed')
        .toSorted(),
    )
    // Our own consumers see no difference at all.
    await vi.waitFor(() => expect(consumed).toHaveLength(2 * MESSAGES), wait)
    for (const [, twice] of Map.groupBy(consumed, ({ id }) => id)) {
      expect(twice).toHaveLength(2)
      expect(twice[0]).toEqual(twice[1])
    }
    const withHeaders = consumed.filter(({ headers }) => 'note' in headers)
    expect(withHeaders).toHaveLength(MESSAGES / 2)
    expect(withHeaders[0]?.headers).toMatchObject(OWN_HEADERS)
  })

  async function startConnectors(
    url: string,
    pool: Pool,
    connectors: readonly DebeziumConnector[],
  ): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'posthorn-debezium-'))
    ending.push(() => rm(dir, { recursive: true, force: true }))
    process.env[PASSWORD_VARIABLE] = decodeURIComponent(new URL(url).password)
    const connect = await startConnect(brokers, { dir, log: () => undefined })
    ending.push(() => connect.stop())
    for (const { name, config } of connectors) {
      const answer = await fetch(`${connect.url}/connectors`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, config }),
      })
      expect(await answer.json()).toMatchObject({ name })
    }
    await vi.waitFor(async () => {
      const { rows } = await pool.query('select 1 from pg_replication_slots where active')
      expect(rows).toHaveLength(connectors.length)
    }, wait)
  }

  async function write(pool: Pool): Promise<void> {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    await transaction(pool, async (tx) => {
      await standard.enqueueAll(
        tx,
        Array.from({ length: MESSAGES }, (_, i) => ({
          type: i % 2 === 0 ? 'order.placed' : 'order.paid',
          key: `order-${i % 7}`,
          payload: { order: i, note: 'Grüße, “quoted”\n', nested: { list: [1, 2.5, null] } },
          ...(i % 3 === 0 && { tenant: 'acme' }),
          ...(i % 4 === 0 && { headers: OWN_HEADERS }),
          ...(i % 12 === 0 && { headers: { ...OWN_HEADERS, ...UNNAMED_HEADER } }),
        })),
      )
      const rows = Array.from({ length: MESSAGES }, (_, i) => ({
        kind: i % 2 === 0 ? 'mail' : 'letter',
        customer: `customer-${i % 5}`,
        region: 'eu',
        body: { number: i },
        happened_at: new Date(Date.UTC(2026, 0, 1, 12, 30, 15, 120 + i)),
        ...(i % 2 === 0 && { traceparent }),
      }))
      await enqueueAll(tx, plain, rows)
    })
  }

  /** What arrives on the topics from now on, as it is on the wire. */
  async function readAll(): Promise<Sent[]> {
    const sent: Sent[] = []
    // Made first, so that Debezium and the relay find the same partitions.
    const admin = new Admin({ clientId: 'maker', bootstrapBrokers: brokers.split(',') })
    await admin.createTopics({ topics, partitions: 8, replicas: 1 })
    await vi.waitFor(async () => {
      const known = await admin.metadata({ topics, forceUpdate: true })
      expect(topics.map((topic) => known.topics.get(topic)?.partitionsCount)).toEqual([8, 8, 8])
    }, wait)
    await admin.close()
    const consumer = new Consumer({
      clientId: 'reader',
      groupId: `reader-${suffix}`,
      bootstrapBrokers: brokers.split(','),
    })
    const stream = await consumer.consume({ topics, mode: 'earliest', autocommit: false })
    ending.push(async () => {
      await stream.close()
      await consumer.close()
    })
    stream.on('data', ({ key, value, headers, partition }) => {
      const texts = [...headers].flatMap(([name, text]) =>
        text ? [[name.toString(), text.toString()] as const] : [],
      )
      const { ce_time: time = '', ...rest } = Object.fromEntries(texts)
      sent.push({
        partition,
        id: rest['ce_id'] ?? '',
        key: key.toString(),
        // Debezium writes as many digits as there are.
        headers: { ...rest, ce_time: new Date(time).toISOString() },
        payload: JSON.parse(value.toString()),
      })
    })
    return sent
  }
})

/** Of a message of `outbox()`: together in one column. */
const OWN_HEADERS = { region: 'eu', note: 'Grüße, “quoted”' }

/** One that the connector was not told of. */
const UNNAMED_HEADER = { unnamed: 'yes' }

/** With headers that were sent together as the consumers of Posthorn take them. */
function takenApart(sent: Sent | undefined): Sent | undefined {
  if (sent === undefined) return undefined
  const { ce_posthornheaders: together = '{}', ...headers } = sent.headers
  return { ...sent, headers: { ...headers, ...JSON.parse(together) } }
}

interface PlainRow {
  readonly id: string
  readonly kind: string
  readonly customer: string
  readonly region: string
  readonly body: unknown
  readonly happened_at: Date
  readonly status: string
  readonly attempts: number
  readonly due_at: Date
  readonly traceparent: string | null
}

const PLAIN_TABLE = `
  create table shop.notices (
    id uuid primary key,
    kind text not null,
    customer text not null,
    region text not null,
    body jsonb not null,
    happened_at timestamptz not null,
    status text not null default 'new',
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    traceparent text
  );`
