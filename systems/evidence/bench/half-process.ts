import { createNotifier, createRelay, silentLog, type Outbox, type Relay } from '@posthorn/engine'
import { startPeriodically } from '@posthorn/engine/operate'
import { createApp, createVerifier, signToken } from '@posthorn/http'
import { evidence } from '@posthorn/systems/evidence'
import { peakMemoryMb } from '@posthorn/systems/peak-memory'
import { createSealing } from '@posthorn/systems/sealing'
import { readSettings } from '@posthorn/systems/settings'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool } from 'pg'

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

export interface EvidenceServing {
  readonly url: string
  readonly token: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as EvidenceOrder
const { databaseUrl, folder, brokers, parts, batch = 0 } = order
const secret = 'a secret of the benchmark, known to it alone'
const system = evidence({ notify: async () => undefined })
const { values, mistakes } = readSettings(system.settings, {
  env: {
    DOCUMENTS_URL: order.documentsUrl ?? 'http://127.0.0.1:9',
    ...{ EVIDENCE_FOLDER: folder, SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'bench@localhost' },
    EVIDENCE_IN_FLIGHT: String(order.inFlight ?? 1_000),
  },
  production: true,
})
if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
const pool = new Pool({ connectionString: databaseUrl, max: 10 })
const opened = system.open({
  ...{ pool, log: silentLog, settings: values, production: true },
  baseUrl: () => '',
  sealing: createSealing(['k'.repeat(32)]),
  simulatorAddress: async () => undefined,
})
const app = await createApp({
  ...{ title: 'bench', version: '1', production: true, rateLimit: false },
  verify: createVerifier({ secret }),
  log: { level: 'info', stream: { write: () => undefined } },
})
await opened.routes?.(app)
const url = await app.listen({ port: 0, host: '127.0.0.1' })
if (parts.includes('workers')) startPeriodically(opened.workers ?? [], { log: silentLog })
const kafka =
  brokers === undefined
    ? undefined
    : kafkaTransport({ brokers: brokers.split(','), deadLetters: pool })
if (kafka && parts.includes('consumers')) {
  for (const { batch: together, ...consumer } of opened.consumers ?? []) {
    await kafka.subscribe({ ...consumer, ...(together && !order.alone && { batch: together }) })
  }
}
const outboxes: readonly Outbox[] = opened.outboxes.map((outbox) =>
  batch === 0 ? outbox : { ...outbox, batch },
)
const relay: Relay | undefined =
  kafka && parts.includes('publisher')
    ? createRelay({
        pool: new Pool({ connectionString: databaseUrl, max: 6 }),
        ...{ outboxes, transports: { kafka, ...opened.transports } },
      })
    : undefined
// A process without a relay wakes those elsewhere.
if (!parts.includes('publisher')) createNotifier(pool, outboxes, { log: silentLog })
process.on('message', (message) => {
  if (message === 'publish') void relay?.start()
  if (message === 'usage') {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    process.send?.({ peakMb: Math.round(peakMemoryMb()), cpuUs: userCPUTime + systemCPUTime })
  }
})
process.once('disconnect', () => process.exit())
const token = await signToken({ secret, sub: 'bench', org: 'bench', expiresIn: '1d' })
process.send?.({ url: `${url}/api/v1/file-jobs`, token } satisfies EvidenceServing)
