import {
  createNotifier,
  createRelay,
  posthorn,
  silentLog,
  type Outbox,
  type Relay,
} from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { evidence } from '../index.ts'
import { peakMemoryMb } from '@posthorn/system/testing'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool } from 'pg'
import { createBenchApp, openForBench, serve } from '../../../bench/kit/serving.ts'

/** A child process of the benchmarks of evidence: does its parts until its parent lets go of it. */
export interface EvidenceOrder {
  readonly databaseUrl: string
  readonly folder: string
  readonly brokers?: string
  /** What it does beside serving; publishing begins with the message `publish`. */
  readonly parts: readonly ('workers' | 'publisher' | 'consumers')[]
  /** Rows claimed at once; 0 leaves it to the system. */
  readonly batch?: number
  readonly inFlight?: number
  readonly documentsUrl?: string
  /** Every message by itself, instead of a poll together. */
  readonly alone?: boolean
}

const order = JSON.parse(process.argv[2] ?? '{}') as EvidenceOrder
const { databaseUrl, folder, brokers, parts, batch = 0 } = order
const system = evidence({ notify: async () => undefined })
const pool = new Pool({ connectionString: databaseUrl, max: 10 })
const opened = openForBench(system, pool, {
  DOCUMENTS_URL: order.documentsUrl ?? 'http://127.0.0.1:9',
  ...{ EVIDENCE_FOLDER: folder, SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'bench@localhost' },
  EVIDENCE_IN_FLIGHT: String(order.inFlight ?? 1_000),
})
const app = await createBenchApp({ rateLimit: false })
await opened.routes?.(app)
const { handlers = [] } = opened
if (parts.includes('workers')) {
  startPeriodically(opened.workers ?? [], { log: silentLog })
  await posthorn({ pool, handlers, log: silentLog }).start()
}
const handled = new Set<unknown>(handlers.map(({ outbox }) => outbox))
const kafka =
  brokers === undefined
    ? undefined
    : kafkaTransport({ brokers: brokers.split(','), deadLetters: pool })
if (kafka && parts.includes('consumers')) {
  for (const { batch: together, ...consumer } of opened.consumers ?? []) {
    await kafka.subscribe({ ...consumer, ...(together && !order.alone && { batch: together }) })
  }
}
const outboxes: readonly Outbox[] = opened.outboxes
  .filter((outbox) => !handled.has(outbox))
  .map((outbox) => (batch === 0 ? outbox : { ...outbox, batch }))
const relay: Relay | undefined =
  kafka && parts.includes('publisher')
    ? createRelay({
        pool: new Pool({ connectionString: databaseUrl, max: 6 }),
        ...{ outboxes, transports: { kafka, ...opened.transports } },
      })
    : undefined
// A process without a relay wakes those elsewhere.
if (!parts.includes('publisher')) createNotifier(pool, outboxes, { log: silentLog })
await serve(app, '/api/v1/file-jobs', (message) => {
  if (message === 'publish') return void relay?.start()
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return { peakMb: Math.round(peakMemoryMb()), cpuUs: userCPUTime + systemCPUTime }
})
