import { sql, uuid } from '@posthorn/engine'
import { defineInbox, inboxTableSql, once } from '@posthorn/engine/inbox'
import { testDatabase } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { AggregateRoot } from './aggregate-root.ts'
import { ConflictError } from './errors.ts'
import { eventOutbox } from './event-outbox.ts'
import type { Mapper } from './mapper.ts'
import { Club, clubEvents, clubMapper, clubTables, outboxEvents } from './testing/club.ts'
import { UnitOfWork } from './unit-of-work.ts'

const inbox = defineInbox({ table: 'clubs.inbox', retention: '30d' })
const db = await testDatabase({ sql: clubTables + inboxTableSql(inbox) })

const newUnit = (pool: Pool = db.pool, mappers: readonly Mapper[] = [clubMapper]) =>
  new UnitOfWork({ pool, mappers, events: clubEvents })
const errorWithCode = (code: string) => expect.objectContaining({ code }) as Error

/** The rows and the events, as another session sees them. */
async function readStored() {
  const clubs = await db.pool.query<{ name: string; version: number }>(
    'select name, version from clubs.clubs order by name',
  )
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from clubs.outbox_events order by seq',
  )
  return {
    clubs: clubs.rows.map(({ name, version }) => `${name} ${version}`),
    events: events.rows.map((row) => row.event_type),
  }
}

async function storeClub(name: string): Promise<string> {
  const unit = newUnit()
  const club = Club.create(uuid(), name)
  unit.save(club)
  await unit.commit()
  return club.id
}

async function loadClub(unit: UnitOfWork, id: string): Promise<Club> {
  const club = await unit.load(Club, id)
  if (!club) throw new Error('not there')
  return club
}

beforeEach(async () => {
  await db.pool.query('truncate clubs.clubs, clubs.outbox_events, clubs.inbox')
})

describe('a commit', () => {
  test('writes the aggregate and its events, then forgets the events', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    const ids = club.pendingEvents.map(({ id }) => id)
    await unit.commit()
    expect(await readStored()).toEqual({ clubs: ['Addams 1'], events: ['ClubCreated'] })
    expect(club).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query('select event_id from clubs.outbox_events')
    expect(rows).toEqual(ids.map((event_id) => ({ event_id })))
  })

  test('can be made again with what has happened since', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    await unit.commit()
    await unit.commit()
    club.rename('Frump')
    club.rename('Addams-Frump')
    await unit.commit()
    expect(await readStored()).toEqual({
      clubs: ['Addams-Frump 2'],
      events: ['ClubCreated', 'ClubRenamed', 'ClubRenamed'],
    })
  })

  test('leaves alone what has raised no event and was not saved', async () => {
    const id = await storeClub('Addams')
    const unit = newUnit()
    const club = await loadClub(unit, id)
    club.name = 'Frump'
    await unit.commit()
    expect((await readStored()).clubs).toEqual(['Addams 1'])
    unit.save(club)
    await unit.commit()
    await unit.commit()
    expect((await readStored()).clubs).toEqual(['Frump 2'])
  })

  test('removes, and still sends the last events', async () => {
    const id = await storeClub('Addams')
    const unit = newUnit()
    const club = await loadClub(unit, id)
    club.dissolve()
    unit.remove(club)
    expect(await unit.load(Club, id)).toBeUndefined()
    await unit.commit()
    expect(await readStored()).toEqual({
      clubs: [],
      events: ['ClubCreated', 'ClubDissolved'],
    })
    expect(club.pendingEvents).toEqual([])
    await unit.commit()
  })

  test('writes nothing of a new aggregate that is removed again', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    unit.remove(club)
    await unit.commit()
    expect(await readStored()).toEqual({ clubs: [], events: [] })
  })

  test('whose transaction has a call that is not awaited stores nothing, and can be made again', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    const forgetful = unit.commit(async (tx, write) => {
      await write(tx)
      void tx.query(sql`insert into clubs.clubs (id, name) values (${uuid()}, 'Stray')`)
    })
    await expect(forgetful).rejects.toThrow(errorWithCode('CALL_NOT_AWAITED'))
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    expect(club.pendingEvents).toHaveLength(1)
    await unit.commit()
    expect(await readStored()).toEqual({ clubs: ['Addams 1'], events: ['ClubCreated'] })
  })

  test('refuses a second one at the same time', async () => {
    const unit = newUnit()
    unit.save(Club.create(uuid(), 'Addams'))
    const first = unit.commit()
    await expect(unit.commit()).rejects.toThrow(errorWithCode('COMMIT_RUNNING'))
    await first
    expect((await readStored()).clubs).toEqual(['Addams 1'])
  })

  test('keeps for the next one what is raised while it runs', async () => {
    const id = await storeClub('Addams')
    const unit = newUnit(db.pool, [
      {
        ...clubMapper,
        async update(tx, club: Club) {
          const written = await clubMapper.update(tx, club)
          if (club.name === 'Frump') club.rename('Late')
          return written
        },
      },
    ])
    const club = await loadClub(unit, id)
    club.rename('Frump')
    await unit.commit()
    expect(await readStored()).toMatchObject({ clubs: ['Frump 2'] })
    expect(club.pendingEvents).toHaveLength(1)
    await unit.commit()
    expect(await readStored()).toEqual({
      clubs: ['Late 3'],
      events: ['ClubCreated', 'ClubRenamed', 'ClubRenamed'],
    })
  })

  test('shares its transaction with others', async () => {
    const id = await storeClub('Addams')
    const receipt = { inbox, consumer: 'clubs', id: uuid() }
    const handle = async (name: string) => {
      const unit = newUnit()
      const club = await loadClub(unit, id)
      club.rename(name)
      const { first } = await unit.commit((tx, write) => once(tx, receipt, write))
      return { first, left: club.pendingEvents.length }
    }
    expect(await handle('Frump')).toEqual({ first: true, left: 0 })
    expect(await handle('Again')).toEqual({ first: false, left: 1 })
    expect((await readStored()).clubs).toEqual(['Frump 2'])
  })
})

describe('when another transaction was first', () => {
  test.each(['update', 'remove'] as const)('an %s writes nothing', async (kind) => {
    const id = await storeClub('Addams')
    const [unit, other] = [newUnit(), newUnit()]
    const [mine, theirs] = [await loadClub(unit, id), await loadClub(other, id)]
    theirs.rename('Theirs')
    await other.commit()
    mine.rename('Mine')
    if (kind === 'remove') unit.remove(mine)
    unit.save(Club.create(uuid(), 'New'))
    const error = await unit.commit().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({
      code: 'AGGREGATE_STALE',
      aggregateType: 'Club',
      aggregateId: id,
      version: 1,
    })
    expect(await readStored()).toEqual({
      clubs: ['Theirs 2'],
      events: ['ClubCreated', 'ClubRenamed'],
    })
    expect(mine).toMatchObject({ version: 1 })
    expect(mine.pendingEvents).toHaveLength(1)
  })

  test('of many that change one aggregate at once, one wins', async () => {
    const id = await storeClub('Addams')
    const pool = db.connect({ max: 10 })
    const units = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const unit = newUnit(pool)
        const club = await loadClub(unit, id)
        club.rename(`Name ${n}`)
        return unit
      }),
    )
    const outcomes = await Promise.allSettled(units.map((unit) => unit.commit()))
    const failures = outcomes.filter((each) => each.status === 'rejected')
    expect(failures).toHaveLength(9)
    for (const { reason } of failures) expect(reason).toBeInstanceOf(ConflictError)
    const { clubs, events } = await readStored()
    expect(clubs).toEqual([expect.stringMatching(/^Name \d 2$/)])
    expect(events).toEqual(['ClubCreated', 'ClubRenamed'])
  })

  test('units that change the same aggregates do not deadlock', async () => {
    const ids = await Promise.all(['A', 'B', 'C'].map(storeClub))
    for (let round = 0; round < 20; round += 1) {
      const units = [ids, ids.toReversed()].map(async (order, n) => {
        const unit = newUnit()
        for (const id of order) (await loadClub(unit, id)).rename(`${id} ${round} ${n}`)
        await unit.commit()
      })
      const outcomes = await Promise.allSettled(units)
      for (const each of outcomes) {
        if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ConflictError)
      }
      expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
    }
  })
})

describe('a commit that fails', () => {
  test('at its very end keeps everything, and can be tried again', async () => {
    await storeClub('Addams')
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    const before = club.pendingEvents
    // The unique name is checked by the COMMIT itself.
    await expect(unit.commit()).rejects.toThrow(errorWithCode('23505'))
    expect(club).toMatchObject({ version: 0, pendingEvents: before })
    expect(await readStored()).toEqual({ clubs: ['Addams 1'], events: ['ClubCreated'] })
    club.rename('Frump')
    await unit.commit()
    expect(await readStored()).toEqual({
      clubs: ['Addams 1', 'Frump 1'],
      events: ['ClubCreated', 'ClubCreated', 'ClubRenamed'],
    })
  })

  test('in a mapper, or in toRow, writes nothing', async () => {
    const club = Club.create(uuid(), 'Addams')
    const events = eventOutbox(outboxEvents, () => {
      throw new Error('no row')
    })
    const wrong = new UnitOfWork({ pool: db.pool, mappers: [clubMapper], events })
    wrong.save(club)
    await expect(wrong.commit()).rejects.toThrow('no row')
    const unit = newUnit(db.pool, [
      { ...clubMapper, insert: () => Promise.reject(new Error('no insert')) },
    ])
    unit.save(club)
    await expect(unit.commit()).rejects.toThrow('no insert')
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    expect(club).toMatchObject({ version: 0 })
    expect(club.pendingEvents).toHaveLength(1)
  })

  test('if what it shares its transaction with fails, writes nothing', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    unit.save(club)
    const around = unit.commit(async (tx, write) => {
      await write(tx)
      await tx.query(sql`select 1 / 0`)
    })
    await expect(around).rejects.toThrow(errorWithCode('22012'))
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    expect(club.pendingEvents).toHaveLength(1)
    await unit.commit()
    expect(await readStored()).toEqual({ clubs: ['Addams 1'], events: ['ClubCreated'] })
  })
})

test('half a unit is not committed, even if the caller swallows the conflict', async () => {
  const ids = (await Promise.all(['A', 'B'].map(storeClub))).toSorted()
  const unit = newUnit()
  for (const id of ids) (await loadClub(unit, id)).rename(`${id} renamed`)
  await db.pool.query('update clubs.clubs set version = 7 where id = $1', [ids[1]])
  const swallowing = unit.commit((tx, write) => write(tx).catch(() => 'never mind'))
  await expect(swallowing).rejects.toThrow(ConflictError)
  expect((await readStored()).clubs.join()).not.toContain('renamed')
})

describe('the identity map', () => {
  test('gives the same object, also to two that ask at once', async () => {
    const id = await storeClub('Addams')
    const load = vi.fn<NonNullable<typeof clubMapper.load>>(clubMapper.load)
    const unit = newUnit(db.pool, [{ ...clubMapper, load }])
    const [a, b] = await Promise.all([unit.load(Club, id), unit.load(Club, id)])
    expect(a).toBeInstanceOf(Club)
    expect(a).toBe(b)
    expect(await unit.load(Club, id)).toBe(a)
    expect(load).toHaveBeenCalledTimes(1)
  })

  test('asks again for what was not there, or could not be read', async () => {
    const unit = newUnit()
    const club = Club.create(uuid(), 'Addams')
    expect(await unit.load(Club, club.id)).toBeUndefined()
    await expect(unit.load(Club, 'no uuid')).rejects.toThrow(errorWithCode('22P02'))
    unit.save(club)
    expect(await unit.load(Club, club.id)).toBe(club)
  })

  test('refuses a second object for one aggregate', async () => {
    const id = await storeClub('Addams')
    const unit = newUnit()
    await loadClub(unit, id)
    expect(() => unit.save(new Club(id, 'Twin'))).toThrow(errorWithCode('AGGREGATE_TWICE'))
  })
})

describe('mappers', () => {
  class Adoptive extends Club {}
  class Stranger extends AggregateRoot {
    id = uuid()
  }

  test('of a class also map what extends it', async () => {
    const unit = newUnit()
    unit.save(new Adoptive(uuid(), 'Addams'))
    await unit.commit()
    expect((await readStored()).clubs).toEqual(['Addams 1'])
  })

  test('that are missing or wrong are named', async () => {
    const id = await storeClub('Addams')
    const unit = newUnit()
    expect(() => unit.save(new Stranger())).toThrow(errorWithCode('MAPPER_MISSING'))
    await expect(unit.load(Stranger, id)).rejects.toThrow(/no mapper for Stranger/)
    const { load, remove, ...bare } = clubMapper
    expect([load, remove]).not.toContain(undefined)
    const poor = newUnit(db.pool, [bare])
    await expect(poor.load(Club, id)).rejects.toThrow(errorWithCode('MAPPER_INVALID'))
    expect(() => poor.remove(new Club(id, 'Addams'))).toThrow(/Club: has no remove/)
    const unversioned = { ...clubMapper, load: async () => new Club(id, 'Addams') }
    await expect(newUnit(db.pool, [unversioned]).load(Club, id)).rejects.toThrow(/version/)
    const other = Object.assign(new Club(uuid(), 'Addams'), { version: 1 })
    const astray = { ...clubMapper, load: async () => other }
    await expect(newUnit(db.pool, [astray]).load(Club, id)).rejects.toThrow(/gave/)
  })
})
