import { type TcpProxy, createKafkaProxy, withBroker } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { casesNamed, zipOfCases } from './testing/archive.ts'
import {
  type Client,
  evidenceDatabase,
  expectAttachedOnce,
  runEvidence,
} from './testing/running.ts'
import { startChild } from './testing/child.ts'
import { type PrivateKafka, privateKafka } from './testing/private-kafka.ts'

/*
 * What the system leans on goes away in the middle of a file and comes back: Kafka, Postgres, the
 * document API. Both servers belong to this file alone, so that they may be killed.
 */

const postgres = await temporaryPostgres({ settings: { fsync: 'off', max_connections: 100 } })
afterAll(() => postgres.close())
process.env['DATABASE_URL'] = postgres.url
const db = await evidenceDatabase()
const running = await runEvidence(db, { parts: [] })
const wait = { timeout: 90_000, interval: 50 }
const ROWS = 150
/** The short form of the proof is about what is killed. */
const isShort = process.env['PROOF'] === 'short'

withBroker('KAFKA_BROKERS', () => {
  let kafka: PrivateKafka
  let line: TcpProxy

  beforeAll(async () => {
    kafka = await privateKafka()
    line = await createKafkaProxy(kafka.brokers)
    return () => kafka.close()
  }, 180_000)

  /** Starts everything but the API, uploads a file, and returns when some of its rows are attached. */
  async function underWay(org: string) {
    await startChild({
      ...{ databaseUrl: db.url, folder: running.folder },
      parts: ['workers', 'relay', 'consumers'],
      env: {
        ...{ KAFKA_BROKERS: `${line.host}:${line.port}`, CHILD_KAFKA_PREFIX: org },
        ...{ DOCUMENTS_URL: `${running.url}/sim/documents`, EVIDENCE_LEASE_MS: '2000' },
        // Few at once, so that publishing and attaching are both under way for long.
        EVIDENCE_IN_FLIGHT: '20',
        CHILD_QUIET: 'yes',
      },
    })
    await running.documents('POST', '/faults', { mode: 'slow', delayMs: 50 })
    const client = await running.as({ org })
    const cases = casesNamed(org, ROWS)
    const id = await client.job(await zipOfCases(cases))
    await expect.poll(() => countAttached(client, id), wait).toBeGreaterThan(10)
    expect(await countAttached(client, id)).toBeLessThan(ROWS)
    return { client, id, org, cases, rows: ROWS }
  }

  async function countAttached(client: Client, id: string): Promise<number> {
    const { body } = await client.get(`/api/v1/file-jobs/${id}`)
    return (body as { counts: { SUCCESS: number } }).counts.SUCCESS
  }

  async function expectEnd(job: Awaited<ReturnType<typeof underWay>>): Promise<void> {
    const results = { successCount: ROWS, errorCount: 0, pendingRetries: 0 }
    await job.client.until(job.id, { status: 'COMPLETED', ...results })
    await expectAttachedOnce(running, job)
  }

  const OUTAGES = {
    'the line to Kafka says nothing': async () => {
      line.stall()
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await line.heal()
    },
    'Kafka is killed and started': async () => {
      await kafka.kill()
      await kafka.start()
    },
    'Postgres is killed and started': async () => {
      await postgres.kill()
      await postgres.restart()
    },
  }

  const outages = Object.entries(OUTAGES).filter(([name]) => !isShort || name.includes('killed'))
  test.each(outages)(
    '%s: every row comes to its end, once',
    { timeout: 240_000 },
    async (name, happen) => {
      const job = await underWay(name.toLowerCase().replaceAll(' ', '-'))
      await happen()
      await expectEnd(job)
    },
  )

  test.skipIf(isShort)(
    'the document API is down: rows wait for their retry',
    { timeout: 240_000 },
    async () => {
      const job = await underWay('documents-down')
      await running.documents('POST', '/faults', { mode: 'drop' })
      const countFailed = async () => {
        const { body } = await job.client.get(`/api/v1/file-jobs/${job.id}`)
        return (body as { counts: { FAILED: number } }).counts.FAILED
      }
      await expect.poll(countFailed, wait).toBeGreaterThan(20)
      await running.documents('POST', '/faults', { mode: 'ok' })
      // Those that were not tried meanwhile go on; the others are due in six hours.
      const rest = async () => (await countAttached(job.client, job.id)) + (await countFailed())
      await expect.poll(rest, wait).toBe(ROWS)
      await running.advance('6h')
      await expectEnd(job)
    },
  )
})
