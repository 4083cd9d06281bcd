import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EXAMPLE } from './example/index.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ systems: EXAMPLE })
const patient = { timeout: 30_000 }
const PHONE = { width: 390, height: 780 }

async function send(to: string): Promise<string> {
  const { id } = (await dashboard.call('/api/v1/parcels', { body: { to } })) as { id: string }
  return id
}

/** Delivered when it is over: a page that is open only offers what comes later. */
async function greet(): Promise<string> {
  const body = { name: 'Ada' }
  const { id } = (await dashboard.call('/api/v1/greetings', { body })) as { id: string }
  const read = () => dashboard.call(`/api/v1/outboxes/example.greetings/messages/${id}`)
  await expect.poll(read, patient).toMatchObject({ state: 'sent' })
  return id
}

/** A message that the carrier refuses for good, dead. */
async function deadLetter(): Promise<string> {
  const id = await send('nowhere')
  const read = () => dashboard.call(`/api/v1/outboxes/post.parcels/messages/${id}`)
  await expect.poll(read, patient).toMatchObject({ state: 'dead' })
  return id
}

/** How many messages of a filter are dead. */
async function dead(): Promise<number> {
  const answer = (await dashboard.call('/api/v1/outboxes/post.parcels/replay', {
    body: { dryRun: true },
  })) as { count: number }
  return answer.count
}

test('messages of all outboxes are listed, and one shows its timeline', async () => {
  await greet()
  await send('Ada')
  const page = await dashboard.open('/messages')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table.getByRole('gridcell', { name: 'post.parcels' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'messages-light')
  const sent = table.getByRole('row', { name: /sent example\.greetings/ })
  await sent.first().waitFor(patient)
  await sent.first().getByRole('gridcell', { name: 'example.greetings', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByText('Written in the producer’s transaction').waitFor()
  await drawer.getByText(/processed it once/).waitFor(patient)
  await drawer.getByText('Finished. No action needed.').waitFor()
  await axe(page)
  await screenshot(page, 'message-light')
  await drawer.getByRole('tab', { name: 'Payload' }).click()
  await drawer.getByRole('group', { name: 'payload' }).waitFor()
  await drawer.getByRole('tab', { name: 'Database row' }).click()
  await drawer.getByRole('group', { name: 'row' }).waitFor()
  await page.keyboard.press('Escape')
  const delivered = table.getByRole('row', { name: /sent post\.parcels/ })
  await delivered.first().getByRole('gridcell', { name: 'post.parcels', exact: true }).click()
  await drawer.getByText('Finished. No action needed.').waitFor(patient)
})

test('rows are known by their label, and columns and order are kept', async () => {
  await send('Grace')
  const page = await dashboard.open('/messages?outbox=post.parcels')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table.getByRole('gridcell', { name: 'Grace' }).first().waitFor()
  await table.getByRole('button', { name: 'Created' }).click()
  await page.getByText('sorted by Created, highest first').waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Attempts' }).uncheck()
  await axe(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Save view as').fill('by recipient')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Reset columns and order' }).click()
  await table.getByRole('columnheader', { name: 'Attempts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'by recipient', exact: true }).click()
  await page.getByText('sorted by Created, highest first').waitFor()
  await page.reload()
  await page.getByText('sorted by Created, highest first').waitFor()
  expect(await table.getByRole('columnheader', { name: 'Attempts' }).count()).toBe(0)
  await screenshot(page, 'messages-layout')
})

test('messages of one trace lead to each other', async () => {
  const id = await send('Ada')
  const greeting = await greet()
  const traceparent = `00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01`
  const { pool } = dashboard.database
  const messages = 'update post.parcels set traceparent = $1 where id = $2'
  await pool.query(messages, [traceparent, id])
  await pool.query('update example.greeting set traceparent = $1 where id = $2', [
    traceparent,
    greeting,
  ])
  const page = await dashboard.open(`/messages?open=post.parcels:${id}`)
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByRole('link', { name: 'a message of example.greetings' }).click()
  await drawer.getByText(greeting).first().waitFor()
  expect(page.url()).toContain(`open=example.greetings%3A${greeting}`)
})

test('the filter is in the address, and nothing that matches says so', async () => {
  await greet()
  const page = await dashboard.open('/messages?outbox=example.greetings&status=sent')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table
    .getByRole('row', { name: /sent example\.greetings/ })
    .first()
    .waitFor(patient)
  expect(await table.getByRole('gridcell', { name: 'post.parcels' }).count()).toBe(0)
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Type').fill('no-such-type')
  await page.getByText('Nothing matches the filter').waitFor()
  expect(page.url()).toContain('type=no-such-type')
  await axe(page)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await table.getByRole('row').nth(1).waitFor()
  expect(new URL(page.url()).search).toBe('')
})

test('a message that does not exist says so', async () => {
  const page = await dashboard.open(`/messages?open=example.greetings:${randomUUID()}`, {
    allowed: [/404/],
  })
  await page.getByRole('dialog').getByText('example.greetings has no such message').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.url(), patient).not.toContain('open=')
})

test('messages fit a phone', async () => {
  await greet()
  const page = await dashboard.open('/messages', { size: PHONE })
  // The cell of the box to select a row has no height here.
  const message = page.getByRole('gridcell', { name: 'example.greetings', exact: true }).first()
  await message.waitFor()
  await axe(page)
  await screenshot(page, 'messages-phone')
  await message.click()
  await page.getByRole('dialog').getByText('Written in the producer').waitFor()
  await screenshot(page, 'message-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
})

test('a dead message says why, and is replayed with a reason', async () => {
  const id = await deadLetter()
  const page = await dashboard.open(`/messages?outbox=post.parcels&open=post.parcels:${id}`)
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByText('dead').first().waitFor()
  await drawer.getByRole('button', { name: 'Replay' }).click()
  await page.getByLabel('Reason').fill('the number is mended')
  await axe(page)
  await page.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText('Message replayed.').waitFor()
  await drawer.getByText('the number is mended').waitFor(patient)
})

test('a message that waits is cancelled', async () => {
  await dashboard.call('/api/v1/outboxes/post.parcels/pause', { method: 'POST' })
  const id = await send('Ada')
  const page = await dashboard.open(`/messages?outbox=post.parcels&open=post.parcels:${id}`)
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel 1' }).click()
  await page.getByText('Message cancelled.').waitFor()
  await drawer.getByText('Finished. No action needed.').waitFor()
  // Many at once: a click, and another one with Shift on the last of them.
  await send('Ada')
  await send('Ada')
  await page.goto(`${dashboard.url}/messages?outbox=post.parcels&status=pending`)
  const boxes = page.getByRole('grid', { name: 'Messages' }).getByRole('checkbox')
  await boxes.nth(1).click()
  await boxes.nth(2).click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Cancel 2 selected' }).click()
  await page.getByRole('button', { name: 'Cancel 2', exact: true }).click()
  await page.getByText('2 messages cancelled.').waitFor()
  await dashboard.call('/api/v1/outboxes/post.parcels/resume', { method: 'POST' })
})

test('dead letters are grouped by their reason', async () => {
  await deadLetter()
  const page = await dashboard.open('/dead-letters')
  const causes = page.getByRole('grid', { name: 'Causes' })
  const cause = causes.getByRole('row', { name: /post\.parcels/ })
  await cause.first().getByRole('button', { name: 'Show messages' }).click()
  await page.getByRole('grid', { name: 'Dead letters' }).waitFor()
  expect(page.url()).toContain('outbox=post.parcels')
  await axe(page)
  await screenshot(page, 'dead-letters-light')
})

test('selected dead letters are counted, and replayed', async () => {
  await deadLetter()
  await deadLetter()
  const before = await dead()
  const page = await dashboard.open('/dead-letters?outbox=post.parcels')
  const boxes = page.getByRole('grid', { name: 'Dead letters' }).getByRole('checkbox')
  await boxes.nth(1).check()
  await page.getByRole('button', { name: 'Replay 1 selected' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 message matches.').waitFor()
  await dialog.getByLabel('Reason').fill('one of them')
  await axe(page)
  await screenshot(page, 'dead-letters-replay')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText(/^1 message replayed/).waitFor()
  // Refused again, it comes back: then there are as many as before.
  await expect.poll(dead, patient).toBe(before)
})

test('all that match are replayed, at a rate, and the audit keeps why', async () => {
  await deadLetter()
  const page = await dashboard.open('/dead-letters?outbox=post.parcels')
  await page.getByRole('button', { name: /Replay all \d+ matching/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Messages per second').fill('100')
  await dialog.getByLabel('Reason').fill('all of them')
  await dialog.getByRole('button', { name: /^Replay \d+$/ }).click()
  await page.getByText(/messages? replayed/).waitFor()
  await page.goto(`${dashboard.url}/audit?search=all%20of%20them`)
  await page
    .getByRole('gridcell', { name: /all of them/ })
    .first()
    .waitFor()
})

test('dead letters fit a phone, and where there are none it says so', async () => {
  const page = await dashboard.open('/dead-letters?outbox=example.greetings', { size: PHONE })
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('grid', { name: 'Causes' }).getByText('post.parcels').first().waitFor()
  await axe(page)
  await screenshot(page, 'dead-letters-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
})

test('members see neither', async () => {
  const page = await dashboard.open('/messages', { role: 'member', org: 'other' })
  await page.getByText('Messages is for operators').waitFor()
  expect(await page.getByRole('link', { name: 'Dead letters' }).count()).toBe(0)
})
