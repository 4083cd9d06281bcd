import { expect, test } from 'vitest'
import { testSystems } from './example/index.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ systems: await testSystems('sealed-letters.ts') })
const patient = { timeout: 60_000 }
const OUTBOX = 'test.sealed-letters'

const write = async (token: string) => {
  const body = { reader: 'ada', token }
  const { id } = (await dashboard.call('/api/v1/letters', { body })) as { id: string }
  return id
}

const reveals = async () => {
  const { items } = (await dashboard.call(`/api/v1/audit?outbox=${OUTBOX}`)) as {
    items: { operation?: string; actor?: string; reason?: string }[]
  }
  return items.filter(({ operation }) => operation === 'reveal')
}

test('an operator opens an encrypted payload with a reason, until the message is closed', async () => {
  const id = await write('the code is 4711')
  const page = await dashboard.open(`/messages?open=${OUTBOX}:${id}`)
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByRole('tab', { name: 'Payload' }).click(patient)
  await drawer.getByText('Stored encrypted.').waitFor()
  await drawer.getByText('(encrypted)').first().waitFor()
  await axe(page)
  await screenshot(page, 'message-encrypted')
  expect(await reveals()).toEqual([])

  await drawer.getByRole('button', { name: 'Reveal' }).click()
  const question = page.getByRole('dialog', { name: 'Show the payload of 1 message?' })
  await question.getByLabel('Reason').fill('complaint 12')
  await question.getByRole('button', { name: 'Reveal 1' }).click()
  await drawer.getByText('the code is 4711').first().waitFor(patient)
  await drawer.getByText('Stored encrypted, and decrypted for you.').waitFor()
  await axe(page)
  await screenshot(page, 'message-revealed')
  expect(await reveals()).toMatchObject([{ actor: 'dev', reason: 'complaint 12' }])

  await page.reload()
  await drawer.getByRole('tab', { name: 'Payload' }).click(patient)
  await drawer.getByText('Stored encrypted.').waitFor()
  expect(await drawer.getByText('the code is 4711').count()).toBe(0)
})
