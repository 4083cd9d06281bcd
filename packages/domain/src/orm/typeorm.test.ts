import { uuid } from '@posthorn/engine'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { DataSource, EntitySchema } from 'typeorm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { EventOutbox } from '../event-outbox.ts'
import { Family, familyEvents, familyTables } from '../testing/family.ts'
import { connectTypeOrm } from './typeorm.ts'

const families = new EntitySchema<Family>({
  name: 'Family',
  target: Family,
  schema: 'families',
  tableName: 'families',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    version: { type: 'int', version: true },
    deletedAt: { type: 'timestamptz', nullable: true, deleteDate: true, name: 'deleted_at' },
  } as EntitySchema<Family>['options']['columns'],
})

/** Saves its family along with itself. */
class Pet {
  id = uuid()
  family: Family

  constructor(family: Family) {
    this.family = family
  }
}
const pets = new EntitySchema<Pet>({
  name: 'Pet',
  target: Pet,
  schema: 'families',
  tableName: 'pets',
  columns: { id: { type: 'uuid', primary: true } },
  relations: {
    family: {
      type: 'many-to-one',
      target: 'Family',
      cascade: ['update'],
      joinColumn: { name: 'family_id' },
    },
  },
})

const db = await testDatabase({
  sql: `${familyTables} alter table families.families add deleted_at timestamptz;
    create table families.pets (id uuid primary key, family_id uuid not null);`,
})
async function connect(url: string, events: EventOutbox): Promise<DataSource> {
  const source = await new DataSource({
    type: 'postgres',
    url,
    entities: [families, pets],
    poolErrorHandler: () => undefined,
  }).initialize()
  connectTypeOrm(source, events)
  afterAll(() => source.destroy())
  return source
}
const dataSource = await connect(db.url, familyEvents)

const { manager } = dataSource

beforeEach(() => db.pool.query('truncate families.families, families.outbox_events, families.pets'))

async function readStored() {
  const rows = await db.pool.query<{ name: string }>(
    'select name from families.families where deleted_at is null order by name',
  )
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from families.outbox_events order by seq',
  )
  return {
    families: rows.rows.map(({ name }) => name),
    events: events.rows.map((row) => row.event_type.replace('Family', '')),
  }
}

const types = (family: Family) => family.pendingEvents.map(({ type }) => type.replace('Family', ''))
const failure = new Error('changed my mind')

describe('a save', () => {
  test('writes the events of new and changed aggregates, then forgets them', async () => {
    const family = Family.create(uuid(), 'Addams')
    const [{ id } = { id: '' }] = family.pendingEvents
    await manager.save(family)
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
    expect(family).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query('select event_id from families.outbox_events')
    expect(rows).toEqual([{ event_id: id }])
    const found = await manager.findOneByOrFail(Family, { id: family.id })
    found.rename('Frump')
    await manager.save(found)
    await manager.save(found)
    expect(await readStored()).toEqual({ families: ['Frump'], events: ['Created', 'Renamed'] })
    expect(types(found)).toEqual([])
  })

  test('of many writes the events of all', async () => {
    const all = ['A', 'B', 'C'].map((name) => Family.create(uuid(), name))
    await manager.save(all)
    expect((await readStored()).events).toEqual(['Created', 'Created', 'Created'])
    expect(all.flatMap(types)).toEqual([])
  })

  test('that fails keeps the events', async () => {
    await manager.save(Family.create(uuid(), 'Addams'))
    const family = Family.create(uuid(), 'Addams')
    // The unique name is checked by the COMMIT itself.
    await expect(manager.save(family)).rejects.toMatchObject({ code: '23505' })
    expect(types(family)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
    family.name = 'Frump'
    await manager.save(family)
    expect(await readStored()).toEqual({
      families: ['Addams', 'Frump'],
      events: ['Created', 'Created'],
    })
  })

  test('outside a transaction is refused before anything is written', async () => {
    const family = Family.create(uuid(), 'Addams')
    await expect(manager.save(family, { transaction: false })).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }),
    )
    expect(await readStored()).toEqual({ families: [], events: [] })
    await manager.save(new Family(uuid(), 'Quiet'), { transaction: false })
    expect(await readStored()).toEqual({ families: ['Quiet'], events: [] })
  })
})

describe('a save that changes no column', () => {
  async function stored(): Promise<Family> {
    const { id } = await manager.save(Family.create(uuid(), 'Addams'))
    return manager.findOneByOrFail(Family, { id })
  }
  const expectDissolved = async (family: Family) => {
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created', 'Dissolved'] })
    expect(types(family)).toEqual([])
  }

  test.each<[string, (family: Family) => Promise<unknown>]>([
    ['by the manager', (family) => manager.save(family)],
    ['by class and manager', (family) => manager.save(Family, [family])],
    ['by a repository', (family) => dataSource.getRepository(Family).save(family)],
    ['in a transaction', (family) => manager.transaction((tm) => tm.save(family))],
    [
      'in a savepoint',
      (family) => manager.transaction((a) => a.transaction((b) => b.save(family))),
    ],
    ['without listeners', (family) => manager.save(family, { listeners: false })],
    ['twice', (family) => manager.transaction(async (tm) => tm.save(await tm.save(family)))],
    ['through a cascade', (family) => manager.save(new Pet(family))],
  ])('writes the events: %s', async (_, save) => {
    const family = await stored()
    family.dissolve()
    await save(family)
    await expectDissolved(family)
  })

  test('after one that did writes the events of both', async () => {
    const family = await stored()
    await manager.transaction(async (tm) => {
      family.rename('Frump')
      await tm.save(family)
      family.dissolve()
      await tm.save(family)
    })
    expect((await readStored()).events).toEqual(['Created', 'Renamed', 'Dissolved'])
    expect(types(family)).toEqual([])
  })

  test('locks the row, so that writers of its events take turns', async () => {
    const family = await stored()
    family.dissolve()
    await manager.transaction(async (tm) => {
      await tm.save(family)
      const other = db.pool.query('select 1 from families.families for update nowait')
      await expect(other).rejects.toMatchObject({ code: '55P03' })
    })
  })

  test('keeps the events that a rollback took back', async () => {
    const family = await stored()
    family.dissolve()
    const rolledBack = manager.transaction(async (tm) => {
      await tm.save(family)
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(family)).toEqual(['Dissolved'])
    await expect(manager.save(family, { transaction: false })).rejects.toMatchObject({
      code: 'NOT_IN_TRANSACTION',
    })
    await manager.save(family)
    await expectDissolved(family)
  })
})

test('a removed aggregate sends its last events, with the id it had', async () => {
  const id = uuid()
  const family = await manager.save(Family.create(id, 'Addams'))
  family.dissolve()
  await manager.remove(family)
  expect(await readStored()).toEqual({ families: [], events: ['Created', 'Dissolved'] })
  expect(types(family)).toEqual([])
  const { rows } = await db.pool.query('select distinct aggregate_id from families.outbox_events')
  expect(rows).toEqual([{ aggregate_id: id }])
})

test('so does one that is removed softly, and one that is recovered', async () => {
  const family = await manager.save(Family.create(uuid(), 'Addams'))
  family.dissolve()
  await manager.softRemove(family)
  expect(await readStored()).toEqual({ families: [], events: ['Created', 'Dissolved'] })
  family.rename('Addams')
  await manager.recover(family)
  expect(await readStored()).toEqual({
    families: ['Addams'],
    events: ['Created', 'Dissolved', 'Renamed'],
  })
  expect(types(family)).toEqual([])
})

describe('an explicit transaction', () => {
  test('with several saves writes each event once', async () => {
    const family = Family.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(family)
      family.rename('Frump')
      await tm.save(family)
      expect(types(family)).toEqual(['Created', 'Renamed'])
      // Raised and never saved: its row does not have it, so it is not sent.
      family.rename('Unsaved')
    })
    expect(types(family)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ families: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('that is rolled back keeps the events', async () => {
    const family = Family.create(uuid(), 'Addams')
    const rolledBack = manager.transaction(async (tm) => {
      await tm.save(family)
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(family)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: [], events: [] })
    await manager.save(family)
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
  })

  test('by hand, twice on one connection', async () => {
    const runner = dataSource.createQueryRunner()
    const family = Family.create(uuid(), 'Addams')
    await runner.startTransaction()
    await runner.manager.save(family)
    await runner.rollbackTransaction()
    await runner.startTransaction()
    await runner.manager.save(family)
    await runner.commitTransaction()
    await runner.release()
    expect(types(family)).toEqual([])
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
  })
})

describe('a nested transaction', () => {
  test('that is released is cleared by the outer commit', async () => {
    const family = Family.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(family)
      await tm.transaction(async (nested) => {
        family.rename('Frump')
        await nested.save(family)
      })
      expect(types(family)).toEqual(['Created', 'Renamed'])
    })
    expect(types(family)).toEqual([])
    expect(await readStored()).toEqual({ families: ['Frump'], events: ['Created', 'Renamed'] })
  })

  test('that is released and rolled back with the outer one keeps its events', async () => {
    const family = Family.create(uuid(), 'Addams')
    const rolledBack = manager.transaction(async (tm) => {
      await tm.transaction((nested) => nested.save(family))
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(family)).toEqual(['Created'])
    expect(await readStored()).toEqual({ families: [], events: [] })
  })

  test('that is rolled back alone keeps its events; those of the outer one are written', async () => {
    const family = Family.create(uuid(), 'Addams')
    await manager.transaction(async (tm) => {
      await tm.save(family)
      const rolledBack = tm.transaction(async (nested) => {
        family.rename('Frump')
        await nested.save(family)
        throw failure
      })
      await expect(rolledBack).rejects.toThrow(failure)
    })
    expect(types(family)).toEqual(['Renamed'])
    expect(await readStored()).toEqual({ families: ['Addams'], events: ['Created'] })
  })
})

test('of parallel writers, the last event is that of the last row', async () => {
  const { id } = await manager.save(Family.create(uuid(), 'Addams'))
  for (let round = 0; round < 10; round += 1) {
    const writers = Array.from({ length: 5 }, async (_, n) => {
      const family = await manager.findOneByOrFail(Family, { id })
      family.rename(`${round} ${n}`)
      await manager.save(family)
    })
    await Promise.all(writers)
    const { rows } = await db.pool.query<{ name: string }>(
      `select payload->>'name' as name from families.outbox_events order by seq desc limit 1`,
    )
    expect((await readStored()).families).toEqual([rows[0]?.name])
  }
})

test.each([
  ['before', []],
  ['after', ['Addams']],
] as const)('a connection lost %s the commit keeps the events', async (when, names) => {
  const line = await proxyTo(db.url)
  const source = await connect(line.by(db.url), familyEvents)
  const family = Family.create(uuid(), 'Addams')
  line.cutNextCommit(when)
  await expect(source.manager.save(family)).rejects.toThrow(/terminated/)
  expect(types(family)).toEqual(['Created'])
  expect((await readStored()).families).toEqual(names)
  line.cut()
})
