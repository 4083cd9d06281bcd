import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  engineMigrations,
  migrate,
  migrationSql,
  migrationStatus,
  type MigrationSet,
} from './migrate.ts'
import { testDatabase } from '../testing/index.ts'

const db = await testDatabase()

function set(name: string, steps: Record<string, string>): MigrationSet {
  const migrations = Object.entries(steps).map(([id, sql]) => ({
    id,
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
  }))
  return { name, migrations }
}

test('many processes may migrate at once; each step runs once', async () => {
  const shop = set('shop', {
    '0001_shop': 'create schema shop; create table shop.item (id int)',
    '0002_price': 'alter table shop.item add column price int',
  })
  const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(db.pool, [shop])))
  expect(runs.flat()).toEqual([
    { set: 'shop', id: '0001_shop' },
    { set: 'shop', id: '0002_price' },
  ])
})

test('a failing step leaves nothing behind, also of the steps before it', async () => {
  const broken = set('broken', { '0001_a': 'create schema half', '0002_b': 'create nonsense' })
  await expect(migrate(db.pool, [broken])).rejects.toThrow('syntax error')
  const { rows } = await db.pool.query(`select from pg_namespace where nspname = 'half'`)
  expect(rows).toHaveLength(0)
  const status = await migrationStatus(db.pool, [broken])
  expect(status.map(({ appliedAt }) => appliedAt)).toEqual([undefined, undefined])
})

test('an edited step is refused', async () => {
  await migrate(db.pool, [set('moving', { '0001_a': 'select 1', '0002_b': 'select 2' })])
  const edited = set('moving', { '0001_a': 'select 3', '0002_b': 'select 2' })
  await expect(migrate(db.pool, [edited])).rejects.toMatchObject({ code: 'MIGRATION_CHANGED' })
})

test('a version goes on beside the steps of a newer one, and can be brought back', async () => {
  const older = set('growing', { '0001_a': 'select 1' })
  await migrate(db.pool, [set('growing', { '0001_a': 'select 1', '0002_b': '-- adds\nselect 2' })])
  expect(await migrate(db.pool, [older])).toEqual([])
  expect(await migrationStatus(db.pool, [older])).toEqual([
    { set: 'growing', id: '0001_a', appliedAt: expect.any(Date) },
  ])
})

test('unless one of them is marked as breaking', async () => {
  const older = set('breaking', { '0001_a': 'select 1' })
  await migrate(db.pool, [
    set('breaking', { '0001_a': 'select 1', '0002_b': '-- breaking: drops a column\nselect 2' }),
  ])
  await expect(migrate(db.pool, [older])).rejects.toMatchObject({ code: 'MIGRATION_UNKNOWN' })
  await expect(migrationStatus(db.pool, [older])).rejects.toMatchObject({
    code: 'MIGRATION_UNKNOWN',
  })
})

test('a database that was migrated before there were marks is read and brought up to date', async () => {
  await db.pool.query('alter table posthorn.migration drop column breaking')
  const marked = set('marked', { '0001_a': '-- breaking\nselect 1' })
  expect(await migrationStatus(db.pool, [await engineMigrations()])).not.toHaveLength(0)
  await migrate(db.pool, [marked])
  await expect(migrate(db.pool, [set('marked', {})])).rejects.toMatchObject({
    code: 'MIGRATION_UNKNOWN',
  })
})

test('the SQL by itself brings a bare database to the same place', async () => {
  const bare = `${db.name}_bare`
  await db.pool.query(`create database ${bare}`)
  const url = new URL(db.url)
  url.pathname = `/${bare}`
  const pool = db.connect({ connectionString: url.href, max: 1 })
  const sets = [await engineMigrations()]
  expect(
    (await migrationStatus(pool, sets)).every(({ appliedAt }) => appliedAt === undefined),
  ).toBe(true)
  await pool.query(migrationSql(sets))
  expect(await migrate(pool, sets)).toEqual([])
  expect(
    (await migrationStatus(pool, sets)).every(({ appliedAt }) => appliedAt instanceof Date),
  ).toBe(true)
  await pool.end()
  await db.pool.query(`drop database ${bare}`)
})
