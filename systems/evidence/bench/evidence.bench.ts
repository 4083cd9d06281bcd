import { wholeWay } from './whole.ts'
import { ingestion } from './ingest.ts'
import { benchPublishing } from './publish.ts'
import { withBrokers } from '../../../bench/kit/brokers.ts'
import type { Options } from '../../../bench/kit/options.ts'
import type { Server } from '../../../bench/kit/postgres.ts'
import type { Report } from '../../../bench/kit/report.ts'

/** A file of evidence: reading it, publishing its rows, and the whole way to the document API. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const isWanted = (name: string) => name.includes(options.only) || options.only.startsWith(name)
  if (isWanted('ingestion')) await ingestion(server, options, report)
  if (!isWanted('publishing') && !isWanted('whole way')) return
  // A broker of our own: no other run sees what the benchmark publishes.
  await withBrokers(['kafka'], async ({ env }) => {
    const brokers = env['KAFKA_BROKERS'] ?? ''
    if (isWanted('publishing')) await benchPublishing(server, { ...options, brokers }, report)
    if (isWanted('whole way')) await wholeWay(server, { ...options, brokers }, report)
  })
}
