import { allMigrations, loadSystems } from '@posthorn/server'
import { expect, test } from 'vitest'
import { largeTables, smallTables } from './large-tables.ts'
import { previousIds } from './locks.ts'

const CREATED = /\bcreate table (?:if not exists )?([a-z_]+\.[a-z_]+)/gi

test('every table of before that a later migration names is filled, or excused', async () => {
  const known = await previousIds()
  const migrations = (await allMigrations(await loadSystems({}))).flatMap((set) => set.migrations)
  const before = migrations.filter(({ id }) => known.has(id))
  const later = migrations.filter(({ id }) => !known.has(id)).map(({ sql }) => sql)
  const created = before.flatMap(({ sql }) =>
    [...sql.matchAll(CREATED)].flatMap(([, name]) => name ?? []),
  )
  const named = created.filter((name) => later.some((sql) => new RegExp(`\\b${name}\\b`).test(sql)))
  const listed = [...largeTables.map(({ name }) => name), ...Object.keys(smallTables)]
  expect(listed.toSorted()).toEqual(named.toSorted())
})
