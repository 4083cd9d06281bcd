import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../../test/docs/markdown.ts'
import { runScript } from '../../../test/docs/program.ts'
import { axe, openDashboard, type PageOptions, screenshot } from './harness/index.ts'

/** What newcomers ask, in their words, and a page that answers. */
const QUESTIONS: readonly (readonly [question: string, page: string])[] = [
  ['install', '/docs/'],
  ['is it for me', '/docs/is-it-for-me/'],
  ['drizzle', '/docs/guide/your-orm/'],
  ['prisma transaction', '/docs/guide/your-orm/'],
  ['retry policy', '/docs/guide/retries-and-dead-letters/'],
  ['replay dead letters', '/docs/operate/replay/'],
  ['order of messages per key', '/docs/concepts/ordering/'],
  ['exactly once', '/docs/concepts/guarantees/'],
  ['idempotency key', '/docs/guide/inbox-and-idempotency/'],
  ['cron schedule time zone', '/docs/guide/recurring/'],
  ['compensation', '/docs/guide/sagas/'],
  ['kafka schema registry', '/docs/reference/schema-registry/'],
  ['webhook signature', '/docs/reference/webhook-transport/'],
  ['pgbouncer', '/docs/operate/managed-postgres/'],
  ['prometheus metrics', '/docs/operate/monitoring/'],
  ['messages do not move', '/docs/operate/troubleshooting/'],
  ['delete old rows', '/docs/operate/retention/'],
  ['helm chart', '/docs/operate/containers/'],
  ['how many relays', '/docs/operate/scaling/'],
  ['NOT_IN_TRANSACTION', '/docs/reference/errors/'],
  ['pg-boss', '/docs/coming-from/pg-boss/'],
  ['test handlers', '/docs/guide/testing/'],
]

const dashboard = await openDashboard()
const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

beforeAll(async () => {
  const { status, stdout, stderr } = await runScript(join(root, 'scripts/docs.mjs'), [], {
    cwd: root,
    limitMs: 170_000,
  })
  expect(status, stdout + stderr).toBe(0)
})

/** A page of the documentation; what it loads must come from its server. */
async function open(path: string, look: Pick<PageOptions, 'theme' | 'size'> = {}): Promise<Page> {
  const page = await dashboard.open('/docs/all/', {
    ...look,
    login: 'none',
    size: look.size ?? DESK,
  })
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboard.url)) elsewhere.push(request.url())
  })
  onTestFinished(() => expect(elsewhere.filter((url) => !url.startsWith('data:'))).toEqual([]))
  await page.goto(`${dashboard.url}/docs/${path}`)
  return page
}

test('the search answers what newcomers ask on its first page of results', async () => {
  const page = await open('')
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog')
  const box = dialog.getByRole('textbox')
  const results = dialog.locator('.pagefind-ui__result')
  const links = results.locator('.pagefind-ui__result-inner > .pagefind-ui__result-title a')
  const found: [string, string][] = []
  for (const [question, wanted] of QUESTIONS) {
    await box.fill('')
    await expect.poll(() => results.count()).toBe(0)
    await box.fill(question)
    await page.getByText(new RegExp(` results? for ${question}$`)).waitFor()
    await expect.poll(async () => (await links.count()) === (await results.count())).toBe(true)
    const pages = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    found.push([question, pages.includes(wanted) ? wanted : `not in ${pages.join(' ')}`])
  }
  expect(found).toEqual(QUESTIONS)
})

/** Those of axe but for one that the generator's own button for the search breaks. */
const RULES = [
  ...['button-name', 'color-contrast', 'heading-order', 'image-alt', 'label', 'landmark-one-main'],
  ...[
    'link-name',
    'list',
    'scrollable-region-focusable',
    'duplicate-id-aria',
    'nested-interactive',
  ],
]

const WIDE_WITHOUT_KEYS = `[...document.querySelectorAll('pre')].filter(
  (block) => block.scrollWidth > block.clientWidth && block.tabIndex < 0).length`

const LOOKS = [
  ['start', ''],
  ['lifecycle', 'concepts/lifecycle/'],
  ['package', 'reference/packages/transports/kafka/'],
] as const

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  describe.each([
    ['desk', DESK],
    ['phone', PHONE],
  ] as const)('on a %s', (device, size) => {
    test.each(LOOKS)('%s is readable and no wider than the window', async (name, path) => {
      const page = await open(path, { theme, size })
      if (name === 'lifecycle') await page.locator('pre.mermaid[data-drawn] svg').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      // The site makes wide blocks of code reachable by keys a moment after it is drawn.
      await expect.poll(() => page.evaluate(WIDE_WITHOUT_KEYS)).toBe(0)
      await axe(page, RULES)
      await screenshot(page, `site-${name}-${device}-${theme}`)
    })
  })
})

test('a block of code can be copied, and a page leads to the next', async () => {
  const page = await open('guide/quick-start/')
  await page.getByRole('button', { name: 'Copy to clipboard' }).first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain("from '@posthorn/engine'")
  await page.getByRole('link', { name: /^Next/ }).click()
  await expect.poll(() => page.url()).toBe(`${dashboard.url}/docs/guide/start-a-service/`)
})

test('every page is there as Markdown, and programs find a list', async () => {
  const read = async (path: string) => (await fetch(`${dashboard.url}${path}`)).text()
  const list = await read('/docs/llms.txt')
  const links = [...list.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(100)
  const texts = await Promise.all(links.map(read))
  expect(texts.filter((text) => !/^# .+\n\n/.test(text))).toEqual([])
  expect(await read('/docs/llms-full.txt')).toContain('# Quick start\n')
})
