import { wholeWay } from './evidence-whole.ts'
import { ingestion } from './evidence-ingest.ts'
import { withKafka } from './evidence-kafka.ts'
import { benchPublishing } from './evidence-publish.ts'
import type { Options } from './options.ts'
import type { Server } from './postgres.ts'
import type { Report } from './report.ts'

/** A file of evidence: reading it, publishing its rows, and the whole way to the document API. */
export async function evidence(server: Server, options: Options, report: Report): Promise<void> {
  const isWanted = (name: string) => name.includes(options.only) || options.only.startsWith(name)
  if (isWanted('ingestion')) await ingestion(server, options, report)
  if (!isWanted('publishing') && !isWanted('whole way')) return
  await withKafka(async (brokers) => {
    if (isWanted('publishing')) await benchPublishing(server, { ...options, brokers }, report)
    if (isWanted('whole way')) await wholeWay(server, { ...options, brokers }, report)
  })
}
