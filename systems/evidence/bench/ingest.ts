import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineMigrations, migrate, uuid } from '@posthorn/engine'
import { evidence as makeSystem } from '../index.ts'
import type { Pool } from 'pg'
import { startEvidence, uploadZip, type Usage } from './child.ts'
import { copyArtifacts, copyRows } from './statements.ts'
import { type EvidenceFiles, writeEvidence } from './file.ts'
import { inTurns, median } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import type { Database, Server } from '../../../bench/kit/postgres.ts'
import { ratio, type Report } from '../../../bench/kit/report.ts'

interface Run {
  readonly ms: number
  /** Of the process that reads the file; of bare COPY there is none. */
  readonly peakMb: number
  readonly cpuMs: number
}

interface Contestant {
  readonly name: string
  read(database: Database): Promise<Run>
}

/**
 * A ZIP through the file processor, from the first byte of its upload to its last row, against a bare
 * COPY of the same rows and artifacts into the same tables. Each round has a database of its own.
 */
export async function ingestion(
  server: Server,
  { rows, rounds }: Options,
  report: Report,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  try {
    const at = (name: string) => join(folder, name)
    const files = { zip: at('cases.zip'), rows: at('rows.csv'), artifacts: at('artifacts.csv') }
    const jobId = uuid()
    await writeEvidence(files, { count: rows, jobId })
    const contestants: readonly Contestant[] = [
      { name: 'bare COPY', read: (database) => bareCopy(database, files, jobId) },
      { name: 'file processor', read: (database) => ingest(database, files, rows) },
    ]
    const results = await inTurns(contestants, { server, rounds }, async (each, database) => {
      await prepareDatabase(database.pool)
      return each.read(database)
    })
    report.table(
      `a CSV of ${rows} rows read, median of ${rounds}`,
      [...results].map(([{ name }, runs]) => lineOf(name, rows, runs)),
    )
    const [bare = [], ingested = []] = [...results.values()]
    const shares = ingested.map(({ ms }, i) => (bare[i]?.ms ?? Number.NaN) / ms)
    report.table('ratios, median of pairs', ratio('file processor / bare COPY', median(shares), 1))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function lineOf(name: string, rows: number, runs: readonly Run[]) {
  const ms = median(runs.map((run) => run.ms))
  return {
    name,
    seconds: Number((ms / 1_000).toFixed(2)),
    rowsPerSecond: Math.round(rows / (ms / 1_000)),
    nodeUsPerRow: Number(((median(runs.map((run) => run.cpuMs)) * 1_000) / rows).toFixed(1)),
    peakMb: Math.max(...runs.map((run) => run.peakMb)),
  }
}

export async function prepareDatabase(pool: Pool): Promise<void> {
  const system = makeSystem({ notify: async () => undefined })
  await migrate(pool, [await engineMigrations(), await system.migrations()])
}

async function bareCopy({ pool }: Database, files: EvidenceFiles, jobId: string): Promise<Run> {
  const client = await pool.connect()
  try {
    const begun = performance.now()
    await client.query('begin')
    await client.query(
      `insert into evidence.file_job
              (id, org_id, filename, storage_key, storage_etag, size_bytes)
       values ($1, 'bench', 'cases.zip', 'uploads/bench', 'bench', 1)`,
      [jobId],
    )
    await copyRows(client, files)
    await copyArtifacts(client, files)
    await client.query('commit')
    return { ms: Math.round(performance.now() - begun), peakMb: 0, cpuMs: 0 }
  } finally {
    client.release()
  }
}

async function ingest({ url, pool }: Database, { zip }: EvidenceFiles, rows: number): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-storage-'))
  try {
    await using child = await startEvidence({ databaseUrl: url, folder, parts: ['workers'] })
    const before = await child.ask<Usage>('usage')
    const begun = performance.now()
    const id = await uploadZip(child, zip)
    await untilParsed(pool, id, rows)
    const ms = Math.round(performance.now() - begun)
    const { peakMb, cpuUs } = await child.ask<Usage>('usage')
    return { ms, peakMb, cpuMs: Math.round((cpuUs - before.cpuUs) / 1_000) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Waits until the last row of a job is stored. */
export async function untilParsed(pool: Pool, id: string, rows: number): Promise<void> {
  for (;;) {
    const { rows: found } = await pool.query<{
      status: string
      reason: string | null
      total: number | null
    }>('select status, reason, total_rows as total from evidence.file_job where id = $1', [id])
    const job = found[0]
    if (job?.status === 'REJECTED') throw new Error(`the file was rejected: ${job.reason}`)
    if (job?.total === rows) return
    if (job?.total != null) throw new Error(`${job.total} rows were stored, not ${rows}`)
    await sleep(20)
  }
}
