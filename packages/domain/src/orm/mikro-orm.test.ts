import { EntitySchema, MikroORM, type EntityManager } from '@mikro-orm/postgresql'
import { uuid } from '@posthorn/engine'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { Club, clubEvents, clubTables } from '../testing/club.ts'
import { writesInGuide } from '../testing/guide-writes.ts'
import { connectMikroOrm } from './mikro-orm.ts'

/** Belongs to a club, and is changed without touching the club's row. */
class Pet {
  id = uuid()
  clubId: string

  constructor(clubId: string) {
    this.clubId = clubId
  }
}

const clubs = new EntitySchema<Omit<Club, 'pendingEvents'>>({
  class: Club,
  schema: 'clubs',
  tableName: 'clubs',
  properties: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    version: { type: 'integer', version: true },
  },
})
const pets = new EntitySchema<Pet>({
  class: Pet,
  schema: 'clubs',
  tableName: 'pets',
  properties: { id: { type: 'uuid', primary: true }, clubId: { type: 'uuid' } },
})

const db = await testDatabase({
  sql: `${clubTables} create table clubs.pets (id uuid primary key, club_id uuid not null);`,
})
async function connect(url: string): Promise<MikroORM> {
  const connection = await MikroORM.init({
    clientUrl: url,
    dbName: db.name,
    entities: [clubs, pets],
  })
  connectMikroOrm(connection, clubEvents)
  afterAll(() => connection.close())
  return connection
}
const orm = await connect(db.url)

let em: EntityManager
beforeEach(async () => {
  await db.pool.query('truncate clubs.clubs, clubs.outbox_events, clubs.pets')
  em = orm.em.fork()
})

async function readStored() {
  const rows = await db.pool.query<{ name: string }>('select name from clubs.clubs order by name')
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from clubs.outbox_events order by seq',
  )
  return {
    clubs: rows.rows.map(({ name }) => name),
    events: events.rows.map((row) => row.event_type.replace('Club', '')),
  }
}

async function storeClub(name: string): Promise<string> {
  const club = Club.create(uuid(), name)
  await orm.em.fork().persist(club).flush()
  return club.id
}

const types = (club: Club) => club.pendingEvents.map(({ type }) => type.replace('Club', ''))
const failure = new Error('changed my mind')

const WRITES: Readonly<Record<string, (tem: EntityManager, club: Club) => Promise<unknown>>> = {
  'persist(club).flush()': (tem, club) => tem.persist(club).flush(),
  'remove(club).flush()': async (tem, club) => {
    await storeRow(club)
    return tem.remove(tem.merge(club)).flush()
  },
  'insert(club)': (tem, club) => tem.insert(club),
  'insert(Club, club)': (tem, club) => tem.insert(Club, club),
  'insertMany([club])': (tem, club) => tem.insertMany([club]),
  'insertMany(Club, [club])': (tem, club) => tem.insertMany(Club, [club]),
  'upsert(club)': (tem, club) => tem.upsert(club),
  'upsert(Club, club)': (tem, club) => tem.upsert(Club, club),
  'upsertMany([club])': (tem, club) => tem.upsertMany([club]),
  'upsertMany(Club, [club])': (tem, club) => tem.upsertMany(Club, [club]),
}
const storeRow = ({ id, name }: Club) =>
  db.pool.query('insert into clubs.clubs (id, name) values ($1, $2)', [id, name])

describe('events of an aggregate', () => {
  const outcomeOf = async (club: Club, write: () => Promise<unknown>) => {
    const thrown = await write().then(
      () => undefined,
      (error: { code?: string }) => error.code ?? 'another error',
    )
    const { events } = await readStored()
    if (thrown === undefined) expect(types(club)).toEqual([])
    else expect([events, types(club)]).toEqual([[], ['Created']])
    return thrown ?? (events.join() === 'Created' ? 'written' : `lost: ${events.join()}`)
  }

  test('the guide names every call', () => {
    expect(writesInGuide('MikroORM').map(([call]) => call)).toEqual(Object.keys(WRITES))
  })

  test.each(writesInGuide('MikroORM'))(
    '%s: %s, and %s in a transaction',
    async (call, alone, within) => {
      const write = WRITES[call] ?? expect.fail(`no test of ${call}`)
      const club = Club.create(uuid(), 'Addams')
      expect(await outcomeOf(club, () => write(em, club))).toBe(alone)
      await db.pool.query('truncate clubs.clubs, clubs.outbox_events')
      const another = Club.create(uuid(), 'Addams')
      const inTransaction = () => orm.em.fork().transactional((tem) => write(tem, another))
      expect(await outcomeOf(another, inTransaction)).toBe(within)
      // Without events they do what they always do.
      await db.pool.query('truncate clubs.clubs, clubs.outbox_events')
      const quiet = new Club(uuid(), 'Quiet')
      await write(orm.em.fork(), quiet)
      expect((await readStored()).events).toEqual([])
    },
  )
})

describe('a flush', () => {
  test('writes the events of new, changed and removed aggregates, then forgets them', async () => {
    const club = Club.create(uuid(), 'Addams')
    const [{ id } = { id: '' }] = club.pendingEvents
    await em.persist(club).flush()
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
    expect(club).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query('select event_id, aggregate_id from clubs.outbox_events')
    expect(rows).toEqual([{ event_id: id, aggregate_id: club.id }])
    club.rename('Frump')
    await em.flush()
    await em.flush()
    club.dissolve()
    await em.remove(club).flush()
    expect(await readStored()).toEqual({
      clubs: [],
      events: ['Created', 'Renamed', 'Dissolved'],
    })
    expect(types(club)).toEqual([])
    const ids = await db.pool.query('select distinct aggregate_id from clubs.outbox_events')
    expect(ids.rows).toEqual([{ aggregate_id: club.id }])
  })

  test('of a loaded aggregate works too: its constructor was never called', async () => {
    const id = await storeClub('Addams')
    const club = await em.findOneOrFail(Club, id)
    club.rename('Frump')
    await em.flush()
    expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
    expect(types(club)).toEqual([])
  })

  test('that fails keeps the events', async () => {
    await storeClub('Addams')
    const club = Club.create(uuid(), 'Addams')
    // The unique name is checked by the COMMIT itself.
    await expect(em.persist(club).flush()).rejects.toMatchObject({ code: '23505' })
    expect(types(club)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
  })

  test('takes what a hook raises while it runs', async () => {
    const club = new Club(uuid(), 'Addams')
    const hooked = em.fork({ cloneEventManager: true })
    hooked.getEventManager().registerSubscriber({
      afterCreate: ({ entity }) => void (entity instanceof Club && entity.dissolve()),
    })
    await hooked.persist(club).flush()
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Dissolved'] })
    expect(types(club)).toEqual([])
  })

  test('that is stale writes nothing', async () => {
    const id = await storeClub('Addams')
    const club = await em.findOneOrFail(Club, id)
    await db.pool.query('update clubs.clubs set version = version + 1')
    club.rename('Frump')
    await expect(em.flush()).rejects.toThrow(/optimistic lock/i)
    expect(types(club)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ clubs: ['Addams'], events: ['Created'] })
  })

  test('with nothing to write refuses to leave events behind', async () => {
    const id = await storeClub('Addams')
    const club = await em.findOneOrFail(Club, id)
    club.dissolve()
    await expect(em.flush()).rejects.toThrow(expect.objectContaining({ code: 'EVENTS_UNWRITTEN' }))
    await em.transactional(() => undefined)
    expect((await readStored()).events).toEqual(['Created', 'Dissolved'])
    expect(types(club)).toEqual([])
  })

  test('locks a row that it does not change', async () => {
    const id = await storeClub('Addams')
    const club = await em.findOneOrFail(Club, id)
    const other = await db.pool.connect()
    await other.query('begin')
    await other.query('select from clubs.clubs for update')
    club.dissolve()
    const flushing = em.persist(new Pet(id)).flush()
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database()`
    try {
      await expect.poll(async () => (await db.pool.query(waiting)).rows.length).toBe(1)
      expect((await readStored()).events).toEqual(['Created'])
    } finally {
      await other.query('commit')
      other.release()
    }
    await flushing
    expect((await readStored()).events).toEqual(['Created', 'Dissolved'])
  })
})

describe('an explicit transaction', () => {
  test('with several flushes writes each event once', async () => {
    const club = Club.create(uuid(), 'Addams')
    await em.transactional(async (tem) => {
      await tem.persist(club).flush()
      club.rename('Frump')
      await tem.flush()
      expect(types(club)).toEqual(['Created', 'Renamed'])
      club.rename('Addams-Frump')
    })
    expect(types(club)).toEqual([])
    expect(await readStored()).toEqual({
      clubs: ['Addams-Frump'],
      events: ['Created', 'Renamed', 'Renamed'],
    })
  })

  test('by hand does the same', async () => {
    const club = Club.create(uuid(), 'Addams')
    await em.begin()
    await em.persist(club).flush()
    club.rename('Frump')
    await em.commit()
    expect(types(club)).toEqual([])
    expect(await readStored()).toEqual({ clubs: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('does not lose events of what was flushed and cleared away', async () => {
    await em.transactional(async (tem) => {
      for (const name of ['A', 'B', 'C']) {
        await tem.persist(Club.create(uuid(), name)).flush()
        tem.clear()
      }
    })
    expect(await readStored()).toEqual({
      clubs: ['A', 'B', 'C'],
      events: ['Created', 'Created', 'Created'],
    })
  })

  test('that is rolled back keeps the events', async () => {
    const club = Club.create(uuid(), 'Addams')
    const rolledBack = em.transactional(async (tem) => {
      await tem.persist(club).flush()
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(club)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: [], events: [] })
    await em.begin()
    await em.persist(Club.create(uuid(), 'Frump')).flush()
    await em.rollback()
    expect(await readStored()).toEqual({ clubs: [], events: [] })
  })
})

describe('a nested transaction', () => {
  test('that is released is cleared by the outer commit', async () => {
    const [outer, inner] = ['Outer', 'Inner'].map((name) => Club.create(uuid(), name)) as [
      Club,
      Club,
    ]
    await em.transactional(async (tem) => {
      await tem.persist(outer).flush()
      await tem.transactional(async (nested) => {
        nested.persist(inner)
        outer.rename('Outer 2')
      })
      expect(types(inner)).toEqual(['Created'])
    })
    expect([types(outer), types(inner)]).toEqual([[], []])
    const { clubs: names, events } = await readStored()
    expect(names).toEqual(['Inner', 'Outer 2'])
    expect(events.toSorted()).toEqual(['Created', 'Created', 'Renamed'])
  })

  test('that is released and rolled back with the outer one keeps its events', async () => {
    const inner = Club.create(uuid(), 'Inner')
    const rolledBack = em.transactional(async (tem) => {
      await tem.transactional(async (nested) => void nested.persist(inner))
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(inner)).toEqual(['Created'])
    expect(await readStored()).toEqual({ clubs: [], events: [] })
  })

  test('that is rolled back alone keeps its events; those of the outer one are written', async () => {
    const [outer, inner] = ['Outer', 'Inner'].map((name) => Club.create(uuid(), name)) as [
      Club,
      Club,
    ]
    await em.transactional(async (tem) => {
      await tem.persist(outer).flush()
      const rolledBack = tem.transactional(async (nested) => {
        await nested.persist(inner).flush()
        throw failure
      })
      await expect(rolledBack).rejects.toThrow(failure)
    })
    expect([types(outer), types(inner)]).toEqual([[], ['Created']])
    expect(await readStored()).toEqual({ clubs: ['Outer'], events: ['Created'] })
  })
})

test.each([
  ['before', []],
  ['after', ['Addams']],
] as const)('a connection lost %s the commit keeps the events', async (when, names) => {
  const line = await proxyTo(db.url)
  const shaky = await connect(line.by(db.url))
  const club = Club.create(uuid(), 'Addams')
  line.cutNextCommit(when)
  await expect(shaky.em.fork().persist(club).flush()).rejects.toThrow(/terminated/)
  expect(types(club)).toEqual(['Created'])
  expect((await readStored()).clubs).toEqual(names)
  line.cut()
})
