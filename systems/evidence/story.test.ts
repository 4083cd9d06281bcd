import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { casesNamed, zipOfCases } from './testing/archive.ts'
import { privateKafka } from './testing/private-kafka.ts'
import { type Client, clientOf } from './testing/running.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { TEST_SECRET } from '@posthorn/system/testing/serve'
import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Storage } from './storage/s3.ts'
import type { Storage } from './storage/storage.ts'

/*
 * The server as it is shipped, a Kafka and a bucket of its own: a merchant's file of 1,000 rows, of
 * which 20 fail at first, 15 succeed on a retry, and 5 never do.
 */

const PATH = '/api/v1/file-jobs'
const GOOD = casesNamed('case', 980)
const SECOND = casesNamed('case-FAIL1', 10)
const THIRD = casesNamed('case-FAIL2', 5)
const NEVER = casesNamed('case-FAILX', 5)

const db = await testDatabase()

withBroker('S3_ENDPOINT', (endpoint) => {
  withBroker('KAFKA_BROKERS', () => {
    let bucket: OwnBucket
    let url: string
    let acme: Client

    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'posthorn-story-'))
      bucket = await ownBucket(endpoint)
      const kafka = await privateKafka()
      const server = await startServer({
        ...{ DATABASE_URL: db.url, KAFKA_BROKERS: kafka.brokers, ...bucket.env },
        ...{ POSTHORN_DATA_DIR: folder, EVIDENCE_SWEEP_MS: '1000' },
      })
      url = server.url
      acme = await clientOf(url)
      return async () => {
        await server.close()
        await Promise.all([kafka.close(), bucket.close(), rm(folder, { recursive: true })])
      }
    }, 180_000)

    test('a file of 1,000 rows comes to its final results', { timeout: 180_000 }, async () => {
      const hooked = await acme.send('POST', '/api/v1/webhook-endpoints', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${url}/sim/merchant/hooks/acme`, eventTypes: ['*'] }),
      })
      expect(hooked.status, hooked.text).toBe(201)
      const cases = [...GOOD, ...SECOND, ...THIRD, ...NEVER]
      await bucket.storage.put('incoming/acme/cases.zip', whole(await zipOfCases(cases)))
      const listFiles = async () => (await acme.get(PATH)).body.items as { id: string }[]
      await expect.poll(listFiles, { timeout: 60_000 }).toHaveLength(1)
      const id = (await listFiles())[0]?.id ?? ''

      const initial = { successCount: 980, pendingRetries: 20, errorCount: 0, totalRows: 1_000 }
      await acme.until(id, { status: 'PROCESSING', ...initial, counts: { FAILED: 20 } })
      expect(await messages(id)).toEqual(['Initial Results: 980 success, 20 pending retry'])

      await advance('6h')
      await acme.until(id, { counts: { SUCCESS: 990, FAILED: 10 }, ...initial })
      await advance('6h')
      const done = await acme.until(id, { status: 'COMPLETED' })
      expect(done).toMatchObject({
        ...{ successCount: 995, errorCount: 5, pendingRetries: 0 },
        counts: { PENDING: 0, PUBLISHED: 0, FAILED: 0, SUCCESS: 995, ERROR: 5 },
      })
      expect(await messages(id)).toEqual([
        'Final Results: 995 success, 5 errors',
        'Initial Results: 980 success, 20 pending retry',
      ])
      await advance('6h')
      expect(await audits()).toEqual([
        ['PENDING', 'PUBLISHED', 0, null, 'PUBLISHER', 1_000],
        ['PUBLISHED', 'FAILED', 0, 'API_ERROR', 'EVIDENCE_WORKER', 20],
        ['PUBLISHED', 'SUCCESS', 0, null, 'EVIDENCE_WORKER', 980],
        ['FAILED', 'PUBLISHED', 1, null, 'PUBLISHER', 20],
        ['PUBLISHED', 'FAILED', 1, 'API_ERROR', 'EVIDENCE_WORKER', 10],
        ['PUBLISHED', 'SUCCESS', 1, null, 'EVIDENCE_WORKER', 10],
        ['FAILED', 'PUBLISHED', 2, null, 'PUBLISHER', 10],
        ['PUBLISHED', 'ERROR', 2, 'MAX_RETRIES_EXCEEDED', 'EVIDENCE_WORKER', 5],
        ['PUBLISHED', 'SUCCESS', 2, null, 'EVIDENCE_WORKER', 5],
      ])
      expect(await places()).toEqual({ rows: 1_000, places: 1_000 })
    })

    test('the document API has each case that succeeded, once', async () => {
      const response = await fetch(`${url}/sim/documents/attachments`)
      const { items } = (await response.json()) as { items: Attachment[] }
      const succeeded = [...GOOD, ...SECOND, ...THIRD].toSorted()
      expect(items.map((each) => each.case_id).toSorted()).toEqual(succeeded)
      const { rows } = await db.pool.query<{ key: string; document: string | null }>(
        `select r.id as key, a.document_mgmt_id as document
           from evidence.file_outbox_row as r
           join evidence.file_job_artifact as a on a.file_outbox_row_id = r.id
          where r.status = 'SUCCESS' and a.attachment_status = 'ATTACHED'
          order by r.id`,
      )
      const recorded = items
        .map(({ idempotency_key: key, document_mgmt_ids: ids }) => ({ key, document: ids[0] }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      expect(rows).toEqual(recorded)
    })

    test('the merchant got both results by webhook, signed', async () => {
      const listReceived = async () => {
        const response = await fetch(`${url}/sim/merchant/requests`)
        const { items } = (await response.json()) as { items: Hook[] }
        return items.map(({ body: { type, data }, verified }) => ({ type, data, verified }))
      }
      await expect.poll(listReceived, { timeout: 30_000 }).toHaveLength(2)
      expect(await listReceived()).toMatchObject([
        {
          type: 'evidence.final_results',
          data: {
            ...{ success: 995, pendingRetries: 0, errors: 5, round: 1 },
            message: 'Final Results: 995 success, 5 errors',
          },
          verified: true,
        },
        {
          type: 'evidence.initial_results',
          data: {
            ...{ success: 980, pendingRetries: 20, errors: 0, round: 1 },
            message: 'Initial Results: 980 success, 20 pending retry',
          },
          verified: true,
        },
      ])
    })

    async function advance(by: string): Promise<void> {
      const { status, text } = await acme.send('POST', '/sim/clock/advance', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ by }),
      })
      expect(status, text).toBe(200)
    }

    async function messages(id: string): Promise<string[]> {
      const { body } = await acme.get(`${PATH}/${id}/notifications`)
      return (body.items as { message: string }[]).map(({ message }) => message)
    }

    /** Every kind of move that a row made, and how many made it. */
    async function audits(): Promise<unknown[][]> {
      const { rows } = await db.pool.query<Record<string, unknown>>(
        `select old_status, new_status, retry_count, error_code, transitioned_by, count(*)::int
           from evidence.file_outbox_row_audit
          group by 1, 2, 3, 4, 5
          order by retry_count, old_status = 'PUBLISHED', old_status, new_status`,
      )
      return rows.map((row) => Object.values(row))
    }

    /** How many rows know where in Kafka their last attempt is, and how many places those are. */
    async function places(): Promise<unknown> {
      const { rows } = await db.pool.query(
        `select count(*)::int as rows,
                count(distinct (kafka_partition, kafka_offset))::int as places
           from evidence.file_outbox_row
          where kafka_partition is not null and kafka_offset is not null`,
      )
      return rows[0]
    }
  })
})

interface Attachment {
  readonly idempotency_key: string
  readonly case_id: string
  readonly document_mgmt_ids: readonly string[]
}

interface Hook {
  readonly body: { readonly type: string; readonly data: unknown }
  readonly verified: boolean
}

async function* whole(bytes: Buffer) {
  yield bytes
}

const MAIN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url))

interface RealServer {
  readonly url: string
  close(): Promise<void>
}

/** The server as it is shipped, with all its systems, in a process of its own. */
async function startServer(env: Readonly<Record<string, string>>): Promise<RealServer> {
  const { PATH: path, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: path,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      ...{ PORT: '0', POSTHORN_RATE_LIMIT: '0', POSTHORN_JWT_SECRET: TEST_SECRET },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let said = ''
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      const url = /ready: (http:\S+)/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([ready, exited.then(() => undefined)])
  if (url === undefined) throw new Error(`the server ended by itself: ${said}`)
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
      await exited
      clearTimeout(late)
    },
  }
}

interface OwnBucket {
  readonly storage: Storage
  /** What a process must have in its environment to use it. */
  readonly env: Readonly<Record<string, string>>
  /** Removes it with all it holds. */
  close(): Promise<void>
}

/** A bucket for one test on the S3 server: a sweep must not find what others put there. */
async function ownBucket(endpoint: string): Promise<OwnBucket> {
  const bucket = `evidence-${randomUUID()}`
  const region = process.env['AWS_REGION'] ?? 'us-east-1'
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const storage = s3Storage({ bucket, endpoint, region })
  const { AWS_ACCESS_KEY_ID: keyId = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env
  return {
    storage,
    env: {
      ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region },
      ...{ S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret },
    },
    async close() {
      for await (const { key } of storage.list('')) await storage.remove(key)
      await client.send(new DeleteBucketCommand({ Bucket: bucket }))
    },
  }
}
