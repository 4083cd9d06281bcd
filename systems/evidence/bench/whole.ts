import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@posthorn/engine'
import { peakMemoryMb } from '@posthorn/system/testing'
import { commandCpuUs, postgresCpuUs } from '../../../bench/kit/cpu.ts'
import type { BareDone, BareOrder } from './bare.ts'
import { startEvidence, uploadZip, type EvidenceChild, type Usage } from './child.ts'
import type { Serving } from '../../../bench/kit/serving.ts'
import { writeEvidence, type EvidenceFiles } from './file.ts'
import { prepareDatabase } from './ingest.ts'
import { postDocuments } from './posts.ts'
import { AS_STARTED, startChild, type Child } from '../../../bench/kit/child.ts'
import { inTurns, median, select } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import type { Database, Server } from '../../../bench/kit/postgres.ts'
import { ratio, round, type Line, type Report } from '../../../bench/kit/report.ts'

/** A minute or so of it says enough. */
const MOST_ROWS = 100_000
/** Message by message it takes long. */
const MOST_ALONE = 5_000

interface Way {
  readonly brokers: string
  readonly folder: string
  readonly files: EvidenceFiles
  readonly jobId: string
  readonly count: number
}

interface Contestant {
  readonly name: string
  run(database: Database, documents: Documents, way: Way): Promise<Measured>
}

/** Processor time of each part in microseconds. */
interface Measured {
  readonly ms: number
  readonly count: number
  readonly peakMb: number
  readonly nodeUs: number
  /** Outcomes that were stored in one transaction, on average. */
  readonly settledTogether?: number
  /** Of single parts, where they were processes of their own. */
  readonly parts?: Readonly<Record<string, number>>
}

interface Outcome extends Measured {
  readonly documentsUs: number
  readonly postgresUs: number | undefined
  readonly kafkaUs: number
}

/**
 * A file from its upload to its final results, as it is shipped: batches of 100, the messages of a
 * poll together, everything but the document API in one process. Beside it the same with every message
 * by itself, with the parts in processes of their own, and a bare loop in batches of the same size.
 */
export async function wholeWay(
  server: Server,
  { brokers, rows: wanted, rounds, only }: Options & { readonly brokers: string },
  report: Report,
): Promise<void> {
  const count = Math.min(wanted, MOST_ROWS)
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  const contestants = select(CONTESTANTS, only.replace(/^whole way ?/, ''))
  const ways = new Map<number, Way>()
  for (const size of new Set([count, Math.min(count, MOST_ALONE)])) {
    const at = (name: string) => join(folder, `${size}-${name}`)
    const files = { zip: at('cases.zip'), rows: at('rows.csv'), artifacts: at('artifacts.csv') }
    const jobId = uuid()
    await writeEvidence(files, { count: size, jobId })
    ways.set(size, { brokers, folder: at('storage'), files, jobId, count: size })
  }
  try {
    const results = await inTurns(contestants, { server, rounds }, async (contestant, database) => {
      const size = contestant === ALONE ? Math.min(count, MOST_ALONE) : count
      const way = ways.get(size)
      if (!way) throw new Error('there is no file of that size')
      return measure(contestant, database, way)
    })
    const rates = new Map(
      [...results].map(([{ name }, runs]) => [
        name,
        median(runs.map((run) => (run.count * 1_000) / run.ms)),
      ]),
    )
    report.table(
      `${count} rows from the upload to the final results, median of ${rounds}; µs of processor for a row`,
      [...results].map(([{ name }, runs]) => lineOf(name, runs, rates.get(name) ?? 0)),
    )
    const parts = results.get(APART)?.at(-1)?.parts ?? {}
    report.table(
      'where Node spends it, each part in a process of its own; µs for a row',
      Object.entries(parts).map(([part, us]) => ({ part, nodeUs: round(us / count) })),
    )
    report.table('ratios', [
      ...ratio('together / bare loop', rates.get(TOGETHER.name), rates.get(BARE.name)),
      ...ratio('together / one by one', rates.get(TOGETHER.name), rates.get(ALONE.name)),
      ...ratio('together / the document API', rates.get(TOGETHER.name), rates.get(POSTS.name)),
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
}

function lineOf(name: string, runs: readonly Outcome[], rate: number): Line {
  const each = (us: (run: Outcome) => number) =>
    round(median(runs.map((run) => us(run) / run.count)))
  return {
    name,
    rowsPerSecond: round(rate),
    nodeUs: each(({ nodeUs }) => nodeUs),
    postgresUs: each(({ postgresUs = 0 }) => postgresUs),
    documentApiUs: each(({ documentsUs }) => documentsUs),
    kafkaUs: each(({ kafkaUs }) => kafkaUs),
    settledTogether: median(runs.map((run) => run.settledTogether ?? 0)),
    peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
  }
}

async function measure(contestant: Contestant, database: Database, way: Way): Promise<Outcome> {
  await prepareDatabase(database.pool)
  await using documents: Documents = await startChild(DOCUMENTS)
  const used = async () => ({
    documents: await documents.ask<NodeJS.CpuUsage>('usage'),
    postgres: await postgresCpuUs(database.pool),
    kafka: await commandCpuUs('kafka.Kafka'),
  })
  const before = await used()
  const measured = await contestant.run(database, documents, way)
  const after = await used()
  const response = await fetch(`${documents.said.url}/attachments?limit=1`)
  const { total } = (await response.json()) as { total: number }
  if (total !== way.count) throw new Error(`${total} rows of ${way.count} are attached`)
  return {
    ...measured,
    documentsUs: usedUs(after.documents) - usedUs(before.documents),
    postgresUs:
      after.postgres === undefined || before.postgres === undefined
        ? undefined
        : after.postgres - before.postgres,
    kafkaUs: after.kafka - before.kafka,
  }
}

const DOCUMENTS = new URL('documents-process.ts', import.meta.url)

const usedUs = ({ user, system: kernel }: NodeJS.CpuUsage): number => user + kernel

/** One process for everything, or one for each part. */
function system(
  name: string,
  { alone = false, apart = false }: { alone?: boolean; apart?: boolean },
): Contestant {
  return {
    name,
    async run(
      { url: databaseUrl, pool },
      { said: { url: documentsUrl } },
      { brokers, folder, files, count },
    ) {
      const order = { databaseUrl, folder, brokers, documentsUrl, alone }
      await using children = new Children(
        apart
          ? {
              'file processor and results': await startEvidence({ ...order, parts: ['workers'] }),
              publisher: await startEvidence({ ...order, parts: ['publisher'] }),
              'evidence worker': await startEvidence({ ...order, parts: ['consumers'] }),
            }
          : {
              all: await startEvidence({ ...order, parts: ['workers', 'publisher', 'consumers'] }),
            },
      )
      for (const child of children.list()) child.tell('publish')
      const before = new Map(await children.usages())
      const begun = performance.now()
      const [first] = children.list()
      await untilCompleted(pool, first ? await uploadZip(first, files.zip) : '')
      const ms = performance.now() - begun
      const after = await children.usages()
      const parts = Object.fromEntries(
        after.map(([part, { cpuUs }]) => [part, cpuUs - (before.get(part)?.cpuUs ?? 0)]),
      )
      // Of the largest.
      const peakMb = Math.max(...after.map(([, usage]) => usage.peakMb))
      const nodeUs = Object.values(parts).reduce((sum, us) => sum + us, 0)
      const settledTogether = await outcomesPerCommit(pool)
      return { ms, count, peakMb, nodeUs, parts, settledTogether }
    },
  }
}

class Children implements AsyncDisposable {
  readonly #children: Readonly<Record<string, EvidenceChild>>

  constructor(children: Readonly<Record<string, EvidenceChild>>) {
    this.#children = children
  }

  list(): EvidenceChild[] {
    return Object.values(this.#children)
  }

  async usages(): Promise<[name: string, usage: Usage][]> {
    const asked = Object.entries(this.#children).map(
      async ([name, child]): Promise<[string, Usage]> => [name, await child.ask('usage')],
    )
    return Promise.all(asked)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.list()) await child[Symbol.asyncDispose]()
  }
}

const TOGETHER = system('together', {})
const ALONE = system('one by one', { alone: true })
const APART = system('parts apart', { apart: true })

const BARE: Contestant = {
  name: 'bare loop',
  async run(
    { url: databaseUrl },
    { said: { url: documentsUrl } },
    { brokers, files, jobId, count },
  ) {
    const order: BareOrder = {
      ...{ databaseUrl, brokers, documentsUrl, jobId, count },
      ...{ rows: files.rows, artifacts: files.artifacts },
    }
    const script = new URL('bare.ts', import.meta.url)
    await using child = await startChild<BareDone>(script, [JSON.stringify(order)], {
      flags: AS_STARTED,
    })
    const { ms, peakMb, cpuUs: nodeUs } = child.said
    return { ms, count, peakMb, nodeUs }
  },
}

/** What the document API and a client take by themselves. */
const POSTS: Contestant = {
  name: 'document API alone',
  async run(_database, { said: { url } }, { count }) {
    const before = process.cpuUsage()
    const ms = await postDocuments(url, count)
    const nodeUs = usedUs(process.cpuUsage(before))
    return { ms, count, peakMb: Math.round(peakMemoryMb()), nodeUs }
  },
}

const CONTESTANTS: readonly Contestant[] = [POSTS, BARE, TOGETHER, ALONE, APART]

/** The document API, in a process of its own. */
type Documents = Child<Serving>

async function outcomesPerCommit(pool: Database['pool']): Promise<number> {
  const { rows } = await pool.query<{ mean: number }>(
    `select (count(*) / greatest(count(distinct xmin::text), 1)::float8) as mean
       from evidence.consumer_inbox`,
  )
  return round(rows[0]?.mean ?? 0)
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
