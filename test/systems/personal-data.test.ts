import { silentLog } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { allMigrations, loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'

const systems = await loadSystems({})
const [, ...migrations] = await allMigrations(systems)
const { pool } = await testDatabase({ migrations })
const { retention } = await openSystems(systems, {
  configuration: readConfiguration({}, systems),
  pool,
  log: silentLog,
  baseUrl: () => 'http://127.0.0.1:1',
})

interface Column {
  readonly table: string
  readonly name: string
  /** Any text may stand in it: no check lists its values. */
  readonly isFree: boolean
  /** What its own comment says, and what that of its table says about all columns. */
  readonly comment: string | null
  readonly about: string | null
}

async function readColumns(db: Pick<PoolClient, 'query'> = pool): Promise<Column[]> {
  const { rows } = await db.query<Column>(`
    select a.attrelid::regclass::text as table, a.attname::text as name,
           col_description(a.attrelid, a.attnum) as comment, obj_description(c.oid, 'pg_class') as about,
           format_type(a.atttypid, null) in
             ('text', 'text[]', 'character varying', 'json', 'jsonb', 'bytea')
           and not exists (select from pg_constraint as k
                            where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
                              and pg_get_constraintdef(k.oid) ~ '= ANY \\(ARRAY\\[') as "isFree"
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
     where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
       and c.relnamespace::regnamespace::text !~ '^(pg_|information_schema$|public$)'
     order by 1, a.attnum`)
  return rows
}

const isPersonal = ({ comment }: Column) => comment === 'personal'
const isExcluded = ({ comment, about, name }: Column) =>
  comment === 'not personal' || namesIn(about).includes(name)
const namesIn = (about: string | null) =>
  /^not personal: (.*)$/s.exec(about ?? '')?.[1]?.split(', ') ?? []
const pathOf = ({ table, name }: Column) => `${table}.${name}`

/** Of every system's table, and of the engine's where one of its columns is personal. */
function findUndeclared(columns: readonly Column[]): string[] {
  const held = new Set(columns.filter(isPersonal).map(({ table }) => table))
  return columns
    .filter(({ table }) => !table.startsWith('posthorn.') || held.has(table))
    .filter((column) => column.isFree && isPersonal(column) === isExcluded(column))
    .map(pathOf)
}

test('every column of text says whether it holds personal data', async () => {
  const columns = await readColumns()
  expect(findUndeclared(columns)).toEqual([])
  const paths = new Set(columns.map(pathOf))
  const named = columns.flatMap(({ table, about }) => namesIn(about).map((n) => `${table}.${n}`))
  expect(named.filter((path) => !paths.has(path))).toEqual([])
})

test('one that does not say it is found', async () => {
  const client = await pool.connect()
  try {
    await client.query('begin; alter table payments.payments add column nickname text')
    expect(findUndeclared(await readColumns(client))).toEqual(['payments.payments.nickname'])
    await client.query(`comment on column payments.payments.nickname is 'personal'`)
    expect(findUndeclared(await readColumns(client))).toEqual([])
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('a person is erased from every table with personal data', async () => {
  const columns = await readColumns()
  const personal = new Set(columns.filter(isPersonal).map(({ table }) => table))
  const erased = retention.personal ?? []
  expect(erased.map(({ table }) => table).toSorted()).toEqual([...personal].toSorted())
  const paths = new Set(columns.map(pathOf))
  const changed = erased.flatMap(({ table, columns: own = {} }) =>
    Object.keys(own).map((name) => `${table}.${name}`),
  )
  expect(changed.filter((path) => !paths.has(path))).toEqual([])
})
