import { sql, uuid } from '@posthorn/engine'
import { defineInbox, inboxTableSql, once } from '@posthorn/engine/inbox'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CommitUnknownError, ConflictError } from './errors.ts'
import { Club, clubEvents, clubMapper, clubTables } from './testing/club.ts'
import { UnitOfWork, isRolledBack } from './unit-of-work.ts'

const inbox = defineInbox({ table: 'clubs.inbox', retention: '30d' })
const db = await testDatabase({ sql: clubTables + inboxTableSql(inbox) })
const line = await proxyTo(db.url)
const shaky = db.connect({ connectionString: line.by(db.url) })
afterAll(async () => {
  await shaky.end()
  line.cut()
})

const newUnit = (pool = shaky) =>
  new UnitOfWork({ pool, mappers: [clubMapper], events: clubEvents })

async function readStored(): Promise<{ clubs: string[]; events: number }> {
  const { rows } = await db.pool.query<{ name: string; version: number }>(
    'select name, version from clubs.clubs order by name',
  )
  const events = await db.pool.query('select from clubs.outbox_events')
  return {
    clubs: rows.map(({ name, version }) => `${name} ${version}`),
    events: events.rows.length,
  }
}

/** A unit with a club that is new, or stored at version 1 and renamed. */
async function prepareUnit(kind: 'new' | 'stored'): Promise<{ unit: UnitOfWork; club: Club }> {
  const unit = newUnit()
  const club = Club.create(uuid(), 'Addams')
  unit.save(club)
  if (kind === 'new') return { unit, club }
  await unit.commit()
  club.rename('Frump')
  return { unit, club }
}

beforeEach(async () => {
  await db.pool.query('truncate clubs.clubs, clubs.outbox_events, clubs.inbox')
})

describe.each([
  ['new', { clubs: ['Addams 1'], events: 1 }],
  ['stored', { clubs: ['Frump 2'], events: 2 }],
] as const)('a commit without an answer, of a %s aggregate', (kind, whole) => {
  test.each(['before', 'after'] as const)('that broke %s it: again writes once', async (when) => {
    const { unit, club } = await prepareUnit(kind)
    const { version, pendingEvents } = club
    line.cutNextCommit(when)
    const error = await unit.commit().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(CommitUnknownError)
    expect(error).toMatchObject({ code: 'COMMIT_UNKNOWN', cause: expect.any(Error) as Error })
    expect(club).toMatchObject({ version, pendingEvents })
    await unit.commit()
    expect(await readStored()).toEqual(whole)
    expect(club).toMatchObject({ version: version + 1, pendingEvents: [] })
    await unit.commit()
    expect(await readStored()).toEqual(whole)
  })

  test('what has happened since is written too', async () => {
    const { unit, club } = await prepareUnit(kind)
    line.cutNextCommit('after')
    await expect(unit.commit()).rejects.toThrow(CommitUnknownError)
    club.rename('Later')
    await unit.commit()
    const version = kind === 'new' ? 2 : 3
    expect(await readStored()).toEqual({ clubs: [`Later ${version}`], events: version })
    expect(club).toMatchObject({ version, pendingEvents: [] })
  })
})

test('several in a row are distinguished', async () => {
  const { unit, club } = await prepareUnit('stored')
  line.cutNextCommit('before')
  await expect(unit.commit()).rejects.toThrow(CommitUnknownError)
  club.rename('Second')
  const other = Club.create(uuid(), 'Other')
  unit.save(other)
  line.cutNextCommit('after')
  await expect(unit.commit()).rejects.toThrow(CommitUnknownError)
  club.rename('Third')
  await unit.commit()
  expect(await readStored()).toEqual({ clubs: ['Other 1', 'Third 3'], events: 5 })
  expect([club.version, other.version]).toEqual([3, 1])
})

test('a write by another unit is not taken for our own', async () => {
  const { unit, club } = await prepareUnit('stored')
  line.cutNextCommit('before')
  await expect(unit.commit()).rejects.toThrow(CommitUnknownError)
  const others = newUnit(db.pool)
  const theirs = await others.load(Club, club.id)
  theirs?.rename('Theirs')
  await others.commit()
  await expect(unit.commit()).rejects.toThrow(ConflictError)
  expect(await readStored()).toEqual({ clubs: ['Theirs 2'], events: 2 })
  expect(club.pendingEvents).toHaveLength(1)
})

test('without events there is no proof, and nothing is written twice', async () => {
  const { unit, club } = await prepareUnit('stored')
  await unit.commit()
  club.name = 'Quiet'
  unit.save(club)
  line.cutNextCommit('after')
  await expect(unit.commit()).rejects.toThrow(CommitUnknownError)
  await expect(unit.commit()).rejects.toThrow(ConflictError)
  expect(await readStored()).toEqual({ clubs: ['Quiet 3'], events: 2 })
})

test('a message is handled once, and the unit knows', async () => {
  const { unit, club } = await prepareUnit('stored')
  const receipt = { inbox, consumer: 'clubs', id: uuid() }
  line.cutNextCommit('after')
  const commit = () => unit.commit((tx, write) => once(tx, receipt, write))
  await expect(commit()).rejects.toThrow(CommitUnknownError)
  expect(await commit()).toEqual({ first: false })
  expect(club).toMatchObject({ version: 2, pendingEvents: [] })
  expect(await readStored()).toEqual({ clubs: ['Frump 2'], events: 2 })
})

test('what shares the transaction is done once too', async () => {
  const { unit, club } = await prepareUnit('stored')
  const other = uuid()
  const commit = () =>
    unit.commit(async (tx, write) => {
      await tx.query(
        sql`insert into clubs.clubs (id, name) values (gen_random_uuid(), ${`${uuid()} besides`})`,
      )
      await write(tx)
      return other
    })
  line.cutNextCommit('after')
  await expect(commit()).rejects.toThrow(CommitUnknownError)
  club.rename('Later')
  expect(await commit()).toBe(other)
  const { clubs, events } = await readStored()
  expect(clubs).toEqual([expect.stringMatching(/besides 1$/), 'Later 3'])
  expect(events).toBe(3)
})

test('a server that cannot be reached is no unknown commit', async () => {
  const { unit, club } = await prepareUnit('stored')
  const gone = db.connect({ port: 1, host: '127.0.0.1', connectionString: '' })
  const other = newUnit(gone)
  other.save(club)
  await expect(other.commit()).rejects.toThrow(expect.objectContaining({ code: 'ECONNREFUSED' }))
  await unit.commit()
  expect(await readStored()).toEqual({ clubs: ['Frump 2'], events: 2 })
})

test.each([
  ['23505', true],
  ['40001', true],
  ['P0001', true],
  ['40003', false],
  ['57P01', false],
  ['08006', false],
  ['EPIPE', false],
  ['ECONNRESET', false],
  [undefined, false],
])('an error with code %s says that nothing was stored: %s', (code, expected) => {
  expect(isRolledBack(Object.assign(new Error('x'), { code }))).toBe(expected)
})
