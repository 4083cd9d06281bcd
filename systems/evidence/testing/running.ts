import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { advanceClock, useMovableClock, wakeAllRelays } from '@posthorn/operate'
import { type TestDatabase, testDatabase } from '@posthorn/engine/testing'
import { askWith, type Answer } from '@posthorn/system/testing/ask'
import { signTestToken, type TestCaller } from '@posthorn/system/testing/serve'
import { topicMigrations } from '@posthorn/transports/postgres'
import { afterAll, expect } from 'vitest'
import { evidence } from '../index.ts'
import { type Part, type Serving, serve, startWorking } from './serving.ts'

export type Client = Awaited<ReturnType<typeof clientOf>>

export interface Running extends Serving {
  readonly db: TestDatabase
  readonly folder: string
  as(caller?: TestCaller): Promise<Client>
  /** Tells the simulated document API something. */
  documents(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Moves the business clock and wakes all workers. */
  advance(by: `${number}h`): Promise<void>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Which parts run by themselves. Default all. */
  readonly parts?: readonly Part[]
}

export async function evidenceDatabase(): Promise<TestDatabase> {
  const system = evidence({ notify: async () => undefined })
  const db = await testDatabase({
    migrations: [await topicMigrations(), await system.migrations()],
  })
  await useMovableClock(db.pool)
  return db
}

/** The whole system in this process: server, file processor, publisher, worker, results. */
export async function runEvidence(db: TestDatabase, options: RunOptions = {}): Promise<Running> {
  const { env = {}, parts = ['workers', 'relay', 'consumers'] as const } = options
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-evidence-'))
  const serving = await serve({ pool: db.pool, folder, env })
  const { system, url } = serving
  const working = await startWorking(system, { pool: db.connect({ max: 20 }), parts })
  afterAll(async () => {
    await working.close()
    await serving.app.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    ...serving,
    ...{ db, folder },
    as: (caller) => clientOf(url, caller),
    documents: (method, path, body) => serving.sim(method, `/documents${path}`, body),
    async advance(by) {
      await advanceClock(db.pool, by)
      await wakeAllRelays(db.pool)
    },
  }
}

const JOBS = '/api/v1/file-jobs'

/** A user with a token, at a server of this process or of another. */
export async function clientOf(url: string, caller: TestCaller = {}) {
  const ask = askWith(url, await signTestToken({ role: 'admin', ...caller }))
  const send = (method: string, path: string, init: RequestInit = {}): Promise<Answer> =>
    ask(path, { ...init, method })
  const upload = (
    bytes: BodyInit,
    { filename = 'cases.zip', key }: { filename?: string; key?: string } = {},
  ) =>
    send('POST', `${JOBS}?filename=${encodeURIComponent(filename)}`, {
      headers: {
        'content-type': 'application/zip',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: bytes,
    })
  return {
    send,
    upload,
    get: (path: string) => send('GET', path),
    /** Uploads a file and returns its job's id. */
    async job(bytes: Buffer) {
      const { status, body } = await upload(new Uint8Array(bytes))
      expect(status, JSON.stringify(body)).toBe(202)
      return String(body.fileJobId)
    },
    /** Waits until the job is as wanted. */
    async until(id: string, wanted: object) {
      const read = async () => (await send('GET', `${JOBS}/${id}`)).body as Record<string, unknown>
      await expect.poll(read, { timeout: 100_000, interval: 50 }).toMatchObject(wanted)
      return read()
    },
    async rows(id: string, query = '') {
      const { body } = await send('GET', `${JOBS}/${id}/rows?limit=200${query}`)
      return body.items as Record<string, unknown>[]
    },
  }
}

interface Expected {
  readonly id: string
  readonly org: string
  /** Those that have their evidence. */
  readonly cases: readonly string[]
  /** All rows of the file. */
  readonly rows: number
}

interface Attachment {
  readonly idempotency_key: string
  readonly case_id: string
  readonly document_mgmt_ids: readonly string[]
}

/** Rows, artifacts and notifications are there once, and the document API's own record says the same. */
export async function expectAttachedOnce(
  { db, documents, as }: Pick<Running, 'db' | 'documents' | 'as'>,
  { id, org, cases, rows: count }: Expected,
): Promise<void> {
  const { items } = (await documents('GET', '/attachments')) as { items?: Attachment[] }
  const mine = (items ?? []).filter((each) => cases.includes(each.case_id))
  expect(mine.map((each) => each.case_id).toSorted()).toEqual(cases.toSorted())
  const { rows } = await db.pool.query<{ key: string; documents: string[] }>(
    `select r.id as key, array_agg(a.document_mgmt_id order by a.position) as documents
       from evidence.file_outbox_row as r
       join evidence.file_job_artifact as a on a.file_outbox_row_id = r.id
      where r.file_job_id = $1 and r.status = 'SUCCESS' and a.attachment_status = 'ATTACHED'
      group by r.id`,
    [id],
  )
  const believed = new Map(rows.map((row) => [row.key, row.documents]))
  expect(believed).toEqual(
    new Map(mine.map((each) => [each.idempotency_key, each.document_mgmt_ids])),
  )
  const { rows: numbers } = await db.pool.query(
    `select count(*)::int as rows, min(row_number) as first, max(row_number) as last
       from evidence.file_outbox_row
      where file_job_id = $1`,
    [id],
  )
  expect(numbers).toEqual([{ rows: count, first: 1, last: count }])
  const { body } = await (await as({ org })).get(`/api/v1/file-jobs/${id}/notifications`)
  expect(body.items).toMatchObject([{ kind: 'N2' }, { kind: 'N1' }])
  expect(body.items).toHaveLength(2)
}
