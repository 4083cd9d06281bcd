import { existsSync } from 'node:fs'
import { SERVER_SETTINGS, loadSystems } from '@posthorn/server'
import { expect, test } from 'vitest'
import { page, root, tableRows } from './markdown.ts'

const systems = await loadSystems({})

interface Setting {
  readonly description?: string
  readonly default?: string | number | boolean
}

/** What a schema says, as the page's rows say it. */
function rowsOf(properties: Readonly<Record<string, object>>): string[][] {
  return Object.entries(properties).map(([name, field]) => {
    const { description = '', default: value } = field as Setting
    return [`\`${name}\``, value === undefined ? '–' : `\`${String(value)}\``, description]
  })
}

const central = (heading: string) => ({ path: 'docs/reference/config.md', heading })

/** A system lists its settings in its own folder. */
function placeOf(name: string) {
  const path = `systems/${name}/reference.md`
  return existsSync(`${root}/${path}`) ? { path, heading: 'Settings' } : central(name)
}

const schemas = [
  { ...central('Server'), properties: SERVER_SETTINGS.properties },
  ...systems.map(({ name, settings }) => ({ ...placeOf(name), properties: settings.properties })),
]

test.each(schemas)('$path has the settings of its schema', ({ path, heading, properties }) => {
  const rows = tableRows(page(path).text, heading).filter(([name]) => name?.startsWith('`'))
  expect(rows).toEqual(rowsOf(properties))
})

test('a variable that two systems read is the same for both', () => {
  const known = new Map<string, object>()
  for (const [name, field] of schemas.flatMap(({ properties }) => Object.entries(properties))) {
    expect(known.get(name) ?? field, name).toBe(field)
    known.set(name, field)
  }
})

test('limits.md has the limits that are set by default', () => {
  const all = new Map(schemas.flatMap(({ properties }) => Object.entries(properties)))
  const rows = tableRows(page('docs/operate/limits.md').text)
  const set = rows.filter((cells) => cells.at(-1)?.startsWith('`'))
  expect(set.length).toBeGreaterThan(15)
  for (const [, limit = '', , , variable = ''] of set) {
    const field: Setting | undefined = all.get(variable.replaceAll('`', ''))
    expect(field, variable).toBeDefined()
    if (field?.default !== undefined) expect(Number(limit), variable).toBe(field.default)
  }
})
