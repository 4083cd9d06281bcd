import { expect, test } from 'vitest'
import {
  CodedError,
  DefinitionError,
  DeliveryError,
  MigrationError,
  PosthornError,
} from './errors.ts'

test('every error has its class as its name, and its code', () => {
  const errors = [
    new DefinitionError('shop.events', 'table', 'is missing'),
    new DeliveryError('E131047', 'no'),
    new MigrationError('MIGRATION_CHANGED'),
  ]
  expect(errors.map(({ name, code }) => `${name} ${code}`)).toEqual([
    'DefinitionError DEFINITION_INVALID',
    'DeliveryError E131047',
    'MigrationError MIGRATION_CHANGED',
  ])
  for (const error of errors) expect(error).toBeInstanceOf(CodedError)
  expect(new PosthornError('CURSOR_INVALID').message).toMatch(/cursor/)
})

test('a code that is in no catalogue does not compile', () => {
  const error = new PosthornError('CURSOR_INVALID')
  // @ts-expect-error -- no code of the engine
  expect(error.code === 'CURSOR_BROKEN').toBe(false)
  // @ts-expect-error -- no code of the engine
  expect(() => new PosthornError('CURSOR_BROKEN')).not.toThrow()
})
