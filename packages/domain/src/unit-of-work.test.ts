import { sql, uuid } from '@posthorn/engine'
import { defineInbox, inboxTableSql, once } from '@posthorn/engine/inbox'
import { testDatabase } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { AggregateRoot } from './aggregate-root.ts'
import { ConflictError } from './errors.ts'
import { eventOutbox } from './event-outbox.ts'
import type { Mapper } from './mapper.ts'
import { Family, familyEvents, familyMapper, familyTables, outboxEvents } from './testing/family.ts'
import { UnitOfWork } from './unit-of-work.ts'

const inbox = defineInbox({ table: 'families.inbox', retention: '30d' })
const db = await testDatabase({ sql: familyTables + inboxTableSql(inbox) })

const newUnit = (pool: Pool = db.pool, mappers: readonly Mapper[] = [familyMapper]) =>
  new UnitOfWork({ pool, mappers, events: familyEvents })
const errorWithCode = (code: string) => expect.objectContaining({ code }) as Error

/** The rows and the events, as another session sees them. */
async function readStored() {
  const families = await db.pool.query<{ name: string; version: number }>(
    'select name, version from families.families order by name',
  )
  const events = await db.pool.query<{ event_type: string }>(
    'select event_type from families.outbox_events order by seq',
  )
  return {
    families: families.rows.map(({ name, version }) => `${name} ${version}`),
    events: events.rows.map((row) => row.event_type),
  }
}

async function storeFamily(name: string): Promise<string> {
  const unit = newUnit()
  const family = Family.create(uuid(), name)
  unit.save(family)
  await unit.commit()
  return family.id
}

async function loadFamily(unit: UnitOfWork, id: string): Promise<Family> {
  const family = await unit.load(Family, id)
  if (!family) throw new Error('not there')
  return family
}

beforeEach(async () => {
  await db.pool.query('truncate families.families, families.outbox_events, families.inbox')
})

describe('a commit', () => {
  test('writes the aggregate and its events, then forgets the events', async () => {
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    unit.save(family)
    const ids = family.pendingEvents.map(({ id }) => id)
    await unit.commit()
    expect(await readStored()).toEqual({ families: ['Addams 1'], events: ['FamilyCreated'] })
    expect(family).toMatchObject({ version: 1, pendingEvents: [] })
    const { rows } = await db.pool.query('select event_id from families.outbox_events')
    expect(rows).toEqual(ids.map((event_id) => ({ event_id })))
  })

  test('can be made again with what has happened since', async () => {
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    unit.save(family)
    await unit.commit()
    await unit.commit()
    family.rename('Frump')
    family.rename('Addams-Frump')
    await unit.commit()
    expect(await readStored()).toEqual({
      families: ['Addams-Frump 2'],
      events: ['FamilyCreated', 'FamilyRenamed', 'FamilyRenamed'],
    })
  })

  test('leaves alone what has raised no event and was not saved', async () => {
    const id = await storeFamily('Addams')
    const unit = newUnit()
    const family = await loadFamily(unit, id)
    family.name = 'Frump'
    await unit.commit()
    expect((await readStored()).families).toEqual(['Addams 1'])
    unit.save(family)
    await unit.commit()
    await unit.commit()
    expect((await readStored()).families).toEqual(['Frump 2'])
  })

  test('removes, and still sends the last events', async () => {
    const id = await storeFamily('Addams')
    const unit = newUnit()
    const family = await loadFamily(unit, id)
    family.dissolve()
    unit.remove(family)
    expect(await unit.load(Family, id)).toBeUndefined()
    await unit.commit()
    expect(await readStored()).toEqual({
      families: [],
      events: ['FamilyCreated', 'FamilyDissolved'],
    })
    expect(family.pendingEvents).toEqual([])
    await unit.commit()
  })

  test('writes nothing of a new aggregate that is removed again', async () => {
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    unit.save(family)
    unit.remove(family)
    await unit.commit()
    expect(await readStored()).toEqual({ families: [], events: [] })
  })

  test('refuses a second one at the same time', async () => {
    const unit = newUnit()
    unit.save(Family.create(uuid(), 'Addams'))
    const first = unit.commit()
    await expect(unit.commit()).rejects.toThrow(errorWithCode('COMMIT_RUNNING'))
    await first
    expect((await readStored()).families).toEqual(['Addams 1'])
  })

  test('keeps for the next one what is raised while it runs', async () => {
    const id = await storeFamily('Addams')
    const unit = newUnit(db.pool, [
      {
        ...familyMapper,
        async update(tx, family: Family) {
          const written = await familyMapper.update(tx, family)
          if (family.name === 'Frump') family.rename('Late')
          return written
        },
      },
    ])
    const family = await loadFamily(unit, id)
    family.rename('Frump')
    await unit.commit()
    expect(await readStored()).toMatchObject({ families: ['Frump 2'] })
    expect(family.pendingEvents).toHaveLength(1)
    await unit.commit()
    expect(await readStored()).toEqual({
      families: ['Late 3'],
      events: ['FamilyCreated', 'FamilyRenamed', 'FamilyRenamed'],
    })
  })

  test('shares its transaction with others', async () => {
    const id = await storeFamily('Addams')
    const receipt = { inbox, consumer: 'families', id: uuid() }
    const handle = async (name: string) => {
      const unit = newUnit()
      const family = await loadFamily(unit, id)
      family.rename(name)
      const { first } = await unit.commit((tx, write) => once(tx, receipt, write))
      return { first, left: family.pendingEvents.length }
    }
    expect(await handle('Frump')).toEqual({ first: true, left: 0 })
    expect(await handle('Again')).toEqual({ first: false, left: 1 })
    expect((await readStored()).families).toEqual(['Frump 2'])
  })
})

describe('when another transaction was first', () => {
  test.each(['update', 'remove'] as const)('an %s writes nothing', async (kind) => {
    const id = await storeFamily('Addams')
    const [unit, other] = [newUnit(), newUnit()]
    const [mine, theirs] = [await loadFamily(unit, id), await loadFamily(other, id)]
    theirs.rename('Theirs')
    await other.commit()
    mine.rename('Mine')
    if (kind === 'remove') unit.remove(mine)
    unit.save(Family.create(uuid(), 'New'))
    const error = await unit.commit().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({
      code: 'AGGREGATE_STALE',
      aggregateType: 'Family',
      aggregateId: id,
      version: 1,
    })
    expect(await readStored()).toEqual({
      families: ['Theirs 2'],
      events: ['FamilyCreated', 'FamilyRenamed'],
    })
    expect(mine).toMatchObject({ version: 1 })
    expect(mine.pendingEvents).toHaveLength(1)
  })

  test('of many that change one aggregate at once, one wins', async () => {
    const id = await storeFamily('Addams')
    const pool = db.connect({ max: 10 })
    const units = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const unit = newUnit(pool)
        const family = await loadFamily(unit, id)
        family.rename(`Name ${n}`)
        return unit
      }),
    )
    const outcomes = await Promise.allSettled(units.map((unit) => unit.commit()))
    const failures = outcomes.filter((each) => each.status === 'rejected')
    expect(failures).toHaveLength(9)
    for (const { reason } of failures) expect(reason).toBeInstanceOf(ConflictError)
    const { families, events } = await readStored()
    expect(families).toEqual([expect.stringMatching(/^Name \d 2$/)])
    expect(events).toEqual(['FamilyCreated', 'FamilyRenamed'])
  })

  test('units that change the same aggregates do not deadlock', async () => {
    const ids = await Promise.all(['A', 'B', 'C'].map(storeFamily))
    for (let round = 0; round < 20; round += 1) {
      const units = [ids, ids.toReversed()].map(async (order, n) => {
        const unit = newUnit()
        for (const id of order) (await loadFamily(unit, id)).rename(`${id} ${round} ${n}`)
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
    await storeFamily('Addams')
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    unit.save(family)
    const before = family.pendingEvents
    // The unique name is checked by the COMMIT itself.
    await expect(unit.commit()).rejects.toThrow(errorWithCode('23505'))
    expect(family).toMatchObject({ version: 0, pendingEvents: before })
    expect(await readStored()).toEqual({ families: ['Addams 1'], events: ['FamilyCreated'] })
    family.rename('Frump')
    await unit.commit()
    expect(await readStored()).toEqual({
      families: ['Addams 1', 'Frump 1'],
      events: ['FamilyCreated', 'FamilyCreated', 'FamilyRenamed'],
    })
  })

  test('in a mapper, or in toRow, writes nothing', async () => {
    const family = Family.create(uuid(), 'Addams')
    const events = eventOutbox(outboxEvents, () => {
      throw new Error('no row')
    })
    const wrong = new UnitOfWork({ pool: db.pool, mappers: [familyMapper], events })
    wrong.save(family)
    await expect(wrong.commit()).rejects.toThrow('no row')
    const unit = newUnit(db.pool, [
      { ...familyMapper, insert: () => Promise.reject(new Error('no insert')) },
    ])
    unit.save(family)
    await expect(unit.commit()).rejects.toThrow('no insert')
    expect(await readStored()).toEqual({ families: [], events: [] })
    expect(family).toMatchObject({ version: 0 })
    expect(family.pendingEvents).toHaveLength(1)
  })

  test('if what it shares its transaction with fails, writes nothing', async () => {
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    unit.save(family)
    const around = unit.commit(async (tx, write) => {
      await write(tx)
      await tx.query(sql`select 1 / 0`)
    })
    await expect(around).rejects.toThrow(errorWithCode('22012'))
    expect(await readStored()).toEqual({ families: [], events: [] })
    expect(family.pendingEvents).toHaveLength(1)
    await unit.commit()
    expect(await readStored()).toEqual({ families: ['Addams 1'], events: ['FamilyCreated'] })
  })
})

test('half a unit is not committed, even if the caller swallows the conflict', async () => {
  const ids = (await Promise.all(['A', 'B'].map(storeFamily))).toSorted()
  const unit = newUnit()
  for (const id of ids) (await loadFamily(unit, id)).rename(`${id} renamed`)
  await db.pool.query('update families.families set version = 7 where id = $1', [ids[1]])
  const swallowing = unit.commit((tx, write) => write(tx).catch(() => 'never mind'))
  await expect(swallowing).rejects.toThrow(ConflictError)
  expect((await readStored()).families.join()).not.toContain('renamed')
})

describe('the identity map', () => {
  test('gives the same object, also to two that ask at once', async () => {
    const id = await storeFamily('Addams')
    const load = vi.fn<NonNullable<typeof familyMapper.load>>(familyMapper.load)
    const unit = newUnit(db.pool, [{ ...familyMapper, load }])
    const [a, b] = await Promise.all([unit.load(Family, id), unit.load(Family, id)])
    expect(a).toBeInstanceOf(Family)
    expect(a).toBe(b)
    expect(await unit.load(Family, id)).toBe(a)
    expect(load).toHaveBeenCalledTimes(1)
  })

  test('asks again for what was not there, or could not be read', async () => {
    const unit = newUnit()
    const family = Family.create(uuid(), 'Addams')
    expect(await unit.load(Family, family.id)).toBeUndefined()
    await expect(unit.load(Family, 'no uuid')).rejects.toThrow(errorWithCode('22P02'))
    unit.save(family)
    expect(await unit.load(Family, family.id)).toBe(family)
  })

  test('refuses a second object for one aggregate', async () => {
    const id = await storeFamily('Addams')
    const unit = newUnit()
    await loadFamily(unit, id)
    expect(() => unit.save(new Family(id, 'Twin'))).toThrow(errorWithCode('AGGREGATE_TWICE'))
  })
})

describe('mappers', () => {
  class Adoptive extends Family {}
  class Stranger extends AggregateRoot {
    id = uuid()
  }

  test('of a class also map what extends it', async () => {
    const unit = newUnit()
    unit.save(new Adoptive(uuid(), 'Addams'))
    await unit.commit()
    expect((await readStored()).families).toEqual(['Addams 1'])
  })

  test('that are missing or wrong are named', async () => {
    const id = await storeFamily('Addams')
    const unit = newUnit()
    expect(() => unit.save(new Stranger())).toThrow(errorWithCode('MAPPER_MISSING'))
    await expect(unit.load(Stranger, id)).rejects.toThrow(/no mapper for Stranger/)
    const { load, remove, ...bare } = familyMapper
    expect([load, remove]).not.toContain(undefined)
    const poor = newUnit(db.pool, [bare])
    await expect(poor.load(Family, id)).rejects.toThrow(errorWithCode('MAPPER_INVALID'))
    expect(() => poor.remove(new Family(id, 'Addams'))).toThrow(/Family: has no remove/)
    const unversioned = { ...familyMapper, load: async () => new Family(id, 'Addams') }
    await expect(newUnit(db.pool, [unversioned]).load(Family, id)).rejects.toThrow(/version/)
    const other = Object.assign(new Family(uuid(), 'Addams'), { version: 1 })
    const astray = { ...familyMapper, load: async () => other }
    await expect(newUnit(db.pool, [astray]).load(Family, id)).rejects.toThrow(/gave/)
  })
})
