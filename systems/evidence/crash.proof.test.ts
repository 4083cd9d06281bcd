import { uuid } from '@posthorn/engine'
import { killAtPoint, killPoints, withBroker } from '@posthorn/engine/testing'
import { afterAll, expect, test } from 'vitest'
import { pdf, zip, zipOfCases } from './testing/archive.ts'
import { evidenceDatabase, expectAttachedOnce, runEvidence } from './testing/running.ts'
import { type Role, type RoleOptions, startRole } from './testing/role.ts'

/*
 * Every part is killed with SIGKILL at each of its steps, in a process of its own, on a real Kafka,
 * while the other parts go on. Each time the file must come to the same end.
 */

const db = await evidenceDatabase()
const running = await runEvidence(db, { parts: [] })
const program = new URL('./testing/role-process.ts', import.meta.url)
const documentsUrl = `${running.url}/sim/documents`
const prefix = `crash-${uuid()}`
const wait = { timeout: 60_000, interval: 30 }

/** What the processor is killed over: three batches, of which few rows have evidence. */
const MANY = 2_300
const LONG = ['1', '2', '1249', '1250', '1251', '1500', '2249', '2250', '2299', '2300']

interface File {
  readonly cases: readonly string[]
  readonly errors: number
  zip(): Promise<Buffer>
}

const shortFile = (org: string): File => {
  const cases = [`${org}-a`, `${org}-b`, `${org}-c`]
  return { cases, errors: 0, zip: () => zipOfCases(cases) }
}

const longFile = (org: string): File => {
  const good = new Set(LONG)
  const rows = Array.from({ length: MANY }, (_, i) => String(i + 1)).map((n) =>
    good.has(n) ? `${org}-${n},a.pdf;b.pdf` : ',a.pdf',
  )
  return {
    cases: LONG.map((n) => `${org}-${n}`),
    errors: MANY - LONG.length,
    zip: () =>
      zip({
        'cases.csv': ['case_id,evidence_files', ...rows].join('\n'),
        ...{ 'a.pdf': pdf('a'), 'b.pdf': pdf('b') },
      }),
  }
}

withBroker('KAFKA_BROKERS', (brokers) => {
  const optionsFor = (org: string): RoleOptions => ({
    ...{ databaseUrl: db.url, folder: running.folder, documentsUrl, brokers, prefix, org },
    reach: async () => undefined,
  })

  const started = new Map<string, () => Promise<void>>()
  afterAll(() => Promise.all([...started.keys()].map(stop)))

  async function start(role: Role, org = ''): Promise<void> {
    const name = `${role} ${org}`
    if (!started.has(name)) started.set(name, await startRole(role, optionsFor(org)))
  }

  async function stop(name: string): Promise<void> {
    const end = started.get(name)
    started.delete(name)
    await end?.()
  }

  /** Runs a role in a process of its own until it stands at the point, and kills it there. */
  function killAt(role: Role, point: string, org: string): Promise<void> {
    const env = {
      ...{ ROLE: role, ROLE_DATABASE_URL: db.url, ROLE_FOLDER: running.folder },
      ...{ ROLE_DOCUMENTS_URL: documentsUrl, ROLE_BROKERS: brokers },
      ...{ ROLE_PREFIX: prefix, ROLE_ORG: org },
    }
    return killAtPoint(program, point, { env })
  }

  /** As if those who were killed had been gone for long. */
  async function expireClaims(org: string): Promise<void> {
    const past = `claimed_until = now() - interval '1 s'
      where claimed_until is not null and org_id = $1`
    await db.pool.query(`update evidence.file_job set ${past}`, [org])
    await db.pool.query(`update evidence.file_outbox_row set ${past}`, [org])
  }

  const countOf = async (org: string, status: string) => {
    const { rows } = await db.pool.query<{ count: number }>(
      `select count(*)::int as count from evidence.file_outbox_row
        where org_id = $1 and status = $2`,
      [org, status],
    )
    return rows[0]?.count
  }

  async function exercise(role: Role, point: string, file: (org: string) => File): Promise<void> {
    const org = `m-${uuid().slice(-12)}`
    const { cases, errors, zip: pack } = file(org)
    const isWorker = role === 'worker'
    if (!isWorker) await stop(`${role} `)
    const others = (['processor', 'publisher', 'results'] as const).filter((each) => each !== role)
    await Promise.all(others.map((each) => start(each)))
    if (!isWorker) await start('worker', org)
    const client = await running.as({ org })
    const id = await client.job(await pack())
    // The dead worker must be the one that has the rows, not the next member of the group.
    if (isWorker) await expect.poll(() => countOf(org, 'PUBLISHED'), wait).toBe(cases.length)
    await killAt(role, point, org)
    await expireClaims(org)
    await start(role, isWorker ? org : '')

    const rows = cases.length + errors
    const results = { successCount: cases.length, errorCount: errors, pendingRetries: 0 }
    await client.until(id, { status: 'COMPLETED', totalRows: rows, ...results })
    await expectAttachedOnce(running, { id, org, cases, rows })
    await stop(`worker ${org}`)
  }

  const pointsOf = (points: readonly string[], short: readonly string[]) =>
    killPoints(points, { named: (point) => point, short })

  const PROCESSOR = [
    'looked',
    ...['put 1', 'stored 2'],
    // The staged files, that all are staged, three batches, the end.
    ...[1, 2, 3, 4, 5, 6].flatMap((n) => [`commit ${n}`, `committed ${n}`]),
  ]
  test.each(pointsOf(PROCESSOR, ['put 1', 'committed 2', 'commit 4', 'committed 6']))(
    'the file processor is killed at "%s", and the file comes to its end',
    { timeout: 120_000 },
    (point) => exercise('processor', point, longFile),
  )

  const REJECTION = ['notified evidence.rejected', 'commit 1', 'committed 1']
  test.each(pointsOf(REJECTION, ['commit 1']))(
    'the file processor is killed over a bad file at "%s", and the file is rejected once',
    { timeout: 120_000 },
    async (point) => {
      const org = `m-${uuid().slice(-12)}`
      await stop('processor ')
      const client = await running.as({ org })
      const id = await client.job(Buffer.from('no ZIP at all'))
      await killAt('processor', point, org)
      await expireClaims(org)
      await start('processor')
      await client.until(id, { status: 'REJECTED', reason: 'NOT_A_ZIP' })
      const { body } = await client.get(`/api/v1/file-jobs/${id}/notifications`)
      expect(body.items).toMatchObject([{ kind: 'REJECTED' }])
    },
  )

  test.each(pointsOf(['claimed', 'delivered', 'commit 1', 'committed 1'], ['delivered']))(
    'the publisher is killed at "%s", and the file comes to its end',
    { timeout: 120_000 },
    (point) => exercise('publisher', point, shortFile),
  )

  const RESULTS = [
    'notified evidence.initial_results',
    'notified evidence.final_results',
    'commit 1',
  ]
  test.each(pointsOf(RESULTS, ['notified evidence.final_results']))(
    'the results worker is killed at "%s", and the merchant is notified once',
    { timeout: 120_000 },
    (point) => exercise('results', point, shortFile),
  )

  test('the evidence worker is killed at each of its steps', { timeout: 180_000 }, async () => {
    const points = ['received', 'attach', 'attached', 'commit 1', 'committed 1', 'handled']
    // Side by side: Kafka gives a dead worker's partitions away only after six seconds.
    await Promise.all(points.map((point) => exercise('worker', point, shortFile)))
  })
})
