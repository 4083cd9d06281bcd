import { toMessage, uuid } from '@posthorn/engine'
import { SetAsideStore } from '@posthorn/engine/inbox'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()

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
  await page.getByRole('table', { name: 'Consumer groups' }).getByText('test.mails').waitFor()
  await page.getByRole('slider', { name: /^Not acknowledged/ }).waitFor()
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
