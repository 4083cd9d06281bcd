import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pages } from './index.ts'
import { mayRead } from './page.ts'
import { VIEWS } from '../../test/views.ts'

test('every folder is a page, and every page is at the address of its folder', () => {
  const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(pages.map(({ name }) => name).toSorted()).toEqual(folders.toSorted())
})

test('every page has a key of its own, and none is the one before it', () => {
  const keys = pages.map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
  for (const key of keys) expect(key).toMatch(/^[a-fh-z]$/)
})

test.each(pages.map((page) => [page.name, page] as const))(
  '%s can be shown',
  async (_name, page) => {
    expect(Object.keys(page.views)).toContain('')
  },
)

test('pages for operators or for development are hidden from others', () => {
  const [page] = pages
  if (page === undefined) throw new Error('there are no pages')
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

test('pages of what a server does not have are hidden, and outboxes need nothing', () => {
  const user = { role: 'platform', production: false, has: [] } as const
  expect(pages.filter((page) => mayRead(page, user)).map(({ name }) => name)).toEqual([
    ...['overview', 'home', 'outboxes', 'messages', 'dead-letters', 'consumers', 'alerts', 'audit'],
  ])
  const systems = pages.filter(({ group }) => group === 'Systems')
  expect(systems.every(({ needs }) => needs !== undefined)).toBe(true)
  const orders = pages.filter((page) => mayRead(page, { ...user, has: ['orders'] }))
  expect(orders.map(({ name }) => name)).toContain('sagas')
})

test('every view of every page is in the dark gallery', () => {
  const patterns = pages.flatMap(({ name, views }) =>
    Object.keys(views).map((view) => {
      const path = [name, ...(view === '' ? [] : view.split('/'))]
      return `/${path.map((part) => (part.startsWith('$') ? '[^/?]+' : part)).join('/')}`
    }),
  )
  const shown = VIEWS.map(([, path]) => path.split('?')[0] ?? '')
  const missing = patterns.filter(
    (pattern) => !shown.some((path) => new RegExp(`^${pattern}$`).test(path)),
  )
  expect(missing).toEqual([])
})
