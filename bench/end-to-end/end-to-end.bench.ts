import { randomUUID } from 'node:crypto'
import { Admin } from '@platformatic/kafka'
import { createNotifier, enqueueAll, migrate, transaction, type Outbox } from '@posthorn/engine'
import { inboxTableSql } from '@posthorn/engine/inbox'
import { topicMigrations } from '@posthorn/transports/postgres'
import { Pool } from 'pg'
import { withBrokers, type Brokers } from '../kit/brokers.ts'
import { AS_STARTED, startChild } from '../kit/child.ts'
import { commandCpuUs, commandPeakMb, postgresCpuUs } from '../kit/cpu.ts'
import { startDebezium } from './debezium.ts'
import { INBOX, type HalfOrder, type Handled, type TransportName, type Usage } from './halves.ts'
import { closedLoop, openLoop, type Times, type Way } from './load.ts'
import { inDatabase, progress, select } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import {
  BATCH,
  benchOutbox,
  createOutbox,
  insertMany,
  type OutboxForm,
  type OutboxRow,
} from '../kit/outbox.ts'
import { key, samplePayload, SENDERS } from '../kit/payload.ts'
import { rest, type Database, type Server } from '../kit/postgres.ts'
import { ratio, round, type Line, type Report } from '../kit/report.ts'

const WARM_UP = { perSecond: 400, perTransaction: 1, seconds: 5 }
const STEADY_PER_SECOND = 800
const PEAK = { atOnce: 5_000, perTransaction: 100 }
/** At a share of the peak, messages come in transactions of this many. */
const BULK = 20
const SHARE_OF_PEAK = 0.8

/** One way from the writer's transaction to the consumer's. */
interface Contestant {
  readonly name: string
  readonly by: 'relay' | 'bare loop' | 'debezium'
  readonly transport: TransportName
  readonly settings: string
  readonly claims: OutboxForm['claims']
  /** Of Debezium's connector. */
  readonly overrides: Readonly<Record<string, string>>
}

const BY_RELAY = { by: 'relay', overrides: {}, settings: `batches of ${BATCH}, 2 in hand` } as const

/** `posthorn debezium` sets 5 ms. */
const DEFAULT_POLL = { 'poll.interval.ms': '500' }

/** In the order of their turns: those that are compared, next to each other. */
const CONTESTANTS: readonly Contestant[] = [
  { ...BY_RELAY, name: 'posthorn by key, kafka', claims: 'by key', transport: 'kafka' },
  {
    name: 'bare loops, kafka',
    by: 'bare loop',
    transport: 'kafka',
    claims: 'by row',
    overrides: {},
    settings: `batches of ${BATCH}, 2 connections, no order`,
  },
  ...([{}, DEFAULT_POLL] as const).map((overrides): Contestant => ({
    name: `debezium${overrides === DEFAULT_POLL ? ', its default poll' : ''}, kafka`,
    by: 'debezium',
    transport: 'kafka',
    claims: 'by key',
    overrides,
    settings: `poll.interval.ms ${overrides === DEFAULT_POLL ? 500 : 5}, Posthorn's consumer`,
  })),
  { ...BY_RELAY, name: 'posthorn log, kafka', claims: 'log', transport: 'kafka' },
  { ...BY_RELAY, name: 'posthorn by row, kafka', claims: 'by row', transport: 'kafka' },
  { ...BY_RELAY, name: 'posthorn by key, rabbitmq', claims: 'by key', transport: 'rabbitmq' },
  { ...BY_RELAY, name: 'posthorn by key, postgres', claims: 'by key', transport: 'postgres' },
]

const LOADS = [`${STEADY_PER_SECOND}/s`, 'peak', '80 % of peak'] as const
type Load = (typeof LOADS)[number]

interface Measured extends Times, Costs {}

interface Costs {
  /** Processor time a message, in microseconds: of what moves it, of PostgreSQL, of the broker. */
  readonly cpuUs: number
  readonly postgresCpuUs: number
  readonly brokerCpuUs: number
  /** Of what moves it: relay or connector, and consumer. */
  readonly peakMb: number
}

/** Debezium reads the log. */
export const serverSettings = { wal_level: 'logical' }

/** From the answer to COMMIT, over a real broker, until the consumer's inbox row is committed. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const contestants = select(CONTESTANTS, options.only)
  const transports = new Set(contestants.map(({ transport }) => transport))
  const names = [...transports].filter((name) => name !== 'postgres')
  const results = await withBrokers(names, async (brokers) => {
    for (const [name, version] of Object.entries(brokers.versions)) report.setting(name, version)
    const measured = new Map<Contestant, Record<Load, Measured>>()
    for (const contestant of contestants) {
      const result = await inDatabase(server, (database) =>
        measure(contestant, { database, brokers, seconds: options.seconds }),
      )
      progress(`${contestant.name}  ${JSON.stringify(result)}`)
      measured.set(contestant, result)
    }
    return measured
  })
  const lines = LOADS.flatMap((load) =>
    [...results].map(([{ name, settings }, loads]): Line => {
      const { perSecond, p50, p99, ...costs } = loads[load]
      const rounded = Object.entries(costs).map(([cost, value]) => [cost, Math.round(value)])
      const times = { perSecond, p50: round(p50), p99: round(p99) }
      return { load, name, ...times, ...Object.fromEntries(rounded), settings }
    }),
  )
  report.table(`commit to inbox commit in ms, ${options.seconds} s of each load`, lines)
  report.table('ratios', ratios(results))
}

function ratios(results: ReadonlyMap<Contestant, Record<Load, Measured>>): Line[] {
  const of = (name: string) => [...results].find(([each]) => each.name === name)?.[1]
  const ours = of('posthorn by key, kafka')
  const bare = of('bare loops, kafka')
  const steady = `${STEADY_PER_SECOND}/s` as const
  return [
    ...ratio('kafka by key / bare loops, peak', ours?.peak.perSecond, bare?.peak.perSecond),
    ...['by row', 'log'].flatMap((claims) =>
      ratio(
        `kafka ${claims} / bare loops, peak`,
        of(`posthorn ${claims}, kafka`)?.peak.perSecond,
        bare?.peak.perSecond,
      ),
    ),
    ...['debezium, kafka', 'debezium, its default poll, kafka'].flatMap((name) => [
      ...ratio(
        `kafka by key / ${name}, p50, ${steady}`,
        ours?.[steady].p50,
        of(name)?.[steady].p50,
      ),
      ...ratio(
        `kafka by key / ${name}, p99, ${steady}`,
        ours?.[steady].p99,
        of(name)?.[steady].p99,
      ),
      ...ratio(`kafka by key / ${name}, peak`, ours?.peak.perSecond, of(name)?.peak.perSecond),
    ]),
  ]
}

interface Place {
  readonly database: Database
  readonly brokers: Brokers
  readonly seconds: number
}

async function measure(
  contestant: Contestant,
  { database, brokers, seconds }: Place,
): Promise<Record<Load, Measured>> {
  const { transport, claims, by } = contestant
  const topic = `bench-${randomUUID().slice(0, 8)}`
  const form = { claims, record: 'none', inHand: 2 } as const
  const outbox = benchOutbox(form, { transport, topic })
  await createOutbox(database.pool, outbox)
  await migrate(database.pool, [await topicMigrations()])
  await database.pool.query(inboxTableSql(INBOX))
  await rest(database)

  await using open = new AsyncDisposableStack()
  const senders = open.adopt(new Pool({ connectionString: database.url, max: SENDERS }), (pool) =>
    pool.end(),
  )
  const handled = new Map<number, number>()
  const way: Way = { handled, last: 0, write: writerOf(by, { senders, outbox }) }
  const onEvent = ({ atMs, samples }: Handled) => {
    for (const sample of samples) if (!handled.has(sample)) handled.set(sample, atMs)
  }
  const address = { kafka: 'KAFKA_BROKERS', rabbitmq: 'RABBITMQ_URL', postgres: '' }[transport]
  const order = (half: HalfOrder['half']): HalfOrder => ({
    ...{ half, transport, topic, claims, databaseUrl: database.url },
    address: brokers.env[address] ?? '',
  })
  const script = new URL('half-process.ts', import.meta.url)
  const start = async (half: HalfOrder['half']) => {
    const args = [JSON.stringify(order(half))]
    return open.use(await startChild<string, Handled>(script, args, { flags: AS_STARTED, onEvent }))
  }

  if (transport === 'kafka') await createTopic(order('consumer'))
  const halves = [await start(by === 'bare loop' ? 'bare consumer' : 'consumer')]
  let connector = ''
  if (by === 'debezium') {
    const { overrides } = contestant
    const place = { database, brokers: order('relay').address, dir: brokers.dir, overrides }
    connector = open.use(await startDebezium(outbox, place)).folder
  } else {
    halves.push(await start(by === 'relay' ? 'relay' : 'bare producer'))
    const notifier = createNotifier(senders, [outbox])
    open.defer(() => notifier.close())
  }
  const usage = async (): Promise<Total> => ({
    halves: await Promise.all(halves.map((half) => half.ask<Usage>('usage'))),
    connectorUs: connector ? await commandCpuUs(connector) : 0,
    connectorMb: connector ? await commandPeakMb(connector) : 0,
    postgresUs: (await postgresCpuUs(database.pool)) ?? 0,
    brokerUs: transport === 'postgres' ? 0 : await commandCpuUs(`${brokers.dir}/${transport}`),
  })
  const under = async (load: () => Promise<Times>): Promise<Measured> => {
    const from = way.last
    const before = await usage()
    const times = await load()
    return { ...times, ...costsOf(before, await usage(), way.last - from) }
  }

  await openLoop(way, WARM_UP)
  const steady = { perSecond: STEADY_PER_SECOND, perTransaction: 1, seconds }
  const atSteady = await under(() => openLoop(way, steady))
  const atPeak = await under(() => closedLoop(way, { ...PEAK, seconds }))
  const share = { perSecond: atPeak.perSecond * SHARE_OF_PEAK, perTransaction: BULK, seconds }
  const atShare = await under(() => openLoop(way, share))
  return { [`${STEADY_PER_SECOND}/s` as const]: atSteady, peak: atPeak, '80 % of peak': atShare }
}

/** Before anyone looks for it: the bare loops make none. As many partitions as the transport makes. */
async function createTopic({ address, topic }: HalfOrder): Promise<void> {
  const admin = new Admin({ clientId: 'bench', bootstrapBrokers: address.split(',') })
  await admin.createTopics({ topics: [topic], partitions: 8, replicas: 1 })
  await admin.close()
}

interface Total {
  readonly halves: readonly Usage[]
  readonly connectorUs: number
  readonly connectorMb: number
  readonly postgresUs: number
  readonly brokerUs: number
}

function costsOf(before: Total, after: Total, messages: number): Costs {
  const cpu = (total: Total) =>
    total.halves.reduce((sum, { cpuUs }) => sum + cpuUs, total.connectorUs)
  return {
    cpuUs: (cpu(after) - cpu(before)) / messages,
    postgresCpuUs: (after.postgresUs - before.postgresUs) / messages,
    brokerCpuUs: (after.brokerUs - before.brokerUs) / messages,
    peakMb: after.halves.reduce((sum, { peakMb }) => sum + peakMb, after.connectorMb),
  }
}

/** As an application writes: through the engine, or plain SQL before the bare loops. */
function writerOf(
  by: Contestant['by'],
  { senders, outbox }: { senders: Pool; outbox: Outbox<OutboxRow> },
): Way['write'] {
  if (by !== 'bare loop') {
    const rowOf = (sample: number) => ({ key: key(sample), payload: samplePayload(sample) })
    return async (samples) => {
      await transaction(senders, (tx) => enqueueAll(tx, outbox, samples.map(rowOf)))
    }
  }
  return (samples) => insertMany(senders, samples, { name: 'samples', payloadOf: samplePayload })
}
