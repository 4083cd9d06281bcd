import { uuid } from '@posthorn/engine'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { setTimeout } from 'node:timers/promises'
import { DataSource, EntitySchema, type EntityManager } from 'typeorm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { EventOutbox } from '../event-outbox.ts'
import { Club, clubEvents, clubTables } from '../testing/club.ts'
import { writesInGuide } from '../testing/guide-writes.ts'
import { connectTypeOrm } from './typeorm.ts'

const clubs = new EntitySchema<Club>({
  name: 'Club',
  target: Club,
  schema: 'clubs',
  tableName: 'clubs',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    version: { type: 'int', version: true },
    deletedAt: { type: 'timestamptz', nullable: true, deleteDate: true, name: 'deleted_at' },
  } as EntitySchema<Club>['options']['columns'],
})

/** Saves its club along with itself. */
class Pet {
  id = uuid()
  club: Club

  constructor(club: Club) {
    this.club = club
  }
}
const pets = new EntitySchema<Pet>({
  name: 'Pet',
  target: Pet,
  schema: 'clubs',
  tableName: 'pets',
  columns: { id: { type: 'uuid', primary: true } },
  relations: {
    club: {
      type: 'many-to-one',
      target: 'Club',
      cascade: ['update'],
      joinColumn: { name: 'club_id' },
    },
  },
})

const db = await testDatabase({
  sql: `${clubTables} alter table clubs.clubs add deleted_at timestamptz;
    create table clubs.pets (id uuid primary key, club_id uuid not null);`,
})
async function connect(url: string, events: EventOutbox): Promise<DataSource> {
  const source = await new DataSource({
    type: 'postgres',
    url,
    entities: [clubs, pets],
    poolErrorHandler: () => undefined,
  }).initialize()
  connectTypeOrm(source, events)
  afterAll(() => source.destroy())
  return source
}
const dataSource = await connect(db.url, clubEvents)

const { manager } = dataSource

beforeEach(() => db.pool.query('truncate clubs.clubs, clubs.outbox_events, clubs.pets'))

async function readStored() {
  const rows = await db.pool.query<{ name: string }>(
    'select name from clubs.clubs where deleted_at is null order by name',
  )
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from clubs.outbox_events order by seq',
  )
  return {
    clubs: rows.rows.map(({ name }) => name),
    events: events.rows.map((row) => row.event_type.replace('Club', '')),
  }
}

const types = (club: Club) => club.pendingEvents.map(({ type }) => type.replace('Club', ''))
const failure = new Error('changed my mind')

const WRITES: Readonly<Record<string, (tm: EntityManager, club: Club) => Promise<unknown>>> = {
  'save(club)': (tm, club) => tm.save(club),
  'save(club, { listeners: false })': (tm, club) => tm.save(club, { listeners: false }),
  'remove(club)': (tm, club) => tm.remove(club),
  'remove(club, { listeners: false })': (tm, club) => tm.remove(club, { listeners: false }),
  'softRemove(club)': (tm, club) => tm.softRemove(club),
  'softRemove(club, { listeners: false })': (tm, club) => tm.softRemove(club, { listeners: false }),
  'recover(club)': (tm, club) => tm.recover(club),
  'recover(club, { listeners: false })': (tm, club) => tm.recover(club, { listeners: false }),
  'insert(Club, club)': async (tm, club) => {
    await db.pool.query('delete from clubs.clubs')
    return tm.insert(Club, club)
  },
  "upsert(Club, club, ['id'])": (tm, club) => tm.upsert(Club, club, ['id']),
  'update(Club, id, club)': (tm, club) => tm.update(Club, club.id, club),
}

describe('events of an aggregate', () => {
  const stored = async () => {
    const { id } = await manager.save(Club.create(uuid(), 'Addams'))
    const club = await manager.findOneByOrFail(Club, { id })
    club.dissolve()
    return club
  }
  const outcomeOf = async (club: Club, write: () => Promise<unknown>) => {
    const thrown = await write().then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
    const { events } = await readStored()
    if (thrown === undefined) expect(types(club)).toEqual([])
    else expect([events, types(club)]).toEqual([['Created'], ['Dissolved']])
    return thrown ?? (events.join() === 'Created,Dissolved' ? 'written' : `lost: ${events.join()}`)
  }

  test('the guide names every call', () => {
    expect(writesInGuide('TypeORM').map(([call]) => call)).toEqual(Object.keys(WRITES))
  })

  test.each(writesInGuide('TypeORM'))(
    '%s: %s, and %s in a transaction',
    async (call, alone, within) => {
      const write = WRITES[call] ?? expect.fail(`no test of ${call}`)
      const club = await stored()
      expect(await outcomeOf(club, () => write(manager, club))).toBe(alone)
      await db.pool.query('truncate clubs.clubs, clubs.outbox_events')
      const another = await stored()
      const inTransaction = () => manager.transaction((tm) => write(tm, another))
      expect(await outcomeOf(another, inTransaction)).toBe(within)
    },
  )
})

test('connected before it is initialised, a data source writes events too', async () => {
  const source = new DataSource({ type: 'postgres', url: db.url, entities: [clubs, pets] })
  connectTypeOrm(source, clubEvents)
  await source.initialize()
  const club = Club.create(uuid(), 'Addams')
  const isSaved = source.manager.save(club).then(() => 'saved')
  try {
    expect(await Promise.race([isSaved, setTimeout(5_000, 'never')])).toBe('saved')
    await source.destroy()
    await source.initialize()
    club.rename('Frump')
    await source.manager.save(club)
  } finally {
    await source.destroy()
  }
  expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
})

describe('a save', () => {
  test('writes the events of new and changed aggregates, then forgets them', async () => {
    const club = Club.create(uuid(), 'Addams')
    const [{ id } = { id: '' }] = club.pendingEvents
    await manager.save(club)
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
    expect(club).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query('select event_id from clubs.outbox_events')
    expect(rows).toEqual([{ event_id: id }])
    const found = await manager.findOneByOrFail(Club, { id: club.id })
    found.rename('Frump')
    await manager.save(found)
    await manager.save(found)
    expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
    expect(types(found)).toEqual([])
  })

  test('of many writes the events of all', async () => {
    const all = ['A', 'B', 'C'].map((name) => Club.create(uuid(), name))
    await manager.save(all)
    expect((await readStored()).events).toEqual(['Created', 'Created', 'Created'])
    expect(all.flatMap(types)).toEqual([])
  })

  test('that fails keeps the events', async () => {
    await manager.save(Club.create(uuid(), 'Addams'))
    const club = Club.create(uuid(), 'Addams')
    // The unique name is checked by the COMMIT itself.
    await expect(manager.save(club)).rejects.toMatchObject({ code: '23505' })
    expect(types(club)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
    club.name = 'Frump'
    await manager.save(club)
    expect(await readStored()).toEqual({
      clubs: ['Addams', 'Frump'],
      events: ['Created', 'Created'],
    })
  })

  test('outside a transaction is refused before anything is written', async () => {
    const club = Club.create(uuid(), 'Addams')
    await expect(manager.save(club, { transaction: false })).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }),
    )
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    await manager.save(new Club(uuid(), 'Quiet'), { transaction: false })
    expect(await readStored()).toEqual({ clubs: ['Quiet'], events: [] })
  })
})

describe('a save that changes no column', () => {
  async function stored(): Promise<Club> {
    const { id } = await manager.save(Club.create(uuid(), 'Addams'))
    return manager.findOneByOrFail(Club, { id })
  }
  const expectDissolved = async (club: Club) => {
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created', 'Dissolved'] })
    expect(types(club)).toEqual([])
  }

  test.each<[string, (club: Club) => Promise<unknown>]>([
    ['by the manager', (club) => manager.save(club)],
    ['by class and manager', (club) => manager.save(Club, [club])],
    ['by a repository', (club) => dataSource.getRepository(Club).save(club)],
    ['in a transaction', (club) => manager.transaction((tm) => tm.save(club))],
    ['in a savepoint', (club) => manager.transaction((a) => a.transaction((b) => b.save(club)))],
    ['without listeners', (club) => manager.save(club, { listeners: false })],
    ['twice', (club) => manager.transaction(async (tm) => tm.save(await tm.save(club)))],
    ['through a cascade', (club) => manager.save(new Pet(club))],
  ])('writes the events: %s', async (_, save) => {
    const club = await stored()
    club.dissolve()
    await save(club)
    await expectDissolved(club)
  })

  test('after one that did writes the events of both', async () => {
    const club = await stored()
    await manager.transaction(async (tm) => {
      club.rename('Frump')
      await tm.save(club)
      club.dissolve()
      await tm.save(club)
    })
    expect((await readStored()).events).toEqual(['Created', 'Renamed', 'Dissolved'])
    expect(types(club)).toEqual([])
  })

  test('locks the row, so that writers of its events take turns', async () => {
    const club = await stored()
    club.dissolve()
    await manager.transaction(async (tm) => {
      await tm.save(club)
      const other = db.pool.query('select 1 from clubs.clubs for update nowait')
      await expect(other).rejects.toMatchObject({ code: '55P03' })
    })
  })

  test('keeps the events that a rollback took back', async () => {
    const club = await stored()
    club.dissolve()
    const rolledBack = manager.transaction(async (tm) => {
      await tm.save(club)
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(club)).toEqual(['Dissolved'])
    await expect(manager.save(club, { transaction: false })).rejects.toMatchObject({
      code: 'NOT_IN_TRANSACTION',
    })
    await manager.save(club)
    await expectDissolved(club)
  })
})

test('a removed aggregate sends its last events, with the id it had', async () => {
  const id = uuid()
  const club = await manager.save(Club.create(id, 'Addams'))
  club.dissolve()
  await manager.remove(club)
  expect(await readStored()).toEqual({ clubs: [], events: ['Created', 'Dissolved'] })
  expect(types(club)).toEqual([])
  const { rows } = await db.pool.query('select distinct aggregate_id from clubs.outbox_events')
  expect(rows).toEqual([{ aggregate_id: id }])
})

test('so does one that is removed softly, and one that is recovered', async () => {
  const club = await manager.save(Club.create(uuid(), 'Addams'))
  club.dissolve()
  await manager.softRemove(club)
  expect(await readStored()).toEqual({ clubs: [], events: ['Created', 'Dissolved'] })
  club.rename('Addams')
  await manager.recover(club)
  expect(await readStored()).toEqual({
    clubs: ['Addams'],
    events: ['Created', 'Dissolved', 'Renamed'],
  })
  expect(types(club)).toEqual([])
})

describe('an explicit transaction', () => {
  test('with several saves writes each event once', async () => {
    const club = Club.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(club)
      club.rename('Frump')
      await tm.save(club)
      expect(types(club)).toEqual(['Created', 'Renamed'])
      // Raised and never saved: its row does not have it, so it is not sent.
      club.rename('Unsaved')
    })
    expect(types(club)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('that is rolled back keeps the events', async () => {
    const club = Club.create(uuid(), 'Addams')
    const rolledBack = manager.transaction(async (tm) => {
      await tm.save(club)
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(club)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    await manager.save(club)
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
  })

  test('by hand, twice on one connection', async () => {
    const runner = dataSource.createQueryRunner()
    const club = Club.create(uuid(), 'Addams')
    await runner.startTransaction()
    await runner.manager.save(club)
    await runner.rollbackTransaction()
    await runner.startTransaction()
    await runner.manager.save(club)
    await runner.commitTransaction()
    await runner.release()
    expect(types(club)).toEqual([])
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
  })
})

describe('a nested transaction', () => {
  test('that is released is cleared by the outer commit', async () => {
    const club = Club.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(club)
      await tm.transaction(async (nested) => {
        club.rename('Frump')
        await nested.save(club)
      })
      expect(types(club)).toEqual(['Created', 'Renamed'])
    })
    expect(types(club)).toEqual([])
    expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('that is released and rolled back with the outer one keeps its events', async () => {
    const club = Club.create(uuid(), 'Addams')
    const rolledBack = manager.transaction(async (tm) => {
      await tm.transaction((nested) => nested.save(club))
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(club)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: [], events: [] })
  })

  test('that is rolled back alone keeps its events; those of the outer one are written', async () => {
    const club = Club.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(club)
      const rolledBack = tm.transaction(async (nested) => {
        club.rename('Frump')
        await nested.save(club)
        throw failure
      })
      await expect(rolledBack).rejects.toThrow(failure)
    })
    expect(types(club)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
  })
})

test('of parallel writers, the last event is that of the last row', async () => {
  const { id } = await manager.save(Club.create(uuid(), 'Addams'))
  for (let round = 0; round < 10; round += 1) {
    const writers = Array.from({ length: 5 }, async (_, n) => {
      const club = await manager.findOneByOrFail(Club, { id })
      club.rename(`${round} ${n}`)
      await manager.save(club)
    })
    await Promise.all(writers)
    const { rows } = await db.pool.query<{ name: string }>(
      `select payload->>'name' as name from clubs.outbox_events order by seq desc limit 1`,
    )
    expect((await readStored()).clubs).toEqual([rows[0]?.name])
  }
})

test.each([
  ['before', []],
  ['after', ['Addams']],
] as const)('a connection lost %s the commit keeps the events', async (when, names) => {
  const line = await proxyTo(db.url)
  const source = await connect(line.by(db.url), clubEvents)
  const club = Club.create(uuid(), 'Addams')
  line.cutNextCommit(when)
  await expect(source.manager.save(club)).rejects.toThrow(/terminated/)
  expect(types(club)).toEqual(['Created'])
  expect((await readStored()).clubs).toEqual(names)
  line.cut()
})
