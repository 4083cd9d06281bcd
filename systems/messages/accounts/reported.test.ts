import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { messages } from '../index.ts'
import {
  accountWebhook,
  MESSAGES,
  sample,
  signHeaders,
  startApi,
  webhookOf,
  webhookWith,
  type Resource,
  type TestApi,
} from '../testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const { pool } = database
const ACCOUNTS = '/api/v1/outbound/accounts'
let api: TestApi

beforeAll(async () => {
  api = await startApi(database)
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.sim('DELETE', '/whatsapp')
  const drop = ['sent', 'delivered', 'read', 'failed']
  await api.sim('PUT', '/whatsapp/behaviour', { drop })
  await pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message, messages.sending_stop, messages.account_notice, messages.template, posthorn.alert cascade; commit',
  )
})

const show = async (id: string) => (await api.call('GET', `${MESSAGES}/${id}`)).body
/** Creates a message, and has the worker look at it. */
const send = async (to: string) => {
  const { body } = await api.call('POST', MESSAGES, { body: sample(to) })
  await api.relay.runOnce()
  return show(body.id)
}
const report = async (message: Resource, status: string, code?: number) => {
  const id = String(message['providerMessageId'])
  const bytes = webhookWith({ id, status, ...(code !== undefined && { code }) })
  expect(await api.webhook(bytes)).toBe(200)
}
const accountOf = async (id = 'whatsapp') => {
  const asked = { role: 'platform' } as const
  const { body } = await api.call<{ items: Resource[] }>('GET', ACCOUNTS, asked)
  return body.items.find((each) => each.id === id)
}
const alerts = async () => {
  const { rows } = await pool.query(
    `select subject, code, recovered_at is not null as recovered
       from posthorn.alert where source = 'messages.accounts' order by id`,
  )
  return rows
}
const probe = async () => {
  await pool.query(`update messages.sending_stop set probe_at = now()`)
  const task = api.system.workers?.find(({ name }) => name === 'messages.account-probes')
  await task?.step(new AbortController().signal)
  await api.relay.runOnce()
}

describe('an error of the account that comes as a report', () => {
  test('stops the account until a report says that a message went', async () => {
    const first = await send('+16505551201')
    expect(first.status).toBe('SENT')
    await report(first, 'failed', 131_042)
    expect(await show(first.id)).toMatchObject({ status: 'FAILED', errorCode: '131042' })
    expect(await accountOf()).toMatchObject({ stops: [{ code: '131042', phoneNumberId: null }] })
    expect(await alerts()).toEqual([{ subject: 'whatsapp', code: '131042', recovered: false }])

    const second = await send('+16505551202')
    const third = await send('+16505551203')
    expect(second).toMatchObject({ status: 'QUEUED', errorCode: 'ACCOUNT_STOPPED' })
    await probe()
    const [probed, held] = [await show(second.id), await show(third.id)]
    expect([probed.status, held.status], 'that it was taken proves nothing').toEqual([
      'SENT',
      'QUEUED',
    ])
    await report(probed, 'failed', 131_042)
    await probe()
    expect(await accountOf()).toMatchObject({ stops: [{ code: '131042' }] })
    await report(await show(third.id), 'sent')
    expect(await accountOf()).toMatchObject({ stops: [] })
    expect(await alerts()).toEqual([{ subject: 'whatsapp', code: '131042', recovered: true }])

    await report(first, 'failed', 131_042)
    expect(await accountOf(), 'a repeat says nothing new').toMatchObject({ stops: [] })
  })

  test('of one number stops that number', async () => {
    await report(await send('+16505551201'), 'failed', 131_048)
    expect(await accountOf()).toMatchObject({
      stops: [{ code: '131048', phoneNumberId: '106540352242922' }],
    })
  })

  test('of one message stops nothing', async () => {
    await report(await send('+16505551201'), 'failed', 131_026)
    expect(await accountOf()).toMatchObject({ stops: [] })
  })
})

describe('what WhatsApp says about an account', () => {
  const noticesOf = async (id?: string) => (await accountOf(id))?.['notices']
  const register = async (org: string) => {
    const components = [{ type: 'BODY', text: 'Your order is on its way.' }]
    const body = { category: 'UTILITY', components }
    const path = '/api/v1/outbound/templates/order_shipped/en_US'
    expect((await api.call('PUT', path, { body, org, role: 'operator' })).status).toBe(201)
    return async () => (await api.call('GET', path, { org })).body.status
  }
  const paused = {
    ...{ event: 'PAUSED', message_template_id: 7, message_template_name: 'order_shipped' },
    ...{ message_template_language: 'en-US', reason: 'NONE' },
    other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours.' },
  }

  test('is shown, once and with its reason', async () => {
    const banned = {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'July 3, 2026' },
    }
    const quality = {
      ...{ display_phone_number: '15550783881', event: 'FLAGGED', current_limit: 'TIER_10K' },
    }
    for (const [field, value] of [
      ['account_update', banned],
      ['phone_number_quality_update', quality],
      ['account_update', banned],
    ] as const) {
      expect(await api.webhook(accountWebhook(field, value))).toBe(200)
    }
    expect(await noticesOf()).toMatchObject([
      { field: 'phone_number_quality_update', event: 'FLAGGED', subject: '15550783881' },
      { field: 'account_update', event: 'DISABLED_UPDATE', detail: 'DISABLE, July 3, 2026' },
    ])
    // Of the account that all organisations share, each would see the others' templates.
    const { body } = await api.call<{ items: Resource[] }>('GET', ACCOUNTS)
    expect(body.items.map(({ notices }) => notices)).toEqual([[], []])
  })

  test('about a template holds for its messages, in any order of arrival', async () => {
    const statusOf = await register('acme')
    const told = (event: string, time: number) =>
      api.webhook(accountWebhook('message_template_status_update', { ...paused, event }, time))
    await told('PAUSED', 1_769_000_200)
    expect(await statusOf()).toBe('PAUSED')
    expect(await noticesOf()).toMatchObject([
      { event: 'PAUSED', subject: 'order_shipped (en_US)', detail: 'Paused for 3 hours.' },
    ])
    await told('REINSTATED', 1_769_000_400)
    await told('DISABLED', 1_769_000_300)
    expect(await statusOf()).toBe('APPROVED')
    await told('FLAGGED', 1_769_000_500)
    expect(await statusOf(), 'flagged, it can still be sent').toBe('APPROVED')
  })

  test('by its own webhook is the organisation’s, and no other’s', async () => {
    const statusOf = await register('acme')
    const secrets = {
      accessToken: 'token-12345',
      appSecret: 'secret-12345',
      verifyToken: 'verify-1',
    }
    const body = { name: 'Main', phoneNumberIds: ['2001'], ...secrets }
    const add = { org: 'umbrella', body, role: 'operator' } as const
    const { body: account } = await api.call(`POST`, ACCOUNTS, add)
    const bytes = JSON.stringify(accountWebhook('message_template_status_update', paused))
    const response = await fetch(`${api.url}${String(account['webhookPath'])}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signHeaders(bytes, secrets.appSecret) },
      body: bytes,
    })
    expect(response.status).toBe(200)
    expect(await statusOf()).toBe('APPROVED')
    expect(await noticesOf()).toEqual([])
    const own = await api.call<{ items: Resource[] }>('GET', ACCOUNTS, { org: 'umbrella' })
    expect(own.body.items[0]).toMatchObject({ notices: [{ event: 'PAUSED' }] })
  })

  test('as an error is shown, and stops the account where an answer would', async () => {
    const error = (code: number) => ({
      errors: [{ code, title: 'No', message: 'No', error_data: { details: 'See the terms.' } }],
    })
    expect(await api.webhook(webhookOf(error(131_000)))).toBe(200)
    expect(await accountOf()).toMatchObject({ stops: [] })
    expect(await api.webhook(webhookOf(error(131_042)))).toBe(200)
    expect(await accountOf()).toMatchObject({
      stops: [{ code: '131042', reason: 'See the terms.' }],
      notices: [
        { field: 'errors', event: '131042', detail: 'See the terms.' },
        { field: 'errors', event: '131000', subject: '106540352242922' },
      ],
    })
  })
})
