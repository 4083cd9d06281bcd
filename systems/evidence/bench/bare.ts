import { createReadStream } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { toMessage } from '@posthorn/engine'
import { peakMemoryMb } from '@posthorn/system/testing'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool, type PoolClient } from 'pg'
import { Agent, request } from 'undici'
import { copyIn } from '../../../bench/kit/copy-in.ts'
import { evidenceContent } from './file.ts'

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
/** As the system has them: rows claimed at once, rows of a poll, unconfirmed rows, calls at once. */
const [BATCH, IN_FLIGHT, CALLS] = [100, 1_000, 32]
const TOPIC = `evidence.bare.${randomUUID()}`

const pool = new Pool({ connectionString: order.databaseUrl, max: 10 })
const agent = new Agent({ connections: CALLS })
const kafka = kafkaTransport({
  brokers: order.brokers.split(','),
  deadLetters: () => Promise.reject(new Error('a bare loop has no dead letters')),
})
const { signal } = new AbortController()

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

const CLAIM = {
  name: 'claim',
  text: `
  update evidence.file_outbox_row as m
     set claim_token = gen_random_uuid(), claimed_until = now() + interval '30 s',
         event_id = gen_random_uuid()
    from (select id
            from evidence.file_outbox_row
           where status in ('PENDING', 'FAILED') and org_id = 'bench'
             and next_retry_at <= posthorn.now()
             and (claimed_until is null or claimed_until < now()) and lost_claims = 0
           order by next_retry_at, id
           limit $1
             for update skip locked) as due
   where m.id = due.id
  returning m.id, m.event_id, m.case_id`,
}

const MARK = {
  name: 'mark',
  text: `
  update evidence.file_outbox_row as m
     set status = 'PUBLISHED', published_at = now(), claim_token = null, claimed_until = null,
         kafka_partition = 0, kafka_offset = 0
   where m.id = any($1::uuid[])`,
}

const AUDIT = {
  name: 'audit',
  text: `
  insert into evidence.file_outbox_row_audit
         (file_outbox_row_id, old_status, new_status, retry_count, transitioned_by)
  select id, $2, $3, 0, $4 from unnest($1::uuid[]) as id`,
}

const TRANSITION = {
  name: 'transition',
  text: `
  insert into posthorn.transition
         (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'evidence.rows', id, $2, $3, 1, $4, 'bench' from unnest($1::text[]) as id`,
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
  select 'bare', id from unnest($1::uuid[]) as id`,
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

const FILES = new Map<string, Buffer>()
let published = 0
let attached = 0

async function store(): Promise<void> {
  const client = await pool.connect()
  await client.query(
    `insert into evidence.file_job
            (id, org_id, filename, storage_key, storage_etag, size_bytes, status, staged_at,
             rows_read, total_rows)
     values ($1, 'bench', 'cases.zip', 'uploads/bench', 'bench', 1, 'PROCESSING', now(), $2, $2)`,
    [order.jobId, order.count],
  )
  await copyIn(
    client,
    `copy evidence.file_outbox_row
          (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, metadata)
     from stdin (format csv)`,
    createReadStream(order.rows),
  )
  await copyIn(
    client,
    `copy evidence.file_job_artifact
          (file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes,
           content_type)
     from stdin (format csv)`,
    createReadStream(order.artifacts),
  )
  client.release()
}

async function inTransaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  await client.query('begin')
  await work(client)
  await client.query('commit')
  client.release()
}

const run = (client: PoolClient, statement: typeof CLAIM, values: unknown[]) =>
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
    await inTransaction(async (client) => {
      await run(client, MARK, [ids])
      await run(client, AUDIT, [ids, 'PENDING', 'PUBLISHED', 'PUBLISHER'])
      await run(client, TRANSITION, [ids, 'PENDING', 'PUBLISHED', 'PUBLISHER'])
    })
  }
}

interface Event {
  readonly eventId: string
  readonly rowId: string
}

async function attachPoll(events: readonly Event[]): Promise<void> {
  const ids = events.map(({ rowId }) => rowId)
  const { rows } = await pool.query<Requested>({
    ...{ ...REQUESTED, values: [ids] },
  })
  const documentIds = Array.from<string>({ length: rows.length })
  let next = 0
  const lane = async () => {
    for (let at = next++; at < rows.length; at = next++) {
      const row = rows[at]
      if (row) documentIds[at] = await post(row)
    }
  }
  await Promise.all(Array.from({ length: CALLS }, lane))
  await inTransaction(async (client) => {
    await run(client, INBOX, [events.map(({ eventId }) => eventId)])
    await run(client, CONFIRM, [ids])
    await run(client, ATTACH, [
      rows.map(({ id }) => id),
      rows.map(({ position }) => position),
      documentIds,
    ])
    await run(client, AUDIT, [ids, 'PUBLISHED', 'SUCCESS', 'EVIDENCE_WORKER'])
    await run(client, TRANSITION, [ids, 'PUBLISHED', 'SUCCESS', 'EVIDENCE_WORKER'])
  })
  attached += events.length
}

/** Each file's bytes once, as the system reads those of a poll. */
function contentOf(filename: string): Buffer {
  const known = FILES.get(filename) ?? evidenceContent(filename)
  FILES.set(filename, known)
  return known
}

async function post({ id, case_id: caseId, filename }: Requested): Promise<string> {
  const boundary = `bare-${randomUUID()}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n`
  const body = Buffer.concat([
    Buffer.from(
      `${part('name="case_id"')}\r\n${caseId}\r\n${part(`name="files"; filename="${filename}"`)}Content-Type: application/pdf\r\n\r\n`,
    ),
    contentOf(filename),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const response = await request(`${order.documentsUrl}/attach-evidence`, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      'idempotency-key': id,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(body.length),
    },
    body,
  })
  const answer = (await response.body.json()) as { document_mgmt_ids: string[] }
  return answer.document_mgmt_ids[0] ?? ''
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
await store()
await Promise.all(Array.from({ length: 4 }, publish))
await all.promise
const ms = performance.now() - begun
const { userCPUTime, systemCPUTime } = process.resourceUsage()
const done = { ms, peakMb: Math.round(peakMemoryMb()), cpuUs: userCPUTime + systemCPUTime }
process.send?.(done satisfies BareDone)
process.once('disconnect', () => process.exit())
