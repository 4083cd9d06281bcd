import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

const schema = Type.Object({
  COUNT: Type.Integer({
    description: 'a whole number from 1 to 9',
    minimum: 1,
    maximum: 9,
    default: 3,
  }),
  SHARE: Type.Optional(Type.Number({ description: 'a share' })),
  ON: Type.Boolean({ description: 'true or false', default: false }),
  MODE: Type.Optional(
    Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'a or b' }),
  ),
  ADDRESS: Type.String({
    description: 'an address',
    production: 'required',
    default: 'http://sim',
  }),
  KEY: Type.Optional(Type.String({ description: 'a key of 8', minLength: 8, secret: true })),
})

const read = (env: Record<string, string>, production = false) =>
  readSettings(schema, { env, production })

test('fills in defaults, and leaves out what is optional', () => {
  expect(read({})).toEqual({
    values: { COUNT: 3, ON: false, ADDRESS: 'http://sim' },
    mistakes: [],
  })
})

test('reads numbers, booleans and words', () => {
  const { values } = read({ COUNT: ' 7 ', SHARE: '0.25', ON: 'true', MODE: 'b' })
  expect(values).toMatchObject({ COUNT: 7, SHARE: 0.25, ON: true, MODE: 'b' })
})

test.each([
  ['COUNT', '10'],
  ['COUNT', '4.5'],
  ['COUNT', '1e0'],
  ['COUNT', '0x1'],
  ['SHARE', 'half'],
  ['ON', 'yes'],
  ['MODE', 'c'],
])('refuses %s=%s, and says what it saw', (name, text) => {
  const { mistakes } = read({ [name]: text })
  expect(mistakes).toEqual([expect.stringMatching(new RegExp(`^${name} must be .*, not "`))])
})

test('names every mistake, and shows no secret', () => {
  const { mistakes } = read({ COUNT: 'x', ON: 'x', KEY: 'hush' })
  expect(mistakes).toHaveLength(3)
  expect(mistakes.join()).not.toContain('hush')
})

test('a default for development is none in production', () => {
  expect(read({}, true).mistakes).toEqual(['ADDRESS is missing: an address'])
})
