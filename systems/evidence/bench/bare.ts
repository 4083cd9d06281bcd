import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { toMessage } from '@posthorn/engine'
import { peakMemoryMb } from '@posthorn/system/testing'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool, type PoolClient } from 'pg'
import { Agent } from 'undici'
import { CALLS, inLanes, postDocument } from './posts.ts'
import {
  claim,
  copyArtifacts,
  copyRows,
  inTransaction,
  insertReadJob,
  MARK,
  noteMoves,
} from './statements.ts'

/**
 * A child process of `evidence-whole.ts`: the same rows on the same way, in batches and in a bare
 * loop. It checks, retries, deduplicates, stages and recovers nothing, and one process does all.
 */
export interface BareOrder {
  readonly databaseUrl: string
  readonly brokers: string
  readonly documentsUrl: string
  readonly rows: string
  readonly artifacts: string
  readonly jobId: string
  readonly count: number
}

export interface BareDone {
  readonly ms: number
  readonly peakMb: number
  readonly cpuUs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as BareOrder
/** As the system has them: rows claimed at once and of a poll, and unconfirmed rows. */
const [BATCH, IN_FLIGHT] = [100, 1_000]
const TOPIC = `evidence.bare.${randomUUID()}`

const pool = new Pool({ connectionString: order.databaseUrl, max: 10 })
const agent = new Agent({ connections: CALLS })
const kafka = kafkaTransport({
  brokers: order.brokers.split(','),
  deadLetters: () => Promise.reject(new Error('a bare loop has no dead letters')),
})
const { signal } = new AbortController()

const CLAIM = claim('m.id, m.event_id, m.case_id')

interface Claimed {
  readonly id: string
  readonly event_id: string
  readonly case_id: string
}

interface Requested {
  readonly id: string
  readonly case_id: string
  readonly position: number
  readonly filename: string
}

const REQUESTED = {
  name: 'requested',
  text: `
  select r.id, r.case_id, a.position, a.filename
    from evidence.file_outbox_row as r
    join evidence.file_job_artifact as a on a.file_outbox_row_id = r.id
   where r.id = any($1::uuid[])`,
}

const INBOX = {
  name: 'inbox',
  text: `
  insert into evidence.consumer_inbox (consumer, event_id)
  select 'bare', id from unnest($1::text[]) as id`,
}

const CONFIRM = {
  name: 'confirm',
  text: `
  update evidence.file_outbox_row set status = 'SUCCESS' where id = any($1::uuid[])`,
}

const ATTACH = {
  name: 'attach',
  text: `
  update evidence.file_job_artifact as a
     set attachment_status = 'ATTACHED', document_mgmt_id = u.document_id, updated_at = now()
    from unnest($1::uuid[], $2::smallint[], $3::text[]) as u (row_id, position, document_id)
   where a.file_outbox_row_id = u.row_id and a.position = u.position`,
}

let published = 0
let attached = 0

async function onClient(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  await work(client)
  client.release()
}

const run = (client: PoolClient, statement: typeof INBOX, values: unknown[]) =>
  client.query({ ...statement, values })

async function publish(): Promise<void> {
  for (;;) {
    if (published - attached > IN_FLIGHT - BATCH) {
      await sleep(1)
      continue
    }
    const { rows } = await pool.query<Claimed>({ ...CLAIM, values: [BATCH] })
    if (rows.length === 0) return
    published += rows.length
    let batch = rows.map(({ id: rowId, event_id: eventId, case_id: caseId }) => ({
      destination: { transport: 'kafka', topic: TOPIC },
      message: toMessage({
        ...{ id: eventId, type: 'evidence.requested', key: caseId, tenant: 'bench' },
        payload: { eventId, fileJobId: order.jobId, rowId, caseId, retryCount: 0 },
      }),
    }))
    // As the relay does: what was not taken is sent again.
    while (batch.length > 0) {
      const outcomes = await kafka.deliver(batch, { ordered: false, signal })
      batch = batch.filter((_, i) => outcomes[i]?.kind !== 'delivered')
    }
    const ids = rows.map(({ id }) => id)
    const zeros = ids.map(() => 0)
    await onClient((client) =>
      inTransaction(client, async () => {
        await run(client, MARK, [ids, zeros, zeros])
        await noteMoves(client, ids, ['PENDING', 'PUBLISHED', 'PUBLISHER'])
      }),
    )
  }
}

interface Event {
  readonly eventId: string
  readonly rowId: string
}

async function attachPoll(events: readonly Event[]): Promise<void> {
  const ids = events.map(({ rowId }) => rowId)
  const { rows } = await pool.query<Requested>({ ...REQUESTED, values: [ids] })
  const documentIds = Array.from<string>({ length: rows.length })
  await inLanes(rows.length, async (at) => {
    const { id: key, case_id: caseId, filename } = rows[at] as Requested
    const response = await postDocument(agent, order.documentsUrl, { key, caseId, filename })
    const answer = (await response.body.json()) as { document_mgmt_ids: string[] }
    documentIds[at] = answer.document_mgmt_ids[0] ?? ''
  })
  await onClient((client) =>
    inTransaction(client, async () => {
      await run(client, INBOX, [events.map(({ eventId }) => eventId)])
      await run(client, CONFIRM, [ids])
      await run(client, ATTACH, [
        rows.map(({ id }) => id),
        rows.map(({ position }) => position),
        documentIds,
      ])
      await noteMoves(client, ids, ['PUBLISHED', 'SUCCESS', 'EVIDENCE_WORKER'])
    }),
  )
  attached += events.length
}

const all = Promise.withResolvers<void>()
const attachMessages = async (events: readonly Event[]) => {
  await attachPoll(events)
  if (attached === order.count) all.resolve()
}

await kafka.subscribe({
  ...{ topic: TOPIC, group: 'bare' },
  handle: ({ payload }) => attachMessages([payload as Event]),
  batch: {
    size: BATCH,
    async handle(messages) {
      await attachMessages(messages.map(({ payload }) => payload as Event))
      return messages.map(() => 'done')
    },
  },
})
const begun = performance.now()
await onClient(async (client) => {
  await insertReadJob(client, order.jobId, order.count)
  await copyRows(client, order)
  await copyArtifacts(client, order)
})
await Promise.all(Array.from({ length: 4 }, publish))
await all.promise
const ms = performance.now() - begun
const { userCPUTime, systemCPUTime } = process.resourceUsage()
const done = { ms, peakMb: Math.round(peakMemoryMb()), cpuUs: userCPUTime + systemCPUTime }
process.send?.(done satisfies BareDone)
process.once('disconnect', () => process.exit())
