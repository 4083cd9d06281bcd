import { loadSystems, SERVER_SETTINGS } from '@posthorn/server'
import { expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'
import { brokerSecrets, ownSecrets, registryLogins } from './given-secrets.ts'

interface Setting {
  readonly secret?: true
  readonly description?: string
}

const systems = await loadSystems({})
const contributed = await contributionsTo('secrets')
const settings = new Map<string, Setting>(
  [SERVER_SETTINGS, ...systems.map((system) => system.settings)].flatMap(({ properties }) =>
    Object.entries(properties as Record<string, Setting>),
  ),
)
const isSecret = ([, { secret }]: [string, Setting]) => secret === true

test('every setting that is a secret is searched for by secrets.test.ts', () => {
  const names = [...settings].filter(isSecret).map(([name]) => name)
  const registry = { ...registryLogins.password(), ...registryLogins.token() }
  const given: object = Object.assign(
    { ...ownSecrets(), ...brokerSecrets(), ...registry },
    ...contributed.flatMap((each) => [each.settings?.(), each.neighbours?.()]),
  )
  // The database of the tests has a password of its own, which is searched for too.
  expect([...Object.keys(given), 'DATABASE_URL'].toSorted()).toEqual(names.toSorted())
})

test('every setting that sounds like a secret is marked as one', () => {
  const sounds = /password@|_(SECRET|TOKEN|PASSWORD|API_KEY|KEYS)$/
  const unmarked = [...settings].filter(
    (each) => sounds.test(`${each[1].description ?? ''}\n${each[0]}`) && !isSecret(each),
  )
  expect(unmarked.map(([name]) => name)).toEqual(contributed.flatMap((each) => each.open ?? []))
})
