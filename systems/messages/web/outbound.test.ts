import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { messages } from '../index.ts'
import { accountWebhook, signHeaders } from '../testing/api.ts'

const dashboard = await openDashboard({
  systems: [messages],
  env: { OUTBOUND_WORKER_POLL_INTERVAL_MS: '500' },
})
const patient = { timeout: 60_000 }
const MESSAGES = '/api/v1/outbound/messages'

interface Message {
  readonly id: string
  readonly status: string
}

function send(to: string, more: object = {}): Promise<Message> {
  const body = {
    ...{ channel: 'whatsapp', to, templateCode: 'otp_code' },
    ...{ payloadJson: { language: 'en_US', parameters: ['4711'] }, ...more },
  }
  return dashboard.call(MESSAGES, { body }) as Promise<Message>
}

async function untilState(id: string, status: string): Promise<void> {
  const stateOf = async () => ((await dashboard.call(`${MESSAGES}/${id}`)) as Message).status
  await expect.poll(stateOf, patient).toBe(status)
}

const standsAt = (page: Page, state: string) =>
  page
    .getByRole('list', { name: 'Timeline' })
    .locator('[aria-current=step]', { hasText: state })
    .waitFor(patient)

const toField = (form: Locator) => form.getByRole('textbox', { name: 'To', exact: true })

test('an empty page says how it is filled', async () => {
  const page = await dashboard.open('/outbound', { org: 'nobody', role: 'member' })
  await page.getByText('No messages yet').waitFor()
  await page.goto(`${dashboard.url}/outbound?status=FAILED`)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('button', { name: 'Send a message' }).click()
  await toField(page.getByRole('dialog')).waitFor()
  await axe(page)
})

test('a failed message shows why', async () => {
  const refused = await send('+16505550047')
  await untilState(refused.id, 'FAILED')
  await send('+16505551234')
  const page = await dashboard.open('/outbound')
  await page.getByRole('gridcell', { name: '+16505551234' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'outbound-light')
  await page.goto(`${dashboard.url}/outbound?open=${refused.id}`)
  const drawer = page.getByRole('dialog')
  await standsAt(page, 'FAILED')
  await drawer.getByText('Send an approved template').first().waitFor()
  await drawer.getByText('Attempt 1: failed').waitFor()
  await drawer.getByText('FAILED by OUTBOUND_WORKER').waitFor()
  await axe(page)
  await screenshot(page, 'outbound-message-light')
})

test('a message is sent from the form and followed until it arrived', async () => {
  const page = await dashboard.open('/outbound')
  await page.getByRole('button', { name: 'Send a message' }).click()
  const form = page.getByRole('dialog', { name: 'Send 1 message' })
  await toField(form).fill('+16505551111')
  await form.getByLabel('Template').fill('appointment_reminder')
  await form.getByLabel('Parameters').fill('Monday\n10:00')
  await axe(page)
  await screenshot(page, 'outbound-form-light')
  await form.getByRole('button', { name: 'Send 1 message' }).click()
  await page.getByText('Message to +16505551111 queued.').waitFor()
  await standsAt(page, 'DELIVERED')
  await page.getByText('Delivered.', { exact: true }).waitFor()
})

test('what the server refuses is said in the form, which stays', async () => {
  const page = await dashboard.open('/outbound', { allowed: [/400/] })
  await page.getByRole('button', { name: 'Send a message' }).click()
  const form = page.getByRole('dialog', { name: 'Send 1 message' })
  await toField(form).fill('not a number')
  await form.getByLabel('Template').fill('otp_code')
  await form.getByRole('button', { name: 'Send 1 message' }).click()
  await form.getByRole('alert').getByText('VALIDATION_FAILED').waitFor()
  expect(await toField(form).inputValue()).toBe('not a number')
})

test('mail is sent too, and ends as sent', async () => {
  const page = await dashboard.open('/outbound')
  await page.getByRole('button', { name: 'Send a message' }).click()
  const form = page.getByRole('dialog', { name: 'Send 1 message' })
  await form.getByRole('combobox', { name: 'Channel' }).click()
  await page.getByRole('option', { name: 'email' }).click()
  await toField(form).fill('ann@example.com')
  await form.getByLabel('Subject').fill('Hello')
  await form.getByRole('textbox', { name: 'Text' }).fill('Good morning.')
  await form.getByRole('button', { name: 'Send 1 message' }).click()
  await standsAt(page, 'SENT')
  await page.getByText('mail has no delivery reports').waitFor()
})

test('what failed is sent again, what waits is cancelled', async () => {
  const { id } = await send('+16505550047')
  await untilState(id, 'FAILED')
  const outbox = '/api/v1/outboxes/messages.outbound'
  await dashboard.call(`${outbox}/pause`, { body: {} })
  const page = await dashboard.open(`/outbound?open=${id}`)
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('button', { name: 'Send message again' }).click()
  await page.getByText('queued again.').waitFor()
  await standsAt(page, 'QUEUED')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel message' }).click()
  await standsAt(page, 'CANCELLED')
  await dashboard.call(`${outbox}/resume`, { method: 'POST' })
})

test('a dossier decides what is sent', async () => {
  const dossier = 'case.7'
  const page = await dashboard.open('/outbound', { allowed: [/403/, /404/] })
  await page.getByRole('textbox', { name: 'Dossier' }).fill(dossier)
  await page.getByRole('button', { name: 'Open dossier' }).click()
  await page.getByText('No consent and no messages so far').waitFor()
  await page.getByRole('button', { name: 'Send a message' }).click()
  const form = page.getByRole('dialog', { name: 'Send 1 message' })
  await toField(form).fill('+16505551234')
  await form.getByLabel('Template').fill('hello_world')
  await form.getByRole('button', { name: 'Send 1 message' }).click()
  await form.getByRole('alert').getByText('CONSENT_REQUIRED').waitFor()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Grant whatsapp' }).click()
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  await page.getByText('Consent for whatsapp is granted.').waitFor()
  const { id } = await send('+16505551234', { dossierId: dossier })
  await untilState(id, 'DELIVERED')
  await page.getByText('The provider reports: delivered.').waitFor(patient)
  await page.reload()
  await page.getByText('BLOCKED_BY_POLICY by dev').waitFor()
  await axe(page)
  await screenshot(page, 'dossier-light')
  await page.getByRole('button', { name: 'Withdraw whatsapp' }).click()
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
  await page.getByText('Consent for whatsapp withdrawn').waitFor()
  await page.getByRole('link', { name: 'Open message' }).first().click()
  await standsAt(page, 'DELIVERED')
})

test('a message of another organisation is not found', async () => {
  const { id } = await send('+16505551234')
  const page = await dashboard.open(`/outbound?open=${id}`, {
    ...{ org: 'other', role: 'member', allowed: [/404/] },
  })
  await page.getByRole('dialog').getByText('NOT_FOUND').waitFor()
})

test('fits a phone', async () => {
  const { id } = await send('+16505550047')
  await untilState(id, 'FAILED')
  const page = await dashboard.open('/outbound', { size: { width: 390, height: 844 } })
  await page.getByRole('gridcell', { name: '+16505550047' }).first().waitFor()
  await screenshot(page, 'outbound-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.getByRole('gridcell', { name: '+16505550047' }).first().click()
  await standsAt(page, 'FAILED')
  await axe(page)
  await screenshot(page, 'outbound-message-phone')
})

test('a template is imported, and its messages are checked', async () => {
  const brand = { org: 'brand', role: 'operator' } as const
  const secret = 'a-secret-of-the-brand'
  await dashboard.call('/api/v1/outbound/accounts', {
    ...brand,
    body: {
      ...{ name: 'The brand', phoneNumberIds: ['3001'] },
      ...{ accessToken: secret, appSecret: secret, verifyToken: secret },
    },
  })
  const page = await dashboard.open('/outbound/templates', { ...brand, allowed: [/400/] })
  await page.getByRole('button', { name: 'Import' }).click()
  const importing = page.getByRole('dialog')
  const account = importing.getByRole('combobox', { name: 'Account' })
  await expect.poll(() => account.inputValue(), patient).toBe('The brand')
  await importing.getByRole('button', { name: 'Import' }).click()
  await importing.getByRole('alert').getByText('has no business account id').waitFor(patient)
  await account.click()
  await page.getByRole('option', { name: 'Default account for whatsapp' }).click()
  await axe(page)
  await screenshot(page, 'templates-import-light')
  await importing.getByRole('button', { name: 'Import' }).click()
  await page.getByText('6 templates imported.').waitFor(patient)
  await page.getByRole('gridcell', { name: 'login_code' }).waitFor(patient)
  await axe(page)
  await screenshot(page, 'templates-light')
  await page.getByRole('gridcell', { name: 'login_code' }).click()
  await page.getByText('the code in its button, by itself').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Register a template' }).click()
  const form = page.getByRole('dialog', { name: 'Register a template' })
  await form.getByLabel('Name').fill('shipped')
  await form.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Template shipped registered.').waitFor()
  await page.getByRole('link', { name: 'Outbound messages', exact: true }).last().click()
  await page.getByRole('button', { name: 'Send a message' }).click()
  const message = page.getByRole('dialog', { name: 'Send 1 message' })
  await toField(message).fill('+16505551112')
  await message.getByLabel('Template').fill('shipped')
  await message.getByLabel('Parameters').fill('Ada')
  await message.getByRole('button', { name: 'Send 1 message' }).click()
  await message.getByRole('alert').getByText('must have 2 values, not 1').waitFor()
})

test('an account is added and changed, and says why it is stopped', async () => {
  const shop = { org: 'shop', role: 'operator' } as const
  const page = await dashboard.open('/outbound/accounts', shop)
  await page.getByRole('button', { name: 'Add an account' }).click()
  const form = page.getByRole('dialog', { name: 'Add a WhatsApp account' })
  await form.getByLabel('Name').fill('The shop')
  await form.getByLabel('Phone number ids').fill('2001, 2002')
  for (const name of ['Access token', 'App secret', 'Verify token']) {
    await form.getByLabel(name).fill('a-secret-of-the-shop')
  }
  await axe(page)
  await form.getByRole('button', { name: 'Add account' }).click()
  await page.getByText('Account The shop saved.').waitFor()
  await page.getByRole('heading', { name: 'The shop' }).waitFor()
  // WhatsApp does not know its token.
  const body = {
    ...{ channel: 'whatsapp', to: '+16505551113', templateCode: 'hello_world', payloadJson: {} },
  }
  const { id } = (await dashboard.call(MESSAGES, { ...shop, body })) as Message
  const stopped = async () =>
    ((await dashboard.call(`${MESSAGES}/${id}`, shop)) as Record<string, unknown>)['errorCode']
  await expect.poll(stopped, patient).toBe('190')
  await page.reload()
  await page.getByText('Nothing is sent by this account').waitFor(patient)
  const { items } = (await dashboard.call('/api/v1/outbound/accounts', shop)) as {
    items: { webhookPath: string }[]
  }
  const ban = { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'July 3, 2026' }
  const bytes = JSON.stringify(
    accountWebhook('account_update', { event: 'DISABLED_UPDATE', ban_info: ban }),
  )
  const told = await fetch(`${dashboard.url}${items[0]?.webhookPath}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signHeaders(bytes, 'a-secret-of-the-shop'),
    },
    body: bytes,
  })
  expect(told.status).toBe(200)
  await page.reload()
  await page
    .getByText('Account update: DISABLED_UPDATE, SCHEDULE_FOR_DISABLE, July 3, 2026')
    .waitFor(patient)
  await axe(page)
  await screenshot(page, 'accounts-light')
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'accounts-phone')
  // What slides in or out while the width changes may be beside the page for a moment.
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  await expect.poll(width).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Resume sending' }).click()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText('Sending resumed.').waitFor()
})

test('a viewer is told why the button does nothing', async () => {
  const page = await dashboard.open('/outbound', { role: 'viewer' })
  const button = page.getByRole('button', { name: 'Send a message', disabled: true }).first()
  await button.waitFor()
  await expect
    .poll(async () => button.getAttribute('aria-description'))
    .toMatch(/^Your role, viewer/)
})

test('the operators’ page of a message says under which id the provider took it', async () => {
  const { id } = (await dashboard.call('/api/v1/outbound/messages', {
    body: {
      ...{ channel: 'whatsapp', to: '+16505551234', templateCode: 'hello_world' },
      payloadJson: { language: 'en_US', parameters: [] },
    },
    headers: { 'idempotency-key': 'operators-page' },
  })) as { id: string }
  const read = () => dashboard.call(`/api/v1/outbound/messages/${id}`)
  await expect.poll(read, { timeout: 60_000 }).toMatchObject({ status: 'DELIVERED' })
  const page = await dashboard.open(`/messages?open=messages.outbound:${id}`)
  const drawer = page.getByRole('dialog', { name: 'Message' })
  await drawer.getByText(/^Arrived in .* \(id wamid/).waitFor()
})
