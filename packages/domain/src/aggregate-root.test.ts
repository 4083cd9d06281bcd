import { expect, test } from 'vitest'
import { AggregateRoot, aggregateTypeOf } from './aggregate-root.ts'
import { Club } from './testing/club.ts'

const ID = '00000000-0000-4000-8000-000000000001'

test('collects events in order, each with an id, a version and a time', () => {
  const club = Club.create(ID, 'Addams')
  club.rename('Frump')
  const [created, renamed] = club.pendingEvents
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    type: 'ClubCreated',
    version: 1,
    payload: { name: 'Addams' },
    occurredAt: expect.any(Date) as Date,
  })
  expect(renamed?.type).toBe('ClubRenamed')
  expect(renamed?.id).not.toBe(created?.id)
})

test('keeps a version and a time that were given', () => {
  class Old extends AggregateRoot {
    id = ID
    happen = (version: number) =>
      this.raise({ type: 'Happened', version, payload: 1, occurredAt: new Date(0) })
  }
  const old = new Old()
  old.happen(3)
  expect(old.pendingEvents[0]).toMatchObject({ version: 3, occurredAt: new Date(0) })
  for (const version of [0, 1.5, Number.NaN]) {
    expect(() => old.happen(version)).toThrow(expect.objectContaining({ code: 'EVENT_INVALID' }))
  }
  expect(old.pendingEvents).toHaveLength(1)
})

test('forgets what was committed, and only that', () => {
  const club = Club.create(ID, 'Addams')
  const committed = club.pendingEvents
  club.rename('Frump')
  club.clearEvents(committed)
  expect(club.pendingEvents.map(({ type }) => type)).toEqual(['ClubRenamed'])
  club.clearEvents()
  expect(club.pendingEvents).toEqual([])
})

test('has no fields of its own but the version, and needs no constructor', () => {
  expect(Object.keys(Club.create(ID, 'Addams')).toSorted()).toEqual(['id', 'name', 'version'])
  const raw = Object.create(Club.prototype) as Club
  expect(raw.pendingEvents).toEqual([])
  raw.rename('Frump')
  expect(raw.pendingEvents).toHaveLength(1)
})

test('is called as its class says, else by the name of the class, and never by a minifier', () => {
  const named = (name: string, given?: string) => {
    const type = class extends Club {
      static aggregateType = given
    }
    Object.defineProperty(type, 'name', { value: name })
    return new type(ID, 'Addams')
  }
  expect(aggregateTypeOf(new Club(ID, 'Addams'))).toBe('Club')
  expect(aggregateTypeOf(named('t', 'Club'))).toBe('Club')
  expect(aggregateTypeOf(named('Other', 'Club'))).toBe('Club')
  for (const name of ['', 't', 'ab', '_Club', '$a', 'Qx']) {
    const problem = expect.objectContaining({ code: 'AGGREGATE_UNNAMED' }) as Error
    expect(() => aggregateTypeOf(named(name))).toThrow(problem)
  }
})
