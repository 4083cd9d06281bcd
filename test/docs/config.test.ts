import { SERVER_SETTINGS, installedSystems } from '@posthorn/server'
import { expect, test } from 'vitest'
import { page, tableRows } from './markdown.ts'

const text = page('docs/reference/config.md').text
const systems = await installedSystems({})

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

function listedUnder(heading: string): string[][] {
  return tableRows(text, heading).filter(([name]) => name?.startsWith('`'))
}

const schemas = [
  { heading: 'Server', properties: SERVER_SETTINGS.properties },
  ...systems.map(({ name, settings }) => ({ heading: name, properties: settings.properties })),
]

test.each(schemas)('config.md says of $heading what its schema says', ({ heading, properties }) => {
  expect(listedUnder(heading)).toEqual(rowsOf(properties))
})

test('no variable is read by two', () => {
  const names = schemas.flatMap(({ properties }) => Object.keys(properties))
  expect(new Set(names).size).toBe(names.length)
})
