import { uuid } from '@posthorn/engine'
import { proxyTo, withBroker } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { casesNamed, zipOfCases } from './testing/archive.ts'
import { evidenceDatabase, expectAttachedOnce, runEvidence } from './testing/running.ts'
import { type Child, startChild } from './testing/child.ts'

/*
 * Two workers, each in a process of its own, in one consumer group of a real Kafka; the file
 * processor and the publisher are a third process, and the document API is here.
 */

const db = await evidenceDatabase()
const running = await runEvidence(db, { parts: [] })
// By way of a line, so that the API's record shows who called.
const line = await proxyTo(running.url)
const wait = { timeout: 60_000, interval: 50 }
const ROWS = 60

withBroker('KAFKA_BROKERS', (brokers) => {
  async function startFleet(): Promise<Child> {
    const env = {
      ...{ KAFKA_BROKERS: brokers, CHILD_KAFKA_PREFIX: `workers-${uuid()}` },
      ...{ EVIDENCE_LEASE_MS: '2000' },
    }
    const options = { databaseUrl: db.url, folder: running.folder }
    const worker = (address: string) =>
      startChild({
        ...{ ...options, parts: ['consumers'] },
        env: { ...env, DOCUMENTS_URL: `${address}/sim/documents` },
      })
    const [one] = await Promise.all([
      worker(new URL(line.by(running.url)).origin),
      worker(running.url),
      startChild({ ...options, env, parts: ['workers', 'relay'] }),
    ])
    return one
  }

  /** Who has called the document API, by the address they know it by. */
  const callers = async () => {
    const { items } = await running.documents('GET', '/requests')
    return new Set((items as { headers: { host: string } }[]).map(({ headers }) => headers.host))
  }

  const ENDS = {
    'is killed': (child: Child) => child.kill(),
    'stands still until all is done': async (child: Child) => child.suspend(),
  }

  test.each(Object.entries(ENDS))(
    'of two workers one %s: its rows go to the other, and each is attached once',
    { timeout: 180_000 },
    async (what, end) => {
      await running.documents('DELETE', '')
      const org = `m-${uuid().slice(-12)}`
      const one = await startFleet()
      // Calls take so long that the first has some under way when it ends.
      await running.documents('POST', '/faults', { mode: 'slow', delayMs: 1_000 })
      const client = await running.as({ org })
      const cases = casesNamed(org, ROWS)
      const id = await client.job(await zipOfCases(cases))
      await expect
        .poll(callers, wait)
        .toEqual(new Set([hostOf(line.by(running.url)), hostOf(running.url)]))
      await end(one)
      await running.documents('POST', '/faults', { mode: 'ok' })
      await client.until(id, { status: 'COMPLETED', successCount: ROWS, errorCount: 0 })
      await expectAttachedOnce(running, { id, org, cases, rows: ROWS })
      if (what === 'is killed') return
      one.resume()
      // It answers: so it had its say about the rows it had in hand, too.
      expect((await fetch(`${one.url}/api/v1/file-jobs`)).status).toBe(401)
      await expectAttachedOnce(running, { id, org, cases, rows: ROWS })
    },
  )
})

function hostOf(url: string): string {
  return new URL(url).host
}
