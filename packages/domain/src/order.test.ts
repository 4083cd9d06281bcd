import { createRelay, uuid } from '@posthorn/engine'
import { fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { ConflictError } from './errors.ts'
import { Club, clubEvents, clubMapper, clubTables, outboxEvents } from './testing/club.ts'
import { UnitOfWork } from './unit-of-work.ts'

const db = await testDatabase({ sql: clubTables })

const newUnit = () => new UnitOfWork({ pool: db.pool, mappers: [clubMapper], events: clubEvents })

/** Renames until it is through; returns how often another transaction was first. */
async function rename(id: string, name: string): Promise<number> {
  for (let conflicts = 0; conflicts < 200; conflicts += 1) {
    const unit = newUnit()
    const club = await unit.load(Club, id)
    club?.rename(name)
    try {
      await unit.commit()
      return conflicts
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
  throw new Error('never through')
}

test('events of an aggregate arrive in the order of its versions, however many write', async () => {
  const clubs = ['One', 'Two'].map((name) => Club.create(uuid(), name))
  const unit = newUnit()
  clubs.forEach((club) => unit.save(club))
  await unit.commit()
  const fakes = [fakeTransport(), fakeTransport()]
  const arrived: { key: string | undefined; payload: unknown }[] = []
  const relays = fakes.map((fake) => {
    const { deliver } = fake
    const fakeAndNote = {
      ...fake,
      deliver: (...args: Parameters<typeof deliver>) => {
        arrived.push(...args[0].map(({ message }) => message))
        return deliver(...args)
      },
    }
    return createRelay({
      pool: db.pool,
      outboxes: [outboxEvents],
      transports: { fake: fakeAndNote },
    })
  })
  for (const relay of relays) await relay.start()
  const writers = clubs.flatMap(({ id, name }) =>
    Array.from({ length: 3 }, async (_, writer) => {
      let conflicts = 0
      for (let n = 0; n < 20; n += 1) conflicts += await rename(id, `${name} ${writer} ${n}`)
      return conflicts
    }),
  )
  const conflicts = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0)
  await expect.poll(() => arrived.length).toBe(122)
  await Promise.all(relays.map((relay) => relay.stop()))
  for (const { id } of clubs) {
    const versions = arrived
      .filter(({ key }) => key === id)
      .map(({ payload }) => (payload as { version?: number }).version ?? 1)
    expect(versions).toEqual(Array.from({ length: 61 }, (_, i) => i + 1))
  }
  // Otherwise no two units ran at the same time, and the test shows nothing.
  expect(conflicts).toBeGreaterThan(0)
})
