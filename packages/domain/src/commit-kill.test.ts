import { uuid } from '@posthorn/engine'
import { startTestChild, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { Club, clubEvents, clubMapper, clubTables } from './testing/club.ts'
import { UnitOfWork } from './unit-of-work.ts'

const db = await testDatabase({ sql: clubTables })
const script = new URL('testing/commit-process.ts', import.meta.url)

async function storeClub(): Promise<string> {
  const unit = new UnitOfWork({ pool: db.pool, mappers: [clubMapper], events: clubEvents })
  const club = Club.create(uuid(), uuid())
  unit.save(club)
  await unit.commit()
  return club.id
}

/** Runs the process until it has written so often, and some milliseconds more, then kills it. */
async function killAt(club: string, halt: string, laterMs: number): Promise<void> {
  const child = await startTestChild(script, {
    env: { DATABASE_URL: db.url, CLUB: club, HALT: halt },
  })
  await new Promise((resolve) => setTimeout(resolve, laterMs))
  await child.kill()
}

async function versionAndEvents(id: string): Promise<{ version: number; events: number[] }> {
  // A dead client's backend may be finishing its commit.
  const others = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (state <> 'idle' or xact_start is not null) and backend_type = 'client backend'`
  await expect.poll(async () => (await db.pool.query(others)).rows.length).toBe(0)
  const club = await db.pool.query<{ version: number }>(
    'select version from clubs.clubs where id = $1',
    [id],
  )
  const events = await db.pool.query<{ version: number | null }>(
    `select (payload->>'version')::int as version from clubs.outbox_events
      where aggregate_id = $1 order by seq`,
    [id],
  )
  return {
    version: club.rows[0]?.version ?? 0,
    events: events.rows.map(({ version }) => version ?? 1),
  }
}

test.each(['after-row', 'after-events'])('a process killed %s leaves nothing', async (halt) => {
  const id = await storeClub()
  await killAt(id, halt, 0)
  expect(await versionAndEvents(id)).toEqual({ version: 1, events: [1] })
})

test('a process killed anywhere leaves the row and its events, or neither', async () => {
  const id = await storeClub()
  for (let round = 0; round < 6; round += 1) {
    const before = await versionAndEvents(id)
    await killAt(id, 'nowhere', round * 3.3)
    const { version, events } = await versionAndEvents(id)
    expect(version).toBeGreaterThan(before.version)
    expect(events).toEqual(Array.from({ length: version }, (_, i) => i + 1))
  }
})
