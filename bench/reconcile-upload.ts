import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { engineMigrations, migrate, uuid } from '@posthorn/engine'
import { payments as system } from '@posthorn/systems/payments'
import { copyIn } from './copy-in.ts'
import { inDatabase, median, progress } from './harness.ts'
import type { Options } from './options.ts'
import { type Database, type Server } from './postgres.ts'
import type { Serving } from './reconcile-server.ts'
import { ratio, type Report } from './report.ts'

interface Files {
  /** As a bank sends it. */
  readonly csv: string
  /** The same records as the table has them, ready for COPY. */
  readonly rows: string
}

interface Run {
  readonly ms: number
  /** The most memory the server had, in MB; of bare COPY there is none. */
  readonly peakMb: number
}

/**
 * A bank's file through a server process, checked and added up row by row, against a bare COPY of
 * the same records into the same table, whose rows need no reading. Both come from a file; each round
 * has a database of its own.
 */
export async function benchUploading(
  server: Server,
  { records, rounds }: Options,
  report: Report,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  try {
    const files = { csv: join(folder, 'bank.csv'), rows: join(folder, 'rows.csv') }
    const runId = uuid()
    await writeFiles(files, { records, runId })
    const runs: Record<'bare' | 'upload', Run[]> = { bare: [], upload: [] }
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, measure] of [
        ['bare', (database: Database) => bareCopy(database, { files, records, runId })],
        ['upload', (database: Database) => upload(database, { files, records })],
      ] as const) {
        const run = await inDatabase(server, async (database) => {
          await migrate(database.pool, [await engineMigrations(), await system.migrations()])
          return measure(database)
        })
        progress(`round ${round} of ${rounds}  ${name}  ${JSON.stringify(run)}`)
        runs[name].push(run)
      }
    }
    report.table(`${records} records loaded, median of ${rounds}`, [
      lineOf('bare COPY', records, runs.bare),
      lineOf('upload', records, runs.upload),
    ])
    const shares = runs.upload.map(({ ms }, i) => (runs.bare[i]?.ms ?? Number.NaN) / ms)
    report.table('ratios, median of pairs', ratio('upload / bare COPY', median(shares), 1))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function lineOf(name: string, records: number, runs: readonly Run[]) {
  const ms = median(runs.map((run) => run.ms))
  return {
    name,
    seconds: Number((ms / 1_000).toFixed(2)),
    recordsPerSecond: Math.round(records / (ms / 1_000)),
    serverPeakMb: Math.max(...runs.map((run) => run.peakMb)),
  }
}

interface Load {
  readonly files: Files
  readonly records: number
}

async function bareCopy(
  { pool }: Database,
  { files, records, runId }: Load & { readonly runId: string },
): Promise<Run> {
  const client = await pool.connect()
  try {
    const begun = performance.now()
    await client.query('begin')
    await copyIn(
      client,
      `copy payments.reconciliation_records
            (run_id, line_number, amount, currency, booked_on, external_transaction_id)
       from stdin (format csv)`,
      createReadStream(files.rows),
    )
    await client.query(
      `insert into payments.reconciliation_runs
              (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
       values ($1, 'bench', 'bench', 'bank.csv', sha256('x'), 0, $2, $2, '{}')`,
      [runId, records],
    )
    await client.query('commit')
    return { ms: Math.round(performance.now() - begun), peakMb: 0 }
  } finally {
    client.release()
  }
}

async function upload({ url: databaseUrl }: Database, { files, records }: Load): Promise<Run> {
  const child = fork(new URL('reconcile-server.ts', import.meta.url), [databaseUrl])
  try {
    const [{ url, token }] = (await once(child, 'message')) as [Serving]
    const begun = performance.now()
    const response = await fetch(`${url}?filename=bank.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: Readable.toWeb(createReadStream(files.csv)) as BodyInit,
      duplex: 'half',
    } as RequestInit)
    const answer = (await response.json()) as { total?: number }
    const ms = Math.round(performance.now() - begun)
    if (response.status !== 201 || answer.total !== records) {
      throw new Error(`the upload failed: ${response.status} ${JSON.stringify(answer)}`)
    }
    return { ms, peakMb: await peakMb(child) }
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

async function peakMb(child: ChildProcess): Promise<number> {
  child.send('memory')
  const [kilobytes] = (await once(child, 'message')) as [number]
  return Math.round(kilobytes / 1_024)
}

/** Writes the same records twice: every amount and day is different from the one before. */
async function writeFiles(
  { csv, rows }: Files,
  { records, runId }: { readonly records: number; readonly runId: string },
): Promise<void> {
  await using csvFile = await open(csv, 'w')
  await using rowsFile = await open(rows, 'w')
  let bank = 'external_transaction_id,amount,currency,date\n'
  let ready = ''
  for (let i = 0; i < records; i += 1) {
    const id = `pay_${i.toString(36).padStart(16, '0')}`
    const minor = String(100 + ((i * 7_919) % 1_000_000))
    const date = `2026-0${1 + (i % 9)}-${10 + (i % 19)}`
    bank += `${id},${minor.slice(0, -2)}.${minor.slice(-2)},EUR,${date}\n`
    ready += `${runId},${i + 2},${minor},EUR,${date},${id}\n`
    if (ready.length < 1_000_000) continue
    await csvFile.write(bank)
    await rowsFile.write(ready)
    bank = ready = ''
  }
  await csvFile.write(bank)
  await rowsFile.write(ready)
}
