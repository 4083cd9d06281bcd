import { loadavg } from 'node:os'
import { backlog } from './backlog.ts'
import { dashboard } from './dashboard.ts'
import { drain } from './drain.ts'
import { encryption } from './encryption.ts'
import { endToEnd } from './end-to-end.ts'
import { enqueue } from './enqueue.ts'
import { evidence } from './evidence.ts'
import { features } from './features.ts'
import { growth } from './growth.ts'
import { measureHeld } from './held.ts'
import { http } from './http.ts'
import { latency } from './latency.ts'
import { messages } from './messages.ts'
import { parseOptions, type Options } from './options.ts'
import { outage } from './outage.ts'
import { overview } from './overview.ts'
import { payments } from './payments.ts'
import { startServer, type Server } from './postgres.ts'
import { reconcile } from './reconcile.ts'
import { jsonReport, textReport, type Report } from './report.ts'
import { sagas } from './sagas.ts'
import { webhooks } from './webhooks.ts'

interface Bench {
  run(server: Server, options: Options, report: Report): Promise<void>
  /** Server settings that differ from the usual ones. */
  settings: Readonly<Record<string, string>>
}

const BENCHES: Readonly<Record<string, Bench>> = {
  drain: { run: drain, settings: {} },
  latency: { run: latency, settings: {} },
  enqueue: { run: enqueue, settings: {} },
  encryption: { run: encryption, settings: {} },
  features: { run: features, settings: {} },
  backlog: { run: backlog, settings: {} },
  outage: { run: outage, settings: {} },
  http: { run: http, settings: {} },
  overview: { run: overview, settings: {} },
  dashboard: { run: dashboard, settings: { autovacuum: 'on' } },
  sagas: { run: sagas, settings: {} },
  payments: { run: payments, settings: {} },
  webhooks: { run: webhooks, settings: {} },
  reconcile: { run: reconcile, settings: {} },
  evidence: { run: evidence, settings: {} },
  // Debezium reads the log.
  'end-to-end': { run: endToEnd, settings: { wal_level: 'logical' } },
  // Minutes, in which a real database would vacuum.
  messages: { run: messages, settings: { autovacuum: 'on', autovacuum_naptime: '5s' } },
  // As a real database: vacuum is part of what a transaction held open prevents.
  growth: { run: growth, settings: { autovacuum: 'on', autovacuum_naptime: '5s' } },
  // Here vacuum belongs to the question: it comes often and can clean nothing.
  held: { run: measureHeld, settings: { autovacuum: 'on', autovacuum_naptime: '5s' } },
}

const { bench: name, options } = parseOptions(process.argv.slice(2))
const bench = BENCHES[name]
if (!bench) {
  console.error(`Which benchmark? npm run bench -- ${Object.keys(BENCHES).join(' | ')}`)
  process.exitCode = 2
} else {
  const report = (options.json ? jsonReport : textReport)(name, (text) =>
    process.stdout.write(text),
  )
  const server = await startServer(bench.settings)
  try {
    report.setting('node', process.version)
    // Above zero, others are using the machine too: the rates are then lower, the ratios less sure.
    report.setting('load average before', (loadavg()[0] ?? 0).toFixed(2))
    for (const [setting, value] of Object.entries(server.settings)) report.setting(setting, value)
    await bench.run(server, options, report)
  } finally {
    await server.stop()
  }
}
