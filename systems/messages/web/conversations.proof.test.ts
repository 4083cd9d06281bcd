import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { messagesWith } from '../index.ts'

/** Events for customers' webhooks. */
const notified: string[] = []
const dashboard = await openDashboard({
  systems: [messagesWith({ notify: async (_tx, { type }) => notified.push(type) })],
  env: { OUTBOUND_WORKER_POLL_INTERVAL_MS: '500' },
})
const patient = { timeout: 60_000 }
const MESSAGES = '/api/v1/outbound/messages'

/** A template that has arrived, and the provider's id of it. */
async function sendTemplate(to: string, more: object = {}): Promise<string> {
  const body = {
    ...{ channel: 'whatsapp', to, templateCode: 'appointment_reminder', ...more },
    payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
  }
  const { id } = (await dashboard.call(MESSAGES, { body })) as { id: string }
  const show = () =>
    dashboard.call(`${MESSAGES}/${id}`) as Promise<{ status: string; providerMessageId: string }>
  await expect.poll(async () => (await show()).status, patient).toBe('DELIVERED')
  return (await show()).providerMessageId
}

const write = (body: object) => dashboard.call('/sim/whatsapp/inbound', { body })

test('an empty page says how it is filled', async () => {
  const page = await dashboard.open('/conversations', { org: 'nobody', role: 'member' })
  await page.getByText('A conversation begins when a person writes.').waitFor()
  await axe(page)
})

test('a template goes out, a reply comes in, an answer goes back, STOP ends it', async () => {
  const to = '+16505551234'
  const dossier = 'case.12'
  const consent = { granted: true, source: 'paper', proof: 'form 12' }
  const consents = `/api/v1/dossiers/${dossier}/consents`
  await dashboard.call(`${consents}/whatsapp`, { method: 'PUT', body: consent })
  const replyTo = await sendTemplate(to, { dossierId: dossier })
  const page = await dashboard.open('/conversations', { allowed: [/403/] })
  await write({ from: to, text: 'Yes, I will come. Where is it?', name: 'Ada Lovelace', replyTo })
  // The page hears of it by itself.
  await page.getByRole('link', { name: /Ada Lovelace/ }).click(patient)
  const thread = page.getByRole('region', { name: 'Messages' })
  await thread.getByText('Yes, I will come. Where is it?').waitFor()
  await thread.getByText('Monday, 10:00').waitFor()
  await thread.getByText('answers a message of yours').waitFor()
  await page.getByText(/^Open until/).waitFor()
  expect(notified).toEqual(['message.received'])
  await page.getByLabel('Answer').fill('At 12 Station Road, first floor.')
  await page.getByRole('button', { name: 'Send answer' }).click()
  await page.getByText(`Answer to ${to} queued.`).waitFor()
  const own = thread.getByRole('listitem').filter({ hasText: 'At 12 Station Road' })
  await own.getByText(/^Read/).waitFor(patient)
  await axe(page)
  await screenshot(page, 'conversation-light')

  await write({ from: to, text: 'Stop', name: 'Ada Lovelace' })
  await page.getByText('This person wants no more messages').waitFor(patient)
  await page.getByText('Withdrawn for whatsapp, the person wrote it.').waitFor()
  await axe(page)
  await screenshot(page, 'conversation-stopped-light')
  const body = { channel: 'whatsapp', to, templateCode: 'hello_world', payloadJson: {} }
  await expect(dashboard.call(MESSAGES, { body })).rejects.toThrow('RECIPIENT_OPTED_OUT')

  await page.getByRole('link', { name: `Dossier ${dossier}` }).click()
  await page.getByText('Granted for whatsapp, on paper.').waitFor()
  await page.getByText('Proof: form 12').waitFor()
  await axe(page)
  await screenshot(page, 'dossier-consents-light')
  await page.goBack()
  await page.getByRole('button', { name: 'Note a new consent' }).click()
  await page.getByLabel('Reason').fill('Asked for it by phone, note 14')
  await page.getByRole('button', { name: 'Note consent' }).click()
  await page.getByLabel('Answer').waitFor(patient)
})

test('a session that is over leaves templates only, and a phone shows one thing at a time', async () => {
  const to = '+16505552345'
  await sendTemplate(to)
  await write({ from: to, text: 'Hello', name: 'Grace' })
  const size = { width: 390, height: 844 }
  const page = await dashboard.open('/conversations', { size })
  await page.getByRole('link', { name: /Grace/ }).waitFor(patient)
  await screenshot(page, 'conversations-phone')
  await page.getByRole('link', { name: /Grace/ }).click()
  await page.getByLabel('Answer').waitFor()
  await screenshot(page, 'conversation-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await axe(page)
  await dashboard.call('/sim/clock/advance', { body: { by: '25h' } })
  await page.reload()
  await page.getByText('Free text cannot be sent now').waitFor()
  await page.getByText(/^Closed since .*only templates/).waitFor()
  await screenshot(page, 'conversation-closed-phone')
  await page.getByRole('link', { name: 'All conversations' }).click()
  await page.getByRole('link', { name: /Grace/ }).waitFor()
})

test('the simulated WhatsApp has people who write', async () => {
  const page = await dashboard.open('/simulators/whatsapp')
  await page.getByLabel('Number').fill('+16505551234')
  await page.getByLabel('Words').fill('Good evening')
  await page.getByRole('button', { name: 'Write' }).click()
  await page.getByText('+16505551234 wrote.').waitFor()
  await axe(page)
})
