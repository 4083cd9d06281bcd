import { setTimeout as sleep } from 'node:timers/promises'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { loadSystems } from '@posthorn/server'
import { testServer } from '@posthorn/server/testing'
import { expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'

const audits = await contributionsTo('audit')
const { pool, ...database } = await testDatabase()
const server = await testServer(database, { systems: await loadSystems({}) })

interface Entry {
  readonly entityId: string
  readonly at: string
  readonly businessAt: string | null
}

async function entries(query: string): Promise<Entry[]> {
  const { status, body } = await server.call(`/api/v1/audit/entries?${query}`)
  expect(status).toBe(200)
  return body['items'] as Entry[]
}

test('entries of all audits are listed by when they happened, however the clock was moved', async () => {
  await useMovableClock(pool)
  await advanceClock(pool, '6h')
  const noted = [...audits, ...audits]
  for (const [i, audit] of noted.entries()) {
    await audit.note(pool, `thing-${i}`)
    // Entries of one millisecond have no order between two audits.
    await sleep(2)
  }
  const items = await entries('action=noted')
  expect(items.map(({ entityId }) => entityId).toReversed()).toEqual(
    noted.map((_, i) => `thing-${i}`),
  )
  for (const { at } of items) expect(Date.now() - Date.parse(at)).toBeLessThan(60_000)
  const ahead = items.map(({ at, businessAt }) =>
    businessAt === null ? null : Math.round((Date.parse(businessAt) - Date.parse(at)) / 3_600_000),
  )
  expect(ahead.toReversed()).toEqual(noted.map((audit) => (audit.hasBusinessTime ? 6 : null)))
  const past = new Date(Date.now() - 60_000).toISOString()
  const later = new Date(Date.now() + 60_000).toISOString()
  expect(await entries(`action=noted&since=${past}&until=${later}`)).toHaveLength(noted.length)
})
