import { expect, test } from 'vitest'
import { largeTables, smallTables } from './large-tables.ts'
import { allSets, splitSets } from './locks.ts'

const CREATED = /\bcreate table (?:if not exists )?([a-z_]+\.[a-z_]+)/gi

test('every table that a later migration names is filled, or excused', async () => {
  const { before, later } = await splitSets(await allSets())
  const textOf = (sets: typeof later) =>
    sets.flatMap(({ migrations }) => migrations.map(({ sql }) => sql)).join('\n')
  const changes = textOf(later)
  const created = [...textOf(before).matchAll(CREATED)].flatMap(([, name]) => name ?? [])
  const named = created.filter((name) => new RegExp(`\\b${name}\\b`).test(changes))
  const listed = [...largeTables.map(({ name }) => name), ...Object.keys(smallTables)]
  expect(listed.toSorted()).toEqual(named.toSorted())
})
