import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { EXAMPLE } from './example/index.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const soon = { timeout: 60_000 }

const dashboard = await openDashboard({ systems: EXAMPLE })
const member = { role: 'member', sub: 'mia', org: 'acme' } as const

const pathOf = (page: Page) => new URL(page.url()).pathname
const scheme = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')

describe('the login page', () => {
  test('takes a token, refuses an invalid one, and leads to the requested page', async () => {
    const page = await dashboard.open('/outboxes?search=x', { login: 'none', allowed: [/401/] })
    await page.getByLabel('Token').fill('rubbish')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Token invalid or expired.').waitFor()
    await axe(page)
    await page.getByLabel('Token').fill(dashboard.token())
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(page.url()).toBe(`${dashboard.url}/outboxes?search=x`)
  })

  test('logging out ends the session, and a reload does not bring it back', async () => {
    const page = await dashboard.open()
    await page.getByRole('button', { name: /platform operator, demo/ }).click()
    await axe(page)
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('You are logged out.').waitFor()
    await page.reload()
    await page.getByLabel('Token').waitFor()
    const kept = 'JSON.stringify([localStorage, sessionStorage, document.cookie])'
    expect(await page.evaluate<string>(kept)).not.toMatch(/eyJ|posthorn_session/)
  })

  test('stays open over a reload, without the token in the address', async () => {
    const page = await dashboard.open()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.reload()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(
      await page.evaluate<string>('location.href + JSON.stringify(history.state)'),
    ).not.toContain('token')
  })

  test('asks again when the server no longer takes the token, and keeps the place', async () => {
    const page = await dashboard.open('/outboxes', { allowed: [/401/] })
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    // Its session was ended elsewhere.
    await dashboard.call('/api/v1/sessions', { method: 'DELETE' })
    await page.reload()
    await page.getByText('Your token has expired.').waitFor()
    expect(pathOf(page)).toBe('/outboxes')
    await page.getByLabel('Token').fill(dashboard.token())
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(pathOf(page)).toBe('/outboxes')
  })
})

describe('a session', () => {
  test('is one for all tabs: a new one is logged in, and logging out ends it in all', async () => {
    const page = await dashboard.open('/overview')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    const tab = await page.context().newPage()
    await tab.goto(`${dashboard.url}/outboxes`)
    await tab.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(pathOf(tab)).toBe('/outboxes')
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Outboxes' })
      .click({
        modifiers: ['ControlOrMeta'],
      })
    await expect.poll(() => page.context().pages().length).toBe(3)
    const clicked = page.context().pages()[2]
    await clicked?.getByRole('navigation', { name: 'Pages' }).waitFor()
    await tab.getByRole('button', { name: /platform operator, demo/ }).click()
    await tab.getByRole('button', { name: 'Log out everywhere' }).click()
    for (const each of [tab, page, clicked]) await each?.getByText('You are logged out.').waitFor()
    await tab.close()
    await clicked?.close()
  })
})

describe('a member', () => {
  test('sees nothing of what is for operators', async () => {
    const page = await dashboard.open('/overview', member)
    await page.getByText('Overview is for operators').waitFor()
    await page.getByRole('button', { name: /member of acme/ }).waitFor()
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    expect(await navigation.getByRole('link', { name: 'Overview' }).count()).toBe(0)
    expect(await navigation.getByRole('link', { name: 'Outboxes' }).count()).toBe(0)
    await axe(page)
  })
})

describe('the keyboard', () => {
  test('goes to pages, into the filter, and says what it can do', async () => {
    const page = await dashboard.open()
    await expect.poll(() => pathOf(page), soon).toBe('/overview')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Go to the filter of the page').waitFor()
    await axe(page)
    await screenshot(page, 'shell-shortcuts')
    await page.keyboard.press('Escape')
    await expect.poll(() => list.count(), soon).toBe(0)
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await expect.poll(() => pathOf(page), soon).toBe('/outboxes')
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.locator('[data-filter]').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('g b')
    await expect.poll(() => page.locator('[data-filter]').first().inputValue(), soon).toBe('g b')
    expect(pathOf(page)).toBe('/audit')
  })

  test('skips the navigation', async () => {
    const page = await dashboard.open()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.tagName'), soon).toBe('MAIN')
  })
})

describe('the theme', () => {
  test('is the system’s until the user chooses, and then theirs from the first frame', async () => {
    const page = await dashboard.open('/', { theme: 'dark' })
    await page.getByRole('button', { name: /platform operator, demo/ }).click()
    expect(await scheme(page)).toBe('dark')
    await page.getByText('Light', { exact: true }).click()
    await expect.poll(() => scheme(page), soon).toBe('light')
    await page.reload({ waitUntil: 'commit' })
    const html = page.locator('html[data-mantine-color-scheme]')
    await html.waitFor({ state: 'attached' })
    expect(await html.getAttribute('data-mantine-color-scheme')).toBe('light')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(await scheme(page)).toBe('light')
  })

  test('fits a phone, where the navigation opens and closes', async () => {
    const page = await dashboard.open('/', { size: { width: 390, height: 780 } })
    await page.getByRole('button', { name: 'Open the navigation' }).click()
    await page.getByRole('link', { name: 'Outboxes' }).waitFor()
    await axe(page)
    await screenshot(page, 'shell-phone')
    await page.getByRole('link', { name: 'Outboxes' }).click()
    await expect.poll(() => pathOf(page), soon).toBe('/outboxes')
    await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
  })
})

test('the page one is on is in sight in the navigation, also in a low window', async () => {
  const page = await dashboard.open('/demo', { size: { width: 1_280, height: 600 } })
  const current = page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Demo' })
  const foot = page.getByRole('status').filter({ hasText: /Live|Updated/ })
  const below = async () => {
    const [link, state] = [await current.boundingBox(), await foot.boundingBox()]
    return (link?.y ?? 1e4) + (link?.height ?? 0) - (state?.y ?? 0)
  }
  await expect.poll(below).toBeLessThan(0)
})

test('an address of a page with nothing behind it says so', async () => {
  const page = await dashboard.open('/overview/nothing/here')
  await page.getByText('Not found', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect.poll(() => pathOf(page), soon).toBe('/overview')
})

test('shows that it is live, and that the clock was moved', async () => {
  const page = await dashboard.open()
  await page.getByText('Live', { exact: true }).waitFor()
  await dashboard.call('/sim/clock/advance', { body: { by: '6h' } })
  await page.reload()
  await page.getByText(/Clock moved by [56] h/).waitFor()
  await axe(page)
})

test('Ctrl-K finds things, pages and actions, and goes there by keys alone', async () => {
  const body = { to: 'shop-7' }
  const made = (await dashboard.call('/api/v1/parcels', { body })) as { id: string }
  const page = await dashboard.open('/overview')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.fill(made.id)
  const found = page.getByRole('option', { name: /parcel.*shop-7/ })
  await found.waitFor()
  await axe(page)
  await field.fill('shop-7')
  await found.waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain(made.id)
  // The palette may still be on its way out.
  await expect.poll(() => field.count()).toBe(0)
  await page.getByRole('dialog', { name: 'Message' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  // Nothing is lost of what is typed right behind it.
  await page.keyboard.type('pause outbox')
  expect(await field.inputValue()).toBe('pause outbox')
  await page.getByRole('option', { name: /Pause or resume an outbox/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Outboxes' }).waitFor()
})
