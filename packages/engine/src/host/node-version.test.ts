import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { objectionToNode } from './node-version.ts'

test.each([
  ['20.20.2', 'Posthorn needs Node 22.22 or newer; this is 20.20.2.'],
  ['22.21.9', 'Posthorn needs Node 22.22 or newer; this is 22.21.9.'],
  ['22.22.0', undefined],
  ['23.0.0', undefined],
  ['24.21.0', undefined],
])('Node %s: %s', (version, objection) => {
  expect(objectionToNode(version)).toBe(objection)
})

test('every published package names the same Node', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const named = globSync(['packages/*/package.json', 'apps/*/package.json'], { cwd: root })
    .map((path) => JSON.parse(readFileSync(`${root}/${path}`, 'utf8')))
    .filter(({ private: isPrivate }) => isPrivate !== true)
    .map(({ engines, publishConfig }) => publishConfig?.engines?.node ?? engines.node)
  expect([...new Set(named)]).toEqual(['>=22.22'])
})
