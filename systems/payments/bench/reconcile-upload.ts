import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { engineMigrations, migrate, uuid } from '@posthorn/engine'
import { payments as system } from '../index.ts'
import { copyIn } from '../../../bench/kit/copy-in.ts'
import { AS_STARTED, inDatabase, median, progress } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { type Database, type Server } from '../../../bench/kit/postgres.ts'
import type { Serving } from '../../../bench/kit/serving.ts'
import { ratio, type Report } from '../../../bench/kit/report.ts'

interface Files {
  /** As a bank sends it. */
  readonly csv: string
  /** The same records as a camt.053 statement. */
  readonly camt: string
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
    const file = (name: string) => join(folder, name)
    const files = { csv: file('bank.csv'), camt: file('bank.xml'), rows: file('rows.csv') }
    const runId = uuid()
    await writeFiles(files, { records, runId })
    const runs: Record<'bare' | 'csv' | 'camt', Run[]> = { bare: [], csv: [], camt: [] }
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, measure] of [
        ['bare', (database: Database) => bareCopy(database, { files, records, runId })],
        ['csv', (database: Database) => upload(database, { path: files.csv, records })],
        ['camt', (database: Database) => upload(database, { path: files.camt, records })],
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
      lineOf('upload, CSV', records, runs.csv),
      lineOf('upload, camt.053', records, runs.camt),
    ])
    const shares = runs.csv.map(({ ms }, i) => (runs.bare[i]?.ms ?? Number.NaN) / ms)
    const slower = runs.camt.map(({ ms }, i) => ms / (runs.csv[i]?.ms ?? Number.NaN))
    report.table('ratios, median of pairs', [
      ...ratio('upload / bare COPY', median(shares), 1),
      ...ratio('time of camt.053 / time of CSV', median(slower), 1),
    ])
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

interface Given {
  readonly path: string
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

async function upload({ url: databaseUrl }: Database, { path, records }: Given): Promise<Run> {
  const child = fork(new URL('reconcile-process.ts', import.meta.url), [databaseUrl], {
    execArgv: AS_STARTED,
  })
  try {
    const [{ url, token }] = (await once(child, 'message')) as [Serving]
    const begun = performance.now()
    const response = await fetch(`${url}?filename=bank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: Readable.toWeb(createReadStream(path)) as BodyInit,
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
  const [megabytes] = (await once(child, 'message')) as [number]
  return Math.round(megabytes)
}

/** Writes the same records three times: every amount and day is different from the one before. */
async function writeFiles(
  { csv, camt, rows }: Files,
  { records, runId }: { readonly records: number; readonly runId: string },
): Promise<void> {
  await using csvFile = await open(csv, 'w')
  await using camtFile = await open(camt, 'w')
  await using rowsFile = await open(rows, 'w')
  let bank = 'external_transaction_id,amount,currency,date\n'
  let statement = CAMT_BEGIN
  let ready = ''
  for (let i = 0; i < records; i += 1) {
    const id = `pay_${i.toString(36).padStart(16, '0')}`
    const minor = String(100 + ((i * 7_919) % 1_000_000))
    const date = `2026-0${1 + (i % 9)}-${10 + (i % 19)}`
    const amount = `${minor.slice(0, -2)}.${minor.slice(-2)}`
    bank += `${id},${amount},EUR,${date}\n`
    statement += camtEntry({ id, amount, date })
    ready += `${runId},${i + 2},${minor},EUR,${date},${id}\n`
    if (ready.length < 1_000_000) continue
    await csvFile.write(bank)
    await camtFile.write(statement)
    await rowsFile.write(ready)
    bank = statement = ready = ''
  }
  await csvFile.write(bank)
  await camtFile.write(statement + CAMT_END)
  await rowsFile.write(ready)
}

const CAMT_BEGIN = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>bench</MsgId><CreDtTm>2026-03-31T21:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>bench</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>
`
const CAMT_END = '</Stmt></BkToCstmrStmt></Document>\n'

/** As banks write it, with what is not read here too. */
function camtEntry({ id, amount, date }: { id: string; amount: string; date: string }): string {
  return `<Ntry>
  <Amt Ccy="EUR">${amount}</Amt>
  <CdtDbtInd>CRDT</CdtDbtInd>
  <Sts><Cd>BOOK</Cd></Sts>
  <BookgDt><Dt>${date}</Dt></BookgDt>
  <ValDt><Dt>${date}</Dt></ValDt>
  <AcctSvcrRef>B${id}</AcctSvcrRef>
  <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
  <NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><RmtInf><Ustrd>Thank you</Ustrd></RmtInf></TxDtls></NtryDtls>
</Ntry>
`
}
