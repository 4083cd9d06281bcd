import type { Page } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBrowser, returnPage, takePage, watchProblems } from './harness/browser.ts'
import { serveGallery } from './harness/gallery.ts'
import { axe, screenshot } from './harness/index.ts'

const soon = { timeout: 60_000 }

const browser = await openBrowser()
const gallery = browser && (await serveGallery())
afterAll(() => gallery?.close())

interface Look {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
}

async function open(path = '', { theme = 'light', width = 1_200 }: Look = {}): Promise<Page> {
  if (!browser || !gallery) throw new Error('there is no browser')
  const page = await takePage(browser, { theme, size: { width, height: 900 } })
  const { problems, stop } = watchProblems(page, [])
  onTestFinished(async () => {
    await returnPage(page)
    stop()
    expect(problems).toEqual([])
  })
  await page.goto(`${gallery.url}${path}`)
  return page
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Things' }).locator('[data-index]')
const focusedRow = (page: Page) =>
  page.evaluate<string | null>('document.activeElement.getAttribute("data-index")')

describe('the theme', () => {
  test.each([
    ['light', 1_200],
    ['dark', 1_200],
    ['light', 390],
    ['dark', 390],
  ] as const)('is open to everybody in %s at %d px', async (theme, width) => {
    const page = await open('', { theme, width })
    await rows(page).first().waitFor()
    await axe(page)
    await screenshot(page, `parts-${theme}-${width}`)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    await expect.poll(() => page.evaluate(over), { message: 'px too wide' }).toBe(0)
  })

  test('a drawer and a dialog are too', async () => {
    const page = await open('?open=thing-3', { theme: 'dark' })
    await page.getByRole('dialog', { name: 'thing-3' }).waitFor()
    await axe(page)
    await screenshot(page, 'parts-drawer')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('dialog', { name: 'Replay 12 messages?' }).waitFor()
    await axe(page)
    await screenshot(page, 'parts-confirm')
  })
})

describe('a table of a hundred thousand rows', () => {
  test('renders only visible rows, and loads more near the end', async () => {
    const page = await open()
    await page.getByText('200 rows so far').waitFor()
    await rows(page).first().focus()
    await page.keyboard.press('End')
    await page.getByText('100,000 rows').waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => focusedRow(page), soon).toBe('99999')
    expect(await rows(page).count()).toBeLessThan(60)
    await page.keyboard.press('Home')
    await expect.poll(() => focusedRow(page), soon).toBe('0')
  })

  test('scrolls from end to end without rendering more', async () => {
    const page = await open()
    await rows(page).first().focus()
    await page.keyboard.press('End')
    await page.getByText('100,000 rows').waitFor()
    const most = await page.evaluate<number>(`(async () => {
      const box = document.querySelector('[role=grid]')
      let most = 0
      for (let i = 0; i <= 30; i++) {
        box.scrollTop = (box.scrollHeight * i) / 30
        await new Promise(requestAnimationFrame)
        most = Math.max(most, box.querySelectorAll('[data-index]').length)
      }
      return most
    })()`)
    expect(most).toBeLessThan(60)
    await page.locator('[data-index="99999"]').waitFor()
  })

  test('is walked, opened and selected by keys', async () => {
    const page = await open()
    await rows(page).first().focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedRow(page), soon).toBe('1')
    await page.keyboard.press('j')
    await expect.poll(() => focusedRow(page), soon).toBe('2')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'thing-2' }).waitFor()
    expect(page.url()).toContain('open=thing-2')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url(), soon).not.toContain('open')
    await expect.poll(() => focusedRow(page), soon).toBe('2')
    await page.getByLabel('Select all rows shown').check()
    await page.getByText('200 selected').waitFor()
  })

  test('a button in a row does not open the row', async () => {
    const page = await open()
    await rows(page).first().getByRole('button', { name: 'Copy id' }).click()
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'), soon)
      .toBe('thing-0')
    expect(page.url()).not.toContain('open')
    await rows(page).nth(1).click()
    await expect.poll(() => page.url(), soon).toContain('open=thing-1')
    await page.goBack()
    await expect.poll(() => page.getByRole('dialog').count(), soon).toBe(0)
  })
})

describe('a filter', () => {
  test('follows what is typed, and the address follows it', async () => {
    const page = await open()
    await page.getByLabel('Search').pressSequentially('thing-4242', { delay: 20 })
    await page.getByText('11 rows').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe('thing-4242')
    expect(await page.getByLabel('Search').inputValue()).toBe('thing-4242')
    await page.getByLabel('Search').fill('nothing of the kind')
    await page.getByText('Nothing matches the filter').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByText('200 rows so far').waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('')
  })

  test('comes from the address, without what makes no sense there', async () => {
    const page = await open('?role=dead&search=thing-7')
    await rows(page).first().waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('thing-7')
    const wrong = await open('?role=rubbish')
    await wrong.getByText('200 rows so far').waitFor()
  })

  test('that fails says so and tries again', async () => {
    const page = await open('?search=trouble')
    await page.getByRole('alert').getByText('There is trouble.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('There is trouble.').waitFor()
  })
})

describe('a confirmation', () => {
  test('asks for a reason and says what was done', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay 12 messages?' })
    await expect.poll(() => page.evaluate('document.activeElement.tagName'), soon).toBe('INPUT')
    await page.keyboard.type('the gateway is back')
    await page.keyboard.press('Enter')
    await page.getByText('12 messages go again: the gateway is back.').waitFor()
    await expect.poll(() => dialog.count(), soon).toBe(0)
  })

  test('stays open and says what went wrong', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 thing?' })
    await dialog.getByRole('button', { name: 'Delete 1' }).click()
    await dialog.getByRole('alert').getByText('It changed meanwhile.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => dialog.count(), soon).toBe(0)
  })
})

test('a file is chosen or dropped', async () => {
  const page = await open()
  const file = { name: 'bank.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('dialog', { name: 'bank.csv' }).waitFor()
})

test('JSON is text, also with markup in it', async () => {
  const page = await open()
  const json = page.getByRole('group', { name: 'payload' })
  await json.getByText('[3 items]').click()
  await json.getByText('"<b>"').waitFor()
  await json.getByRole('button', { name: 'Copy payload' }).click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(JSON.parse(copied)).toMatchObject({ id: 7, deep: { list: [1, null, '<b>'] } })
})
