import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PrismaPg } from '@prisma/adapter-pg'
import { fromDrizzle, fromPrisma, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgSchema, text, uuid as uuidColumn } from 'drizzle-orm/pg-core'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { commitWithEvents, type SaveEvents } from './event-outbox.ts'
import { Club, clubEvents, clubTables } from './testing/club.ts'

const db = await testDatabase({ sql: clubTables })
beforeEach(() => db.pool.query('truncate clubs.clubs, clubs.outbox_events'))

/** A library's transaction: inserts clubs, and may open a nested one. */
interface Work {
  insert(club: Club): Promise<unknown>
  readonly save: SaveEvents
}
type Commit = (work: (doing: Work) => Promise<void>) => Promise<void>

async function openDrizzle(): Promise<Commit> {
  const clubs = pgSchema('clubs').table('clubs', {
    id: uuidColumn().primaryKey(),
    name: text().notNull(),
    version: integer().notNull(),
  })
  const orm = drizzle(db.url)
  afterAll(() => orm.$client.end())
  type Tx = Parameters<Parameters<typeof orm.transaction>[0]>[0]
  return (work) =>
    commitWithEvents<Tx, void>(
      clubEvents,
      (run) => orm.transaction((tx) => run(tx, fromDrizzle(tx))),
      (tx, save) =>
        work({
          save,
          insert: ({ id, name }) => tx.insert(clubs).values({ id, name, version: 1 }).execute(),
        }),
    )
}

const SCHEMA = `
generator client {
  provider            = "prisma-client"
  output              = "./generated"
  importFileExtension = "ts"
}
datasource db {
  provider = "postgresql"
  schemas  = ["clubs"]
}
model Club {
  id      String @id @db.Uuid
  name    String
  version Int
  @@map("clubs")
  @@schema("clubs")
}`

/** What is used of the generated client. */
interface PrismaTx {
  readonly club: { create(args: { data: object }): Promise<unknown> }
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>
}
interface Prisma extends PrismaTx {
  $transaction<Result>(work: (tx: PrismaTx) => Promise<Result>): Promise<Result>
  $disconnect(): Promise<void>
}

async function openPrisma(): Promise<Commit> {
  // Not in node_modules, where Node refuses to run TypeScript.
  const parent = join(import.meta.dirname, '../../../.posthorn')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'prisma-'))
  afterAll(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'schema.prisma'), SCHEMA)
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
  // Only migrations need the schema engine: any file in its place, and nothing is downloaded.
  const env = { CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
  await promisify(execFile)(process.execPath, [cli, 'generate', '--no-hints'], {
    cwd: folder,
    timeout: 60_000,
    env: { ...process.env, ...env },
  })
  const { PrismaClient } = (await import(join(folder, 'generated/client.ts'))) as {
    PrismaClient: new (options: { adapter: PrismaPg }) => Prisma
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: db.url }) })
  afterAll(() => prisma.$disconnect())
  return (work) =>
    commitWithEvents<PrismaTx, void>(
      clubEvents,
      (run) => prisma.$transaction((tx) => run(tx, fromPrisma(tx))),
      (tx, save) =>
        work({
          save,
          insert: ({ id, name }) => tx.club.create({ data: { id, name, version: 1 } }),
        }),
    )
}

async function readStored() {
  const { rows } = await db.pool.query<{ clubs: number; events: string[] }>(
    `select (select count(*)::int from clubs.clubs) as clubs,
            (select coalesce(array_agg(event_type order by seq), '{}')
               from clubs.outbox_events) as events`,
  )
  return rows[0]
}

const types = (club: Club) => club.pendingEvents.map(({ type }) => type)

describe.each([
  ['Drizzle', await openDrizzle()],
  ['Prisma', await openPrisma()],
])('by %s', (_, commit) => {
  test('events are written with the rows, in order, and forgotten after the commit', async () => {
    const [one, two] = [Club.create(uuid(), 'Addams'), Club.create(uuid(), 'Frump')]
    one.dissolve()
    await commit(async ({ insert, save }) => {
      await insert(one)
      await insert(two)
      save(one, two)
      expect(types(one)).toHaveLength(2)
      // Raised after it was saved: its row does not have it, so it is not sent.
      two.dissolve()
    })
    expect(await readStored()).toEqual({
      clubs: 2,
      events: ['ClubCreated', 'ClubDissolved', 'ClubCreated'],
    })
    expect([types(one), types(two)]).toEqual([[], ['ClubDissolved']])
  })

  test('what is rolled back, or fails at the commit itself, keeps its events', async () => {
    const club = Club.create(uuid(), 'Addams')
    const failure = new Error('changed my mind')
    const rolledBack = commit(async ({ insert, save }) => {
      await insert(club)
      save(club)
      throw failure
    })
    await expect(rolledBack).rejects.toThrow(failure)
    expect(types(club)).toEqual(['ClubCreated'])
    expect(await readStored()).toEqual({ clubs: 0, events: [] })
    const store = (each: Club) =>
      commit(async ({ insert, save }) => {
        await insert(each)
        save(each)
      })
    await store(club)
    const same = Club.create(uuid(), 'Addams')
    // The unique name is checked by the COMMIT itself.
    await expect(store(same)).rejects.toThrow(/commit|unique|duplicate|23505|P2002/i)
    expect(types(same)).toEqual(['ClubCreated'])
    expect(await readStored()).toEqual({ clubs: 1, events: ['ClubCreated'] })
  })
})
