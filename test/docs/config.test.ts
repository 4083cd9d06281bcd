import { SERVER_SETTINGS, loadSystems } from '@posthorn/server'
import { expect, test } from 'vitest'
import { page, tableRows } from './markdown.ts'

const text = page('docs/reference/config.md').text
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

function parseListed(heading: string): string[][] {
  return tableRows(text, heading).filter(([name]) => name?.startsWith('`'))
}

const schemas = [
  { heading: 'Server', properties: SERVER_SETTINGS.properties },
  ...systems.map(({ name, settings }) => ({ heading: name, properties: settings.properties })),
]

test.each(schemas)('config.md says of $heading what its schema says', ({ heading, properties }) => {
  expect(parseListed(heading)).toEqual(rowsOf(properties))
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
