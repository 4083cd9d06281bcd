import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../log.ts'
import {
  engineMigrations,
  migrate,
  migrationSql,
  migrationStatus,
  type MigrationSet,
} from './migrate.ts'
import { lockMigrations } from './migrate.sql.ts'
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
  // Which run applied which step is not said.
  expect(runs.flat().toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    { set: 'shop', id: '0001_shop' },
    { set: 'shop', id: '0002_price' },
  ])
})

test('waits for SQL that another tool applies, and does not repeat its steps', async () => {
  const printed = set('printed', {
    '0001_a': 'create schema printed',
    '0002_b': 'create table printed.b ()',
  })
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query(lockMigrations)
  await client.query('create schema printed; create table printed.b ()')
  const checksum = (id: string) => printed.migrations.find((each) => each.id === id)?.checksum
  for (const id of ['0001_a', '0002_b']) {
    await client.query(
      'insert into posthorn.migration (set_name, id, checksum) values ($1, $2, $3)',
      ['printed', id, checksum(id)],
    )
  }
  const migrated = migrate(db.pool, [printed])
  await expect
    .poll(async () => {
      const { rows } = await db.pool.query(
        `select 1 from pg_locks
          where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows.length
    })
    .toBe(1)
  await client.query('commit')
  client.release()
  expect(await migrated).toEqual([])
})

test('a failing step leaves nothing behind; the steps before it stay', async () => {
  const broken = set('broken', {
    '0001_a': 'create schema whole',
    '0002_b': 'create schema half; create nonsense',
  })
  await expect(migrate(db.pool, [broken])).rejects.toThrow('syntax error')
  const { rows } = await db.pool.query(
    `select nspname from pg_namespace where nspname in ('half', 'whole')`,
  )
  expect(rows).toEqual([{ nspname: 'whole' }])
  const status = await migrationStatus(db.pool, [broken])
  expect(status.map(({ appliedAt }) => appliedAt)).toEqual([expect.any(Date), undefined])
})

test('a new set with tables of its own goes as a whole', async () => {
  const steps = {
    '0001_a': 'create schema owned',
    '0002_b': '-- concurrently\ncreate table if not exists owned.item (id int);',
  }
  const broken = { ...set('owned', { ...steps, '0003_c': 'create nonsense' }), ownTables: true }
  await expect(migrate(db.pool, [broken])).rejects.toThrow('syntax error')
  const status = await migrationStatus(db.pool, [broken])
  expect(status.map(({ appliedAt }) => appliedAt)).toEqual([undefined, undefined, undefined])
  const whole = { ...set('owned', steps), ownTables: true }
  expect(await migrate(db.pool, [whole])).toHaveLength(2)
  const { rows } = await db.pool.query(
    `select distinct applied_at from posthorn.migration where set_name = 'owned'`,
  )
  expect(rows).toHaveLength(1)
})

describe('a step that waits for a lock', () => {
  const table = set('waiting', { '0001_a': 'create schema waiting; create table waiting.item ()' })
  const more = set('waiting', {
    '0001_a': 'create schema waiting; create table waiting.item ()',
    '0002_b': 'alter table waiting.item add column price int',
  })

  test('lets writers go first, and is tried again', async () => {
    await migrate(db.pool, [table])
    const holder = await db.pool.connect()
    await holder.query('begin; insert into waiting.item default values')
    const warned = Promise.withResolvers<void>()
    const log = { ...silentLog, warn: () => warned.resolve() }
    await expect(
      migrate(db.pool, [more], { lockTimeout: '10ms', patience: '0ms' }),
    ).rejects.toMatchObject({
      code: 'MIGRATION_BLOCKED',
      message: expect.stringContaining('waiting/0002_b'),
    })
    const migrating = migrate(db.pool, [more], { lockTimeout: '50ms', log })
    await warned.promise
    // Without the limit it would stand in the queue behind the step, and the step behind the holder.
    await db.pool.query('insert into waiting.item default values')
    await holder.query('commit')
    holder.release()
    expect(await migrating).toEqual([{ set: 'waiting', id: '0002_b' }])
  })
})

describe('a concurrent step', () => {
  const first = { '0001_a': 'create schema beside; create table beside.item (id int)' }
  const index = `-- concurrently
    -- Ids; one of each.
    create unique index concurrently if not exists item_id on beside.item (id);
    alter table beside.item validate constraint item_positive;`

  test('builds beside writers, and anew after it was not finished', async () => {
    await migrate(db.pool, [set('beside', first)])
    await db.pool.query(`
      alter table beside.item add constraint item_positive check (id > 0) not valid;
      insert into beside.item values (1), (1)`)
    const grown = set('beside', { ...first, '0002_b': index })
    await expect(migrate(db.pool, [grown])).rejects.toMatchObject({ code: '23505' })
    expect(await validity()).toEqual([{ indisvalid: false }])
    await db.pool.query('delete from beside.item')
    const runs = await Promise.all([1, 2, 3].map(() => migrate(db.pool, [grown])))
    expect(runs.flat()).toEqual([{ set: 'beside', id: '0002_b' }])
    expect(await validity()).toEqual([{ indisvalid: true }])
  })

  test('takes only what can be repeated', async () => {
    const third = set('beside', {
      ...first,
      '0002_b': index,
      '0003_c': '-- concurrently\ninsert into beside.item values (1);',
    })
    await expect(migrate(db.pool, [third])).rejects.toMatchObject({ code: 'MIGRATION_INVALID' })
  })

  test('is a plain one where its set is new', async () => {
    const fresh = set('fresh', {
      '0001_a': 'create schema fresh; create table fresh.item (id int)',
      '0002_b': '-- concurrently\ncreate index concurrently if not exists i on fresh.item (id);',
    })
    const pool = db.connect({ max: 1 })
    expect(await migrate(pool, [fresh])).toHaveLength(2)
    await pool.end()
  })

  async function validity() {
    const { rows } = await db.pool.query(
      `select indisvalid from pg_index where indexrelid = 'beside.item_id'::regclass`,
    )
    return rows
  }
})

test('an edited step is refused', async () => {
  await migrate(db.pool, [set('moving', { '0001_a': 'select 1', '0002_b': 'select 2' })])
  const edited = set('moving', { '0001_a': 'select 3', '0002_b': 'select 2' })
  await expect(migrate(db.pool, [edited])).rejects.toMatchObject({ code: 'MIGRATION_CHANGED' })
})

test('an older version runs on the migrated database of a newer one', async () => {
  const older = set('growing', { '0001_a': 'select 1' })
  await migrate(db.pool, [set('growing', { '0001_a': 'select 1', '0002_b': '-- adds\nselect 2' })])
  expect(await migrate(db.pool, [older])).toEqual([])
  expect(await migrationStatus(db.pool, [older])).toEqual([
    { set: 'growing', id: '0001_a', appliedAt: expect.any(Date) },
  ])
})

test('an older version refuses a database with a breaking migration', async () => {
  const older = set('breaking', { '0001_a': 'select 1' })
  await migrate(db.pool, [
    set('breaking', { '0001_a': 'select 1', '0002_b': '-- breaking: drops a column\nselect 2' }),
  ])
  await expect(migrate(db.pool, [older])).rejects.toMatchObject({ code: 'MIGRATION_UNKNOWN' })
  await expect(migrationStatus(db.pool, [older])).rejects.toMatchObject({
    code: 'MIGRATION_UNKNOWN',
  })
})

test('a database from before the schema was rewritten gets one sentence with the remedy', async () => {
  const { pool } = await testDatabase()
  await pool.query(`
    update posthorn.migration set checksum = 'of then' where id = '0001_engine';
    alter table posthorn.migration drop column breaking`)
  const sets = [await engineMigrations()]
  const refusal = {
    code: 'MIGRATION_REWRITTEN',
    message: expect.stringMatching(/before the schema was rewritten; create a new database\.$/),
  }
  await expect(migrate(pool, sets)).rejects.toMatchObject(refusal)
  await expect(migrationStatus(pool, sets)).rejects.toMatchObject(refusal)
})

test('the SQL since a step has the later ones, for a tool that opens the transaction itself', async () => {
  const steps = {
    '0001_letters': 'create schema post; create table post.letter (id int, stamp text);',
    '0002_stamps': `-- concurrently
      create index concurrently if not exists letter_stamp on post.letter (stamp);`,
  }
  const own = [set('post', steps)]
  const whole = migrationSql(own, { transaction: 'outer' })
  expect(whole).not.toMatch(/^(begin|commit);/m)
  expect(whole).not.toContain('concurrently if')
  const [first = '', second = ''] = [{ ...own[0], migrations: own[0]?.migrations.slice(0, 1) }]
    .map((each) => migrationSql([each as MigrationSet], { transaction: 'outer' }))
    .concat(migrationSql(own, { transaction: 'outer', since: { post: '0001' } }))
  expect(second).not.toContain('create table post.letter')
  expect(second).toContain('--   create index concurrently if not exists letter_stamp')
  const client = await db.pool.connect()
  for (const text of [first, second]) {
    await client.query('begin')
    await client.query(text)
    await client.query('commit')
  }
  client.release()
  expect(await migrate(db.pool, own)).toEqual([])
  const since = { post: '0003' }
  expect(() => migrationSql(own, { since })).toThrow('post has no step 0003: 0001_letters')
})

test('the SQL of a step without its last semicolon ends before the next', async () => {
  const open = set('open', { '0001_a': 'create schema open', '0002_b': 'create table open.a ()' })
  await db.pool.query(migrationSql([open]))
  expect(await migrate(db.pool, [open])).toEqual([])
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
