import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { PERMISSIONS, ROLES, may, requirePermission, tenantOf } from './permissions.ts'

test('the reference has the table as it is', async () => {
  const page = await readFile(
    new URL('../../../../docs/reference/http.md', import.meta.url),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\| (.+?) +\|$/gm)]
    .filter(([, name]) => name !== undefined && name in PERMISSIONS)
    .map(([, name, about, roles]) => [name, { about, roles: roles?.split(', ') }])
  expect(Object.fromEntries(rows)).toEqual(PERMISSIONS)
})

test('each role may do what the ones before it may, and a refusal says who may', () => {
  const ladder = ['viewer', 'clerk', 'approver', 'admin', 'operator', 'platform'] as const
  const names = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]
  const counts = ladder.map((role) => names.filter((name) => may({ role }, name)).length)
  expect(counts).toEqual([1, 2, 3, 4, 5, 6])
  for (const name of names) {
    expect(may({ role: 'member' }, name)).toBe(may({ role: 'clerk' }, name))
  }
  expect(() => requirePermission({ role: 'clerk' }, 'approve')).toThrow(
    'A clerk may not approve or reject what another user proposed; it takes approver, admin, operator or platform.',
  )
})

test('only the platform sees more than its organisation', () => {
  const seen = ROLES.map((role) => tenantOf({ role, org: 'acme' }))
  expect(seen).toEqual([...Array.from({ length: ROLES.length - 1 }, () => 'acme'), undefined])
})
