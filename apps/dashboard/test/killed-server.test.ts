import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  addressIn,
  openKillable,
  patient,
  screenshot,
  type ShownView,
  type World,
} from './harness/index.ts'
import { fillSystems, systemSettings, systemViews } from './system-worlds.ts'
import { VIEWS } from './views.ts'

const isFull = process.env['PROOF'] === 'full'

/** How long there is no server. */
const AWAY_MS = isFull ? 20_000 : 3_000

/**
 * From the moment at which the new server answers until a page no longer says that it is old. The short
 * form runs on machines that do other things too.
 */
const HEALED_WITHIN_MS = isFull ? 2_000 : 20_000

/** Windows that lose their server at the same time: as many as two processors can draw in a second. */
const TOGETHER = 4

/** Those that stand for the others, with one of a system: tiles and plots, and lists. */
const CHOSEN = ['overview', 'messages', 'audit']

const all = [...VIEWS.filter(([, path]) => !/:|post\./.test(path)), ...(await systemViews())]
const views = all.filter(([name], n) => isFull || CHOSEN.includes(name) || n === all.length - 1)
const groups = Array.from({ length: Math.ceil(views.length / TOGETHER) }, (_, n) =>
  views.slice(n * TOGETHER, (n + 1) * TOGETHER),
)

/** What a browser says of a server that is not there. */
const GONE = [/ERR_|Failed to fetch|Failed to load resource|preload CSS|dynamically imported/]

const dashboard = await openKillable({
  ...(await systemSettings()),
  // What is sealed outlives the process and its folder.
  POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64url'),
})

let world: World = {}
beforeAll(async () => {
  if (!dashboard.url.endsWith('.invalid')) world = await fillSystems(dashboard)
})

/** Notes when the page stops to say that it is old. */
const NOTE_HEALING = `
  window.healedAt = 0
  new MutationObserver(() => {
    const isOld = document.querySelector('[data-old]') !== null
    if (isOld) window.healedAt = 0
    else if (window.healedAt === 0) window.healedAt = Date.now()
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`

interface Shown {
  readonly name: string
  readonly page: Page
  readonly title: string
}

/** All that the page asked for is there. */
async function loaded(page: Page): Promise<void> {
  const loading = page.getByRole('status', { name: 'Loading' })
  await expect.poll(() => loading.count(), patient).toBe(0)
}

async function show([name, path, text]: ShownView): Promise<Shown> {
  const page = await dashboard.open(addressIn(world, path), { allowed: GONE })
  await page.getByText(text).first().waitFor(patient)
  await page
    .getByRole('status')
    .getByText(/^(Live|Updated)/)
    .waitFor(patient)
  await loaded(page)
  await screenshot(page, `${name}-before`)
  await page.evaluate(NOTE_HEALING)
  const title = await page.getByRole('heading', { level: 1 }).first().textContent()
  return { name, page, title: title ?? '' }
}

test.each(groups.map((group) => [group.map(([name]) => name).join(', '), group] as const))(
  'a server that is killed and comes back heals %s',
  { timeout: 240_000 + AWAY_MS },
  async (_, group) => {
    const shown = await Promise.all(group.map(show))
    const restart = await dashboard.killServer()
    for (const { page } of shown) {
      await page.getByText(/This page is as of \d\d:\d\d:\d\d/).waitFor(patient)
    }
    await sleep(AWAY_MS)
    for (const { name, page } of shown) await screenshot(page, `${name}-during`)

    await restart()
    const backAt = Date.now()
    const late: string[] = []
    for (const { name, page, title } of shown) {
      await page.locator('[data-old]').waitFor({ state: 'detached', ...patient })
      const tookMs = (await page.evaluate<number>('healedAt')) - backAt
      if (tookMs > HEALED_WITHIN_MS) late.push(`${name} after ${tookMs} ms`)
      await page.getByRole('heading', { level: 1, name: title }).first().waitFor(patient)
      await page
        .getByRole('status')
        .getByText(/^(Live|Updated)/)
        .waitFor(patient)
      // What was asked for while there was no server is asked for again, without a click.
      await expect
        .poll(() => page.getByRole('button', { name: 'Try again' }).count(), patient)
        .toBe(0)
      await loaded(page)
      await screenshot(page, `${name}-after`)
    }
    expect(late).toEqual([])
  },
)
