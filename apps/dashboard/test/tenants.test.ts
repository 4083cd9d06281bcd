import { expect, test, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { EXAMPLE } from './example/index.ts'
import { openDashboard } from './harness/index.ts'

/*
 * An operator of one organisation sees what is its own, on every page that operators have, and the
 * browser is sent nothing of another one.
 */
const dashboard = await openDashboard({ systems: EXAMPLE })
const patient = { timeout: 60_000 }

interface Organisation {
  readonly org: string
  /** Nobody lives there: a dead letter. */
  readonly to: string
  readonly messageId: string
}

const operatorOf = (org: string) => ({ org, sub: `operator of ${org}`, role: 'operator' }) as const

async function send(org: string, to: string): Promise<string> {
  const made = await dashboard.call('/api/v1/parcels', { ...operatorOf(org), body: { to } })
  return (made as { id: string }).id
}

/** A message that is dead, with its alert and incident. */
async function settle(org: string): Promise<Organisation> {
  const to = `nowhere-of-${org}`
  const messageId = await send(org, to)
  await vi.waitFor(async () => {
    const found = await dashboard.call('/api/v1/incidents', operatorOf(org))
    expect(found).toMatchObject({ items: [{ tenant: org }] })
  }, patient)
  return { org, to, messageId }
}

let made: Promise<[ours: Organisation, theirs: Organisation]> | undefined
/** Once for all tests, in the first of them. */
const settleBoth = () => (made ??= Promise.all([settle('ours'), settle('theirs')]))

const wordsOf = ({ org, to, messageId }: Organisation) => [to, messageId, `operator of ${org}`]

/** Everything that the API answers to a page, streams apart. */
function listen(page: Page): string[] {
  const heard: string[] = []
  page.on('response', (response) => {
    if (!/json/.test(response.headers()['content-type'] ?? '')) return
    response.text().then(
      (text) => heard.push(text),
      () => undefined,
    )
  })
  return heard
}

/** Pages of operators, and what an operator of the organisation sees there. */
const PAGES: readonly (readonly [path: string, own: (mine: Organisation) => string])[] = [
  ['/messages', ({ to }) => to],
  ['/dead-letters?outbox=post.parcels', () => 'Replay all'],
  ['/alerts', () => 'post.parcels'],
  ['/incidents', () => 'post.parcels'],
  ['/audit', () => 'post.parcels'],
  ['/audit/entries', ({ org }) => `operator of ${org}`],
]

test('every page shows an operator the own organisation, and the browser gets no more', async () => {
  const [ours, theirs] = await settleBoth()
  const page = await dashboard.open('/audit', operatorOf('ours'))
  const heard = listen(page)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor(patient)
  for (const [path, own] of PAGES) {
    await page.goto(`${dashboard.url}${path}`)
    await page.getByRole('main').getByText(own(ours)).first().waitFor(patient)
    const shown = await page.locator('body').innerText()
    for (const word of wordsOf(theirs)) expect(shown, path).not.toContain(word)
  }
  expect(heard.join()).toContain(ours.messageId)
  for (const word of wordsOf(theirs)) expect(heard.join()).not.toContain(word)
})

test('what is theirs is not found by search, by its journey, nor by its address', async () => {
  const [ours, theirs] = await settleBoth()
  const page = await dashboard.open('/audit', { ...operatorOf('ours'), allowed: [/404/] })
  const heard = listen(page)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor(patient)
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search' })
  const search = async (word: string) => {
    const answered = page.waitForResponse(
      (response) => new URL(response.url()).searchParams.get('q') === word,
      patient,
    )
    await field.fill(word)
    return (await (await answered).text()).length
  }
  for (const word of [theirs.to, theirs.messageId]) {
    const own = wordsOf(ours)[wordsOf(theirs).indexOf(word)] ?? ''
    expect(await search(word), word).toBeLessThan(await search(own))
  }
  for (const [path, room, status] of [
    [`/journey?id=${theirs.messageId}`, 'journey', 200],
    [`/messages?open=post.parcels:${theirs.messageId}`, 'outboxes', 404],
    [`/audit?search=${theirs.messageId}`, 'audit', 200],
  ] as const) {
    // By its room: a late answer to the page before is not about this one.
    const isAbout = (url: string) =>
      wordsOf(theirs).some((word) => url.includes(word)) && url.includes(`/api/v1/${room}`)
    const answered = page.waitForResponse((response) => isAbout(response.url()), patient)
    await page.goto(`${dashboard.url}${path}`)
    expect((await answered).status(), path).toBe(status)
  }
  // A refusal may repeat the id that was asked for, and nothing else does.
  const asked = [theirs.messageId]
  const isTheirs = (text: string) => {
    const words = text.includes('"NOT_FOUND"')
      ? wordsOf(theirs).filter((word) => !asked.includes(word))
      : wordsOf(theirs)
    return words.some((word) => text.includes(word))
  }
  expect(heard.filter(isTheirs)).toEqual([])
})

test('the stream brings news of the own organisation alone', async () => {
  const [ours] = await settleBoth()
  const page = await dashboard.open('/messages', operatorOf('ours'))
  const heard = listen(page)
  const list = page.getByRole('main')
  await list.getByText(ours.to).first().waitFor(patient)
  await send('theirs', 'nowhere-else')
  await send('ours', 'nowhere-new')
  // A page that is open offers what came later.
  await page.getByRole('button', { name: /^\d+ new$/ }).click(patient)
  await list.getByText('nowhere-new').first().waitFor(patient)
  expect(await page.locator('body').innerText()).not.toContain('nowhere-else')
  expect(heard.join()).not.toContain('nowhere-else')
})
