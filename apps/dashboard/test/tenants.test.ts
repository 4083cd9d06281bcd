import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { openDashboard } from './harness/index.ts'

/*
 * An operator of one organisation sees what is its own, on every page that operators have, and the
 * browser is sent nothing of another one.
 */
const dashboard = await openDashboard({ env: { POSTHORN_SYSTEMS: 'messages,payments,incidents' } })
const patient = { timeout: 60_000 }

interface Organisation {
  readonly org: string
  /** Of a recipient whom WhatsApp refuses: a dead letter. */
  readonly number: string
  readonly messageId: string
  readonly paymentId: string
  readonly order: string
}

const operatorOf = (org: string) => ({ org, sub: `operator of ${org}`, role: 'operator' }) as const

async function send(org: string, number: string): Promise<string> {
  const body = {
    ...{ channel: 'whatsapp', to: number, templateCode: 'hello_world' },
    payloadJson: { language: 'en_US', parameters: [] },
  }
  const path = '/api/v1/outbound/messages'
  const headers = { 'idempotency-key': randomUUID() }
  const made = await dashboard.call(path, { ...operatorOf(org), body, headers })
  return (made as { id: string }).id
}

/** A payment, and a message that is dead with its alert and incident. */
async function settle(org: string, number: string): Promise<Organisation> {
  const user = operatorOf(org)
  const order = `lamp-of-${org}`
  const payment = (await dashboard.call('/api/v1/payments', {
    ...user,
    body: { amount: 1_000, currency: 'EUR', externalPaymentId: order },
    headers: { 'idempotency-key': order },
  })) as { id: string }
  const messageId = await send(org, number)
  await vi.waitFor(async () => {
    const found = await dashboard.call('/api/v1/incidents', user)
    expect(found).toMatchObject({ items: [{ tenant: org }] })
  }, patient)
  return { org, number, messageId, paymentId: payment.id, order }
}

let made: Promise<[ours: Organisation, theirs: Organisation]> | undefined
/** Once for all tests, in the first of them. */
const settleBoth = () =>
  (made ??= Promise.all([settle('ours', '+16505660047'), settle('theirs', '+16505770047')]))

const wordsOf = ({ org, number, messageId, paymentId, order }: Organisation) => [
  ...[number, messageId, paymentId, order, `operator of ${org}`],
]

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
  ['/messages', ({ number }) => number],
  ['/dead-letters?outbox=messages.outbound', () => 'Replay all'],
  ['/alerts', () => 'messages.outbound'],
  ['/incidents', () => 'messages.outbound'],
  ['/audit', () => 'messages.outbound'],
  ['/audit/entries', ({ org }) => `operator of ${org}`],
  ['/payments', ({ order }) => order],
  ['/outbound', ({ number }) => number],
]

test('every page shows an operator the own organisation, and the browser gets no more', async () => {
  const [ours, theirs] = await settleBoth()
  const page = await dashboard.open('/home', operatorOf('ours'))
  const heard = listen(page)
  await page.getByRole('navigation').waitFor(patient)
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
  const page = await dashboard.open('/home', { ...operatorOf('ours'), allowed: [/404/] })
  const heard = listen(page)
  await page.getByRole('navigation').waitFor(patient)
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
  for (const word of [theirs.order, theirs.paymentId, theirs.messageId]) {
    const own = wordsOf(ours)[wordsOf(theirs).indexOf(word)] ?? ''
    expect(await search(word), word).toBeLessThan(await search(own))
  }
  for (const [path, room, status] of [
    [`/journey?id=${theirs.paymentId}`, 'journey', 200],
    [`/messages?open=messages.outbound:${theirs.messageId}`, 'outboxes', 404],
    [`/payments?open=${theirs.paymentId}`, 'payments', 404],
    [`/outbound?open=${theirs.messageId}`, 'outbound', 404],
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
  const asked = [theirs.paymentId, theirs.messageId]
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
  await list.getByText(ours.number).first().waitFor(patient)
  await send('theirs', '+16505880047')
  await send('ours', '+16505990047')
  // A page that is open offers what came later.
  await page.getByRole('button', { name: /^\d+ new$/ }).click(patient)
  await list.getByText('+16505990047').first().waitFor(patient)
  expect(await page.locator('body').innerText()).not.toContain('+16505880047')
  expect(heard.join()).not.toContain('+16505880047')
})
