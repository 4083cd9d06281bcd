import { readdirSync } from 'node:fs'
import { IconRobot } from '@tabler/icons-react'
import { expect, test } from 'vitest'
import { VIEWS, viewsMissing } from '../../test/views.ts'
import { pagesWith, type SystemPage } from '../systems.tsx'
import { operatorPages } from './index.ts'
import { entriesOf, mayRead } from './page.ts'

const robots: SystemPage = {
  ...{ name: 'robots', title: 'Robots', icon: IconRobot, key: 'q' },
  readers: 'everyone',
  views: { '': async () => () => null },
}
const pages = pagesWith(operatorPages, [{ system: 'factory', web: { pages: [robots] } }])
const [page = { ...robots, group: 'Operate' }] = operatorPages

test('every folder is a page, and every page is at the address of its folder', () => {
  const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(operatorPages.map(({ name }) => name).toSorted()).toEqual(folders.toSorted())
})

test('pages for operators or for development are hidden from others', () => {
  const operators = { ...page, readers: 'operators' } as const
  const development = { ...page, readers: 'everyone', where: 'development' } as const
  const has: string[] = []
  expect(mayRead(operators, { role: 'member', production: false, has })).toBe(false)
  expect(mayRead(operators, { role: 'operator', production: true, has })).toBe(true)
  const platform = { ...page, readers: 'platform' } as const
  expect(mayRead(platform, { role: 'operator', production: true, has })).toBe(false)
  expect(mayRead(platform, { role: 'platform', production: true, has })).toBe(true)
  expect(mayRead(development, { role: 'operator', production: true, has })).toBe(false)
  expect(mayRead(development, { role: 'member', production: false, has })).toBe(true)
})

test('pages of a system are shown where it runs, and outboxes need nothing', () => {
  const user = { role: 'platform', production: false, has: [] } as const
  expect(pages.filter((each) => mayRead(each, user)).map(({ name }) => name)).toEqual([
    ...['overview', 'outboxes', 'messages', 'dead-letters', 'consumers', 'alerts', 'audit'],
  ])
  const running = pages.filter((each) => mayRead(each, { ...user, has: ['factory'] }))
  const robot = running.find(({ name }) => name === 'robots')
  expect(robot).toMatchObject({ group: 'Systems', needs: 'factory' })
})

test('a section is one entry of the navigation, at the first page that the user may read', () => {
  const entries = (role: 'platform' | 'operator') =>
    entriesOf(pages.filter((each) => mayRead(each, { role, production: true, has: [] })))
  expect(entries('platform').map(({ name }) => name)).toEqual([
    ...['overview', 'outboxes', 'messages', 'alerts', 'audit'],
  ])
  expect(entries('operator').map(({ name }) => name)).toEqual(['messages', 'alerts', 'audit'])
})

test('every view of every page is looked at', () => {
  expect(viewsMissing(operatorPages, VIEWS)).toEqual([])
})
