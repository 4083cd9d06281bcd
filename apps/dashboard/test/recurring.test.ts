import { transaction } from '@posthorn/engine'
import { listRecurring, runRecurring, searchAudit } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { chores, systems } from './example/chores.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const { database, open } = await openDashboard({ systems })
const { pool } = database

const report = async () => (await listRecurring(pool)).find(({ name }) => name === 'report')

test('recurring messages are seen and steered on the page of their outbox', async () => {
  const page = await open('/outboxes/house.chores')
  const section = page.getByRole('region', { name: 'Recurring' })
  const line = section.getByRole('article', { name: 'report' })
  await line.getByText('Monday to Friday at 06:00, Europe/Zurich').waitFor()
  await line.getByText(/^Next in .*Not enqueued yet$/).waitFor()
  await section
    .getByRole('article', { name: 'sweep' })
    .getByText(/Every hour\. Runs missed in an/)
    .waitFor()

  await line.getByRole('button', { name: 'Run now' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('a customer asked')
  await dialog.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('report is enqueued.').waitFor()
  await line.getByText(/Last .*, 1 in all$/).waitFor()
  const { lastMessage } = (await report()) ?? {}
  const link = line.getByRole('link', { name: 'message' })
  expect(await link.getAttribute('href')).toContain(lastMessage)

  await line.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByLabel('Reason').fill('month end')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await line.getByText(/^Paused by dev .*: month end/).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  await axe(page)
  await section.scrollIntoViewIfNeeded()
  await screenshot(page, 'recurring-light')

  await line.getByRole('button', { name: 'Resume' }).click()
  await dialog.getByText('one message is enqueued at once').waitFor()
  await dialog.getByLabel('Skip runs missed during the pause').check()
  await screenshot(page, 'recurring-resume-light')
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await line.getByRole('button', { name: 'Pause' }).waitFor()
  expect(await report()).toMatchObject({ paused: undefined, enqueued: 1 })
  const { items } = await searchAudit(pool, { kind: 'operation', outbox: 'house.chores' })
  expect(items).toMatchObject([
    { operation: 'resume-recurring', actor: 'dev', subject: 'report' },
    { operation: 'pause-recurring', reason: 'month end' },
    { operation: 'run-recurring', reason: 'a customer asked' },
  ])
})

test('a run that another operator was quicker with is refused, with a word about it', async () => {
  const page = await open('/outboxes/house.chores', { allowed: [/409/] })
  const line = page.getByRole('article', { name: 'sweep' })
  await line.getByRole('button', { name: 'Run now' }).click()
  const dialog = page.getByRole('dialog')
  await transaction(pool, (tx) => runRecurring(tx, chores, { name: 'sweep', by: 'bob' }))
  // The page knows of it, the person who reads the dialog does not.
  await line.getByText(/1 in all/).waitFor()
  await dialog.getByRole('button', { name: 'Run now' }).click()
  await dialog.getByRole('alert').getByText('bob ran it').waitFor()
  const { rows } = await pool.query(
    `select count(*)::int as n from posthorn.operation where subject = 'sweep'`,
  )
  expect(rows).toEqual([{ n: 1 }])
  await page.setViewportSize({ width: 390, height: 800 })
  await page.keyboard.press('Escape')
  await line.scrollIntoViewIfNeeded()
  await screenshot(page, 'recurring-phone')
})
