import {
  EntitySchema,
  MikroORM,
  type EntityManager,
  type EventSubscriber,
} from '@mikro-orm/postgresql'
import { uuid } from '@posthorn/engine'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { Family, familyEvents, familyTables } from '../testing/family.ts'
import { mikroOrmSubscriber } from './mikro-orm.ts'

/** Belongs to a family, and is changed without touching the family's row. */
class Pet {
  id = uuid()
  familyId: string

  constructor(familyId: string) {
    this.familyId = familyId
  }
}

const families = new EntitySchema<Omit<Family, 'pendingEvents'>>({
  class: Family,
  schema: 'families',
  tableName: 'families',
  properties: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    version: { type: 'integer', version: true },
  },
})
const pets = new EntitySchema<Pet>({
  class: Pet,
  schema: 'families',
  tableName: 'pets',
  properties: { id: { type: 'uuid', primary: true }, familyId: { type: 'uuid' } },
})

const db = await testDatabase({
  sql: `${familyTables} create table families.pets (id uuid primary key, family_id uuid not null);`,
})
async function connect(url: string): Promise<MikroORM> {
  const connection = await MikroORM.init({
    clientUrl: url,
    dbName: db.name,
    entities: [families, pets],
    subscribers: [mikroOrmSubscriber(familyEvents) satisfies EventSubscriber],
  })
  afterAll(() => connection.close())
  return connection
}
const orm = await connect(db.url)

let em: EntityManager
beforeEach(async () => {
  await db.pool.query('truncate families.families, families.outbox_events, families.pets')
  em = orm.em.fork()
})

async function readStored() {
  const rows = await db.pool.query<{ name: string }>(
    'select name from families.families order by name',
  )
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from families.outbox_events order by seq',
  )
  return {
    families: rows.rows.map(({ name }) => name),
    events: events.rows.map((row) => row.event_type.replace('Family', '')),
  }
}

async function storeFamily(name: string): Promise<string> {
  const family = Family.create(uuid(), name)
  await orm.em.fork().persist(family).flush()
  return family.id
}

const types = (family: Family) => family.pendingEvents.map(({ type }) => type.replace('Family', ''))
const failure = new Error('changed my mind')

describe('a flush', () => {
  test('writes the events of new, changed and removed aggregates, then forgets them', async () => {
    const family = Family.create(uuid(), 'Addams')
    const [{ id } = { id: '' }] = family.pendingEvents
    await em.persist(family).flush()
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
    expect(family).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query(
      'select event_id, aggregate_id from families.outbox_events',
    )
    expect(rows).toEqual([{ event_id: id, aggregate_id: family.id }])
    family.rename('Frump')
    await em.flush()
    await em.flush()
    family.dissolve()
    await em.remove(family).flush()
    expect(await readStored()).toEqual({
      families: [],
      events: ['Created', 'Renamed', 'Dissolved'],
    })
    expect(types(family)).toEqual([])
    const ids = await db.pool.query('select distinct aggregate_id from families.outbox_events')
    expect(ids.rows).toEqual([{ aggregate_id: family.id }])
  })

  test('of a loaded aggregate works too: its constructor was never called', async () => {
    const id = await storeFamily('Addams')
    const family = await em.findOneOrFail(Family, id)
    family.rename('Frump')
    await em.flush()
    expect(await readStored()).toEqual({ families: ['Frump'], events: ['Created', 'Renamed'] })
    expect(types(family)).toEqual([])
  })

  test('that fails keeps the events', async () => {
    await storeFamily('Addams')
    const family = Family.create(uuid(), 'Addams')
    // The unique name is checked by the COMMIT itself.
    await expect(em.persist(family).flush()).rejects.toMatchObject({ code: '23505' })
    expect(types(family)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
  })

  test('takes what a hook raises while it runs', async () => {
    const family = new Family(uuid(), 'Addams')
    const hooked = em.fork({ cloneEventManager: true })
    hooked.getEventManager().registerSubscriber({
      afterCreate: ({ entity }) => void (entity instanceof Family && entity.dissolve()),
    })
    await hooked.persist(family).flush()
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Dissolved'] })
    expect(types(family)).toEqual([])
  })

  test('that is stale writes nothing', async () => {
    const id = await storeFamily('Addams')
    const family = await em.findOneOrFail(Family, id)
    await db.pool.query('update families.families set version = version + 1')
    family.rename('Frump')
    await expect(em.flush()).rejects.toThrow(/optimistic lock/i)
    expect(types(family)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
  })

  test('with nothing to write refuses to leave events behind', async () => {
    const id = await storeFamily('Addams')
    const family = await em.findOneOrFail(Family, id)
    family.dissolve()
    await expect(em.flush()).rejects.toThrow(expect.objectContaining({ code: 'EVENTS_UNWRITTEN' }))
    await em.transactional(() => undefined)
    expect((await readStored()).events).toEqual(['Created', 'Dissolved'])
    expect(types(family)).toEqual([])
  })

  test('locks a row that it does not change', async () => {
    const id = await storeFamily('Addams')
    const family = await em.findOneOrFail(Family, id)
    const other = await db.pool.connect()
    await other.query('begin')
    await other.query('select from families.families for update')
    family.dissolve()
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
    const family = Family.create(uuid(), 'Addams')
    await em.transactional(async (tem) => {
      await tem.persist(family).flush()
      family.rename('Frump')
      await tem.flush()
      expect(types(family)).toEqual(['Created', 'Renamed'])
      family.rename('Addams-Frump')
    })
    expect(types(family)).toEqual([])
    expect(await readStored()).toEqual({
      families: ['Addams-Frump'],
      events: ['Created', 'Renamed', 'Renamed'],
    })
  })

  test('by hand does the same', async () => {
    const family = Family.create(uuid(), 'Addams')
    await em.begin()
    await em.persist(family).flush()
    family.rename('Frump')
    await em.commit()
    expect(types(family)).toEqual([])
    expect(await readStored()).toEqual({ families: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('does not lose events of what was flushed and cleared away', async () => {
    await em.transactional(async (tem) => {
      for (const name of ['A', 'B', 'C']) {
        await tem.persist(Family.create(uuid(), name)).flush()
        tem.clear()
      }
    })
    expect(await readStored()).toEqual({
      families: ['A', 'B', 'C'],
      events: ['Created', 'Created', 'Created'],
    })
  })

  test('that is rolled back keeps the events', async () => {
    const family = Family.create(uuid(), 'Addams')
    const rolledBack = em.transactional(async (tem) => {
      await tem.persist(family).flush()
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(family)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: [], events: [] })
    await em.begin()
    await em.persist(Family.create(uuid(), 'Frump')).flush()
    await em.rollback()
    expect(await readStored()).toEqual({ families: [], events: [] })
  })
})

describe('a nested transaction', () => {
  test('that is released is cleared by the outer commit', async () => {
    const [outer, inner] = ['Outer', 'Inner'].map((name) => Family.create(uuid(), name)) as [
      Family,
      Family,
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
    const { families: names, events } = await readStored()
    expect(names).toEqual(['Inner', 'Outer 2'])
    expect(events.toSorted()).toEqual(['Created', 'Created', 'Renamed'])
  })

  test('that is released and rolled back with the outer one keeps its events', async () => {
    const inner = Family.create(uuid(), 'Inner')
    const rolledBack = em.transactional(async (tem) => {
      await tem.transactional(async (nested) => void nested.persist(inner))
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(inner)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: [], events: [] })
  })

  test('that is rolled back alone keeps its events; those of the outer one are written', async () => {
    const [outer, inner] = ['Outer', 'Inner'].map((name) => Family.create(uuid(), name)) as [
      Family,
      Family,
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
    expect(await readStored()).toEqual({ families: ['Outer'], events: ['Created'] })
  })
})

test.each([
  ['before', []],
  ['after', ['Addams']],
] as const)('a connection lost %s the commit keeps the events', async (when, names) => {
  const line = await proxyTo(db.url)
  const shaky = await connect(line.by(db.url))
  const family = Family.create(uuid(), 'Addams')
  line.cutNextCommit(when)
  await expect(shaky.em.fork().persist(family).flush()).rejects.toThrow(/terminated/)
  expect(types(family)).toEqual(['Created'])
  expect((await readStored()).families).toEqual(names)
  line.cut()
})
