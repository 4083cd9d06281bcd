import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid, type Delivery } from '@posthorn/engine'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool, type PoolClient } from 'pg'
import { startEvidence } from './child.ts'
import { writeEvidence } from './file.ts'
import { prepareDatabase } from './ingest.ts'
import { claim, copyRows, inTransaction, insertReadJob, MARK, noteMoves } from './statements.ts'
import { inTurns, median } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { rest, type Database, type Server } from '../../../bench/kit/postgres.ts'
import { ratio, round, type Report } from '../../../bench/kit/report.ts'

/** The system claims 100 at once and bounds what is not confirmed; there are no confirmations here. */
const BATCH = 1_000
/** More would only take longer. */
const MOST_ROWS = 100_000
const TOPIC = 'evidence.requests'

interface Contestant {
  readonly name: string
  /** Milliseconds for all rows. */
  run(database: Database): Promise<number>
}

/**
 * Rows that wait, published to Kafka and noted as such, against the Kafka transport alone with the same
 * messages, and against plain SQL that writes the same rows and publishes nothing.
 */
export async function benchPublishing(
  server: Server,
  { brokers, rows: wanted, rounds, connections }: Options & { readonly brokers: string },
  report: Report,
): Promise<void> {
  const count = Math.min(wanted, MOST_ROWS)
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  const at = (name: string) => join(folder, name)
  const files = { zip: at('cases.zip'), rows: at('rows.csv'), artifacts: at('artifacts.csv') }
  const jobId = uuid()
  const contestants: readonly Contestant[] = [
    { name: 'transport alone', run: () => transportAlone(brokers, { count, connections }) },
    { name: 'plain SQL', run: (database) => plainSql(database, { count, connections }) },
    { name: 'publisher', run: (database) => publisher(database, { brokers, folder, count }) },
  ]
  try {
    await writeEvidence(files, { count, jobId })
    const results = await inTurns(contestants, { server, rounds }, async (contestant, database) => {
      await prepareDatabase(database.pool)
      await fill(database, { file: files.rows, jobId, count })
      return contestant.run(database)
    })
    const rateOf = new Map(
      [...results].map(([{ name }, runs]) => [name, (count * 1_000) / median(runs)]),
    )
    report.table(
      `${count} rows published in batches of ${BATCH}, median of ${rounds}`,
      [...rateOf].map(([name, rate]) => ({ name, rowsPerSecond: round(rate) })),
    )
    const [alone, plain] = [rateOf.get('transport alone') ?? 0, rateOf.get('plain SQL') ?? 0]
    report.table(
      'ratios',
      ratio('publisher / the slower of both', rateOf.get('publisher'), Math.min(alone, plain)),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function fill(
  database: Database,
  { file, jobId, count }: { file: string; jobId: string; count: number },
): Promise<void> {
  const client = await database.pool.connect()
  try {
    await insertReadJob(client, jobId, count)
    await copyRows(client, { rows: file })
  } finally {
    client.release()
  }
  await rest(database)
}

async function publisher(
  { url, pool }: Database,
  { brokers, folder, count }: { brokers: string; folder: string; count: number },
): Promise<number> {
  await using child = await startEvidence({
    ...{ databaseUrl: url, folder, brokers, batch: BATCH, inFlight: 0 },
    parts: ['publisher'],
  })
  child.tell('publish')
  // From its first batch on: the transport alone is connected, too, when its time begins.
  const first = await untilPublished(pool, 1)
  const last = await untilPublished(pool, count)
  return ((last.at - first.at) * count) / (count - first.rows)
}

/** The time at which so many rows are published, by what the table's own trigger adds up. */
async function untilPublished(pool: Pool, wanted: number): Promise<{ at: number; rows: number }> {
  for (;;) {
    const { rows } = await pool.query<{ published: number }>(
      'select coalesce(sum(published), 0)::int as published from evidence.file_job_delta',
    )
    const published = rows[0]?.published ?? 0
    if (published >= wanted) return { at: performance.now(), rows: published }
    await sleep(20)
  }
}

interface Load {
  readonly count: number
  readonly connections: number
}

async function transportAlone(brokers: string, { count, connections }: Load): Promise<number> {
  const kafka = kafkaTransport({ brokers: brokers.split(',') })
  const destination = { transport: 'kafka', topic: TOPIC, options: { group: 'bench' } }
  const fileJobId = uuid()
  const deliveryOf = (i: number): Delivery => {
    const [eventId, rowId, caseId] = [uuid(), uuid(), `case-${String(i).padStart(8, '0')}`]
    return {
      destination,
      message: {
        ...{ id: eventId, type: 'evidence.requested', version: 1, key: caseId, tenant: 'bench' },
        ...{ occurredAt: new Date(), traceparent: undefined, headers: {} },
        payload: { eventId, fileJobId, rowId, caseId, retryCount: 0 },
      },
    }
  }
  const { signal } = new AbortController()
  try {
    await kafka.deliver([deliveryOf(0)], { ordered: false, signal })
    const begun = performance.now()
    let next = 0
    const lane = async () => {
      while (next < count) {
        const from = next
        next += BATCH
        const size = Math.min(BATCH, count - from)
        let batch = Array.from({ length: size }, (_, i) => deliveryOf(from + i))
        // As the relay does: what was not taken is sent again.
        for (let tries = 0; batch.length > 0; tries += 1) {
          if (tries === 20) throw new Error('Kafka does not take the messages')
          const outcomes = await kafka.deliver(batch, { ordered: false, signal })
          batch = batch.filter((_, i) => outcomes[i]?.kind !== 'delivered')
        }
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
    return performance.now() - begun
  } finally {
    await kafka.close()
  }
}

async function plainSql({ url }: Database, { count, connections }: Load): Promise<number> {
  const pool = new Pool({ connectionString: url, max: connections })
  let marked = 0
  const lane = async (client: PoolClient) => {
    for (;;) {
      const { rows } = await client.query<{ id: string }>({ ...claim('m.*'), values: [BATCH] })
      if (rows.length === 0) return
      const ids = rows.map(({ id }) => id)
      const partitions = ids.map((_, i) => i % 8)
      const places = ids.map((_, i) => marked + i)
      marked += ids.length
      await inTransaction(client, async () => {
        await client.query({ ...MARK, values: [ids, partitions, places] })
        await noteMoves(client, ids, ['PENDING', 'PUBLISHED', 'PUBLISHER'])
      })
    }
  }
  try {
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
    const begun = performance.now()
    await Promise.all(clients.map(lane))
    const ms = performance.now() - begun
    for (const client of clients) client.release()
    if (marked !== count) throw new Error(`plain SQL marked ${marked} rows of ${count}`)
    return ms
  } finally {
    await pool.end()
  }
}
