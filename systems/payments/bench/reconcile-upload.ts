import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineMigrations, migrate, uuid } from '@posthorn/engine'
import { payments as system } from '../index.ts'
import { copyIn } from '../../../bench/kit/copy-in.ts'
import { AS_STARTED, startChild } from '../../../bench/kit/child.ts'
import { inTurns, median } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { type Database, type Server } from '../../../bench/kit/postgres.ts'
import { upload, type Serving } from '../../../bench/kit/serving.ts'
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

interface Contestant {
  readonly name: string
  load(database: Database): Promise<Run>
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
    const contestants: readonly Contestant[] = [
      { name: 'bare COPY', load: (database) => bareCopy(database, { files, records, runId }) },
      { name: 'upload, CSV', load: (database) => load(database, files.csv, records) },
      { name: 'upload, camt.053', load: (database) => load(database, files.camt, records) },
    ]
    const results = await inTurns(contestants, { server, rounds }, async (each, database) => {
      await migrate(database.pool, [await engineMigrations(), await system.migrations()])
      return each.load(database)
    })
    report.table(
      `${records} records loaded, median of ${rounds}`,
      [...results].map(([{ name }, runs]) => lineOf(name, records, runs)),
    )
    const [bare = [], csv = [], camt = []] = [...results.values()]
    const shares = csv.map(({ ms }, i) => (bare[i]?.ms ?? Number.NaN) / ms)
    const slower = camt.map(({ ms }, i) => ms / (csv[i]?.ms ?? Number.NaN))
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

async function bareCopy(
  { pool }: Database,
  { files, records, runId }: { files: Files; records: number; runId: string },
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
      files.rows,
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

async function load({ url }: Database, file: string, records: number): Promise<Run> {
  const script = new URL('reconcile-process.ts', import.meta.url)
  await using child = await startChild<Serving>(script, [url], { flags: AS_STARTED })
  const begun = performance.now()
  const sent = { file, type: 'application/octet-stream', status: 201 }
  const { total } = await upload<{ total?: number }>(child.said, sent)
  const ms = Math.round(performance.now() - begun)
  if (total !== records) throw new Error(`${total} records were loaded, not ${records}`)
  return { ms, peakMb: Math.round(await child.ask<number>('memory')) }
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
