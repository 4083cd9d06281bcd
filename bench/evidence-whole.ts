import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@posthorn/engine'
import { startEvidence } from './evidence-child.ts'
import type { DocumentsServing } from './evidence-documents.ts'
import { writeEvidence } from './evidence-file.ts'
import { prepareDatabase } from './evidence-ingest.ts'
import { inDatabase } from './harness.ts'
import type { Options } from './options.ts'
import type { Database, Server } from './postgres.ts'
import { round, type Report } from './report.ts'

/** A minute or so of it says enough. */
const MOST_ROWS = 20_000

/**
 * A file from its upload to its final results, as it is shipped: batches of 100, eight calls at once,
 * everything but the document API in one process.
 */
export async function wholeWay(
  server: Server,
  { brokers, rows: wanted }: Options & { readonly brokers: string },
  report: Report,
): Promise<void> {
  const count = Math.min(wanted, MOST_ROWS)
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  const at = (name: string) => join(folder, name)
  const files = { zip: at('cases.zip'), rows: at('rows.csv'), artifacts: at('artifacts.csv') }
  try {
    await writeEvidence(files, { count, jobId: uuid() })
    const line = await inDatabase(server, (database) =>
      measure(database, { ...{ brokers, folder: at('storage'), zip: files.zip, count } }),
    )
    report.table(`${count} rows, from the upload to the final results`, [line])
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Way {
  readonly brokers: string
  readonly folder: string
  readonly zip: string
  readonly count: number
}

async function measure({ url, pool }: Database, { brokers, folder, zip, count }: Way) {
  await prepareDatabase(pool)
  const documents = fork(new URL('evidence-documents.ts', import.meta.url))
  try {
    const [{ url: documentsUrl }] = (await once(documents, 'message')) as [DocumentsServing]
    await using child = await startEvidence({
      ...{ databaseUrl: url, folder, brokers, documentsUrl },
      parts: ['workers', 'publisher', 'consumers'],
    })
    child.publish()
    const before = await child.usage()
    const begun = performance.now()
    const id = await child.upload(zip)
    await untilCompleted(pool, id)
    const ms = performance.now() - begun
    const { peakMb, cpuUs } = await child.usage()
    const response = await fetch(`${documentsUrl}/attachments?limit=1`)
    const { total } = (await response.json()) as { total: number }
    return {
      seconds: Number((ms / 1_000).toFixed(1)),
      rowsPerSecond: round((count * 1_000) / ms),
      nodeUsPerRow: Math.round((cpuUs - before.cpuUs) / count),
      peakMb,
      attached: total,
    }
  } finally {
    documents.disconnect()
    await once(documents, 'exit')
  }
}

async function untilCompleted(pool: Database['pool'], id: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ status: string }>(
      'select status from evidence.file_job where id = $1',
      [id],
    )
    if (rows[0]?.status === 'COMPLETED') return
    if (rows[0]?.status === 'REJECTED') throw new Error('the file was rejected')
    await sleep(50)
  }
}
