import { toMessage, uuid } from '@posthorn/engine'
import { SetAsideStore } from '@posthorn/engine/internal'
import { expect, test } from 'vitest'
import { EXAMPLE } from './example/index.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ systems: EXAMPLE })
const patient = { timeout: 60_000 }

async function send(count: number, to = 'Ada'): Promise<void> {
  const body = { to }
  await Promise.all(
    Array.from({ length: count }, () => dashboard.call('/api/v1/parcels', { body })),
  )
}

test('the overview shows what moves', async () => {
  const page = await dashboard.open('/overview?range=15min')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await send(40)
  const rate = page.locator('dl > div').filter({ hasText: /^Rate/ })
  await expect.poll(() => rate.textContent(), patient).toMatch(/[1-9.]+\/s/)
  await axe(page)
  await screenshot(page, 'overview-light')
})

test('a paused outbox is the first notice, and leads to where it is resumed', async () => {
  await dashboard.call('/api/v1/outboxes/example.greetings/pause', {
    body: { reason: 'the shop moves' },
  })
  const page = await dashboard.open('/overview')
  await page.getByRole('link', { name: 'example.greetings is paused by dev' }).click()
  await page.getByRole('heading', { name: 'example.greetings' }).waitFor()
  await page.getByText('the shop moves').first().waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('example.greetings resumed.').waitFor()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
})

test('an outbox is paused from its page, with a reason that the audit keeps', async () => {
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  const page = await dashboard.open('/outboxes/example.greetings')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByLabel('Reason').fill('tidying up')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused by dev: tidying up').waitFor()
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  await page.goto(`${dashboard.url}/audit?search=tidying`)
  await page.getByRole('gridcell', { name: 'tidying up' }).first().waitFor()
})

test('outboxes are listed with their states, and each is shown as its state machine', async () => {
  await send(1)
  const page = await dashboard.open('/outboxes')
  const line = page.getByRole('row', { name: /^post\.parcels/ })
  await line.getByRole('img', { name: /^States: .*[1-9]\d* sent/ }).waitFor(patient)
  await axe(page)
  await screenshot(page, 'outboxes-light')
  await page.getByRole('link', { name: 'post.parcels', exact: true }).click()
  const picture = page.getByRole('group', { name: 'States of post.parcels' })
  await expect
    .poll(() => picture.getByRole('link', { name: /^sent/ }).textContent(), patient)
    .toMatch(/ [1-9]/)
  await page.getByRole('heading', { name: 'Definition' }).waitFor()
  await page.getByText('dead after 3 attempts').waitFor()
  await axe(page)
  await screenshot(page, 'outbox-light')
})

test('the audit lists what happened, and is searched by its address', async () => {
  await send(1)
  const page = await dashboard.open('/audit?outbox=post.parcels')
  await page.getByRole('gridcell', { name: 'pending → sent' }).first().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open message' }).waitFor()
  await axe(page)
  await page.goto(`${dashboard.url}/audit?search=nothing-like-this`)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('gridcell').first().waitFor()
  await screenshot(page, 'audit-light')
})

test('alerts are shown and acknowledged', async () => {
  const subject = 'job-7'
  await dashboard.database.pool.query(
    `insert into posthorn.alert (source, subject, code, detail)
     values ('post', $1, 'CLAIM_FATAL', 'three relays were lost')`,
    [subject],
  )
  const page = await dashboard.open('/alerts?status=open')
  await page.getByRole('gridcell', { name: 'three relays were lost' }).first().click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('Three claims of this message alone were lost').waitFor()
  await axe(page)
  await screenshot(page, 'alerts-light')
  await drawer.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('Alert acknowledged.').waitFor()
})

test('a simulator fails by a fault and recovers', async () => {
  const page = await dashboard.open('/simulators')
  await page.getByRole('heading', { name: 'Business clock' }).waitFor()
  await axe(page)
  await screenshot(page, 'simulators-light')
  await page.getByRole('link', { name: 'Open carrier' }).click()
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('answers with an error').first().waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('answers normally').first().waitFor()
  await axe(page)
})

test('the clock is moved', async () => {
  const page = await dashboard.open('/simulators')
  await page.getByRole('button', { name: '+6h' }).click()
  await page.getByRole('button', { name: 'Move by 6h' }).click()
  await page.getByText('Clock advanced by 6h').waitFor()
  await page.getByText(/6 h.* ahead of real time/).waitFor()
})

test('members see neither operators’ pages nor what is on them', async () => {
  const page = await dashboard.open('/overview', { role: 'member', org: 'other' })
  await page.getByRole('link', { name: 'Simulators and clock' }).waitFor()
  expect(await page.getByRole('link', { name: 'Outboxes' }).count()).toBe(0)
  expect(await page.getByText('post.parcels').count()).toBe(0)
})

/** Dead letters of a consumer that is not there: a replay stays as it is. */
async function bury(code: string): Promise<void> {
  const store = new SetAsideStore(dashboard.database.pool, {
    topic: 'test.events',
    group: 'test.mails',
  })
  const message = toMessage({ id: uuid(), type: 'mail', key: code, payload: { to: 'gomez' } })
  await store.bury({ id: message.id, message }, { attempts: 7, failure: { code, message: 'no' } })
}

test('dead letters of consumers are looked at, replayed and dropped', async () => {
  await bury('MAILBOX_FULL')
  await bury('NO_SUCH_USER')
  const page = await dashboard.open('/consumers')
  await page.getByRole('heading', { name: 'Consumers' }).waitFor()
  await page.getByRole('grid', { name: 'Consumer groups' }).getByText('test.mails').waitFor()
  await page.getByRole('slider', { name: /^Unacknowledged/ }).waitFor()
  await page.getByRole('gridcell', { name: 'MAILBOX_FULL' }).first().click()
  const details = page.getByRole('dialog')
  await details.getByText('gomez').waitFor()
  await axe(page)
  await screenshot(page, 'consumers-light')
  await page.keyboard.press('Escape')

  const operate = async (code: string, verb: 'Replay' | 'Drop') => {
    await page
      .getByRole('row', { name: new RegExp(code) })
      .getByRole('checkbox')
      .check()
    await page.getByRole('button', { name: `${verb} selected` }).click()
    await page.getByLabel('Reason').fill('mended')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `${verb} 1` })
      .click()
  }
  await operate('MAILBOX_FULL', 'Replay')
  await page.getByRole('row', { name: /retry.*MAILBOX_FULL/ }).waitFor()
  await operate('NO_SUCH_USER', 'Drop')
  await expect.poll(() => page.getByRole('row', { name: /NO_SUCH_USER/ }).count()).toBe(0)
  const { items } = (await dashboard.call('/api/v1/audit?kind=operation&search=mended')) as {
    items: { operation: string }[]
  }
  expect(items.map(({ operation }) => operation).toSorted()).toEqual(['drop', 'replay'])
})

test('an admin sets a time, places and releases a hold, and erases a person', async () => {
  const page = await dashboard.open('/retention', { allowed: [/400 .*retention/] })
  const table = page.getByRole('grid', { name: 'Kept data' })
  await table.getByText('post.parcels').waitFor()
  await axe(page)
  await page.getByRole('button', { name: /^Parcels .* 90 days/ }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Kept for').fill('3')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText(/must be 7d or more/).waitFor()
  await form.getByLabel('Kept for').fill('30')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Parcels .* 30 days/ }).waitFor()
  await table.getByText('set here').waitFor()
  await screenshot(page, 'retention-light')

  await page.getByRole('link', { name: 'Legal holds' }).click()
  await page.getByRole('button', { name: 'Place a hold' }).click()
  await form.getByLabel('Applies to').click()
  await page.getByRole('option', { name: 'The whole organisation' }).click()
  await form.getByLabel('Reason').fill('lawsuit 12/26')
  await form.getByRole('button', { name: 'Place hold' }).click()
  await page.getByRole('gridcell', { name: 'lawsuit 12/26' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Release' }).click()
  await form.getByLabel('Reason').fill('settled')
  await form.getByRole('button', { name: 'Release' }).click()
  await expect.poll(() => page.getByRole('button', { name: 'Release' }).count()).toBe(0)

  await page.getByRole('link', { name: 'Erasures' }).click()
  await page.getByRole('button', { name: 'Erase a person' }).click()
  await form.getByLabel('E-mail address').fill('ada@example.org')
  await form.getByLabel('Reason').fill('letter of Ada@Example.org')
  await form.getByText('The reason is kept').waitFor()
  await form.getByLabel('Reason').fill('letter of 3 May')
  await form.getByRole('button', { name: 'Count' }).click()
  await form.getByRole('button', { name: /^Erase \d+ rows?$/ }).click()
  const row = page.getByRole('row', { name: /E-mail address/ })
  await row.waitFor()
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Reload' }).click()
      return row.textContent()
    })
    .toContain('done')
  expect(await page.getByText('ada@example.org').count()).toBe(0)
  await axe(page)
})

test('messages are read from the oldest on', async () => {
  for (const name of ['first', 'second']) {
    await dashboard.call('/api/v1/greetings', { body: { name } })
  }
  const page = await dashboard.open('/messages?outbox=example.greetings')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table.getByRole('row').nth(2).waitFor()
  const ids = async () => {
    const rows = await table.getByRole('row').all()
    return Promise.all(rows.slice(1, 3).map((row) => row.locator('code').first().textContent()))
  }
  const newest = await ids()
  await table.getByRole('button', { name: 'Created' }).click()
  const asked = page.waitForRequest(/api\/v1\/messages\?.*sort=createdAt/)
  await table.getByRole('button', { name: 'Created' }).click()
  await asked
  await expect.poll(ids).toEqual(newest.toReversed())
})
