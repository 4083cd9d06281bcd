import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { messages } from '../index.ts'
import {
  MESSAGES,
  sample,
  signHeaders,
  startApi,
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
  await pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message, messages.account, messages.sending_stop, messages.audit_event, posthorn.alert cascade; commit',
  )
})

const create = async (to: string, { org = 'acme', ...more }: Record<string, unknown> = {}) =>
  (await api.call('POST', MESSAGES, { body: { ...sample(to), ...more }, org: String(org) })).body.id
const show = async (id: string, org = 'acme') =>
  (await api.call('GET', `${MESSAGES}/${id}`, { org })).body
const fault = (order: object) => api.sim('POST', '/whatsapp/faults', order)
const requests = async () => (await api.sim('GET', '/whatsapp/requests'))['items'] as Resource[]
const alerts = async () => {
  const { rows } = await pool.query(
    `select subject, tenant, code, recovered_at is not null as recovered
       from posthorn.alert where source = 'messages.accounts' order by id`,
  )
  return rows
}
/** As the worker does it every ten seconds. */
const probe = async () => {
  const task = api.system.workers?.find(({ name }) => name === 'messages.account-probes')
  await task?.step(new AbortController().signal)
}
const admin = { role: 'operator' } as const
const secrets = {
  accessToken: 'token-of-umbrella',
  appSecret: 'app-secret-of-umbrella',
  verifyToken: 'verify-token-of-umbrella',
}
const addAccount = async (more: object = {}) => {
  const body = { name: 'Main', phoneNumberIds: ['2001', '2002'], ...secrets, ...more }
  return api.call('POST', ACCOUNTS, { org: 'umbrella', body, ...admin })
}
/** Has the simulated Meta know an account. */
const introduce = (account: Resource, accessToken = secrets.accessToken) =>
  api.sim('POST', '/whatsapp/accounts', {
    ...{ accessToken, appSecret: secrets.appSecret },
    ...{ phoneNumberIds: account['phoneNumberIds'], webhookPath: account['webhookPath'] },
  })

describe('an account that the provider refuses', () => {
  test('stops: its messages wait, nothing is charged, one alert is raised', async () => {
    await fault({ mode: 'error', status: 401, code: 190, times: 1 })
    const first = await create('+16505551201', { maxAttempts: 1 })
    await api.relay.runOnce()
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, n) => create(`+1650555${1_300 + n}`, { maxAttempts: 1 })),
    )
    await api.relay.runOnce()
    expect(await requests()).toHaveLength(1)
    expect(await show(first)).toMatchObject({ status: 'QUEUED', attemptCount: 0, errorCode: '190' })
    for (const id of others) {
      expect(await show(id)).toMatchObject({
        ...{ status: 'QUEUED', attemptCount: 0, errorCode: 'ACCOUNT_STOPPED' },
      })
    }
    expect(await alerts()).toEqual([
      { subject: 'whatsapp', tenant: null, code: '190', recovered: false },
    ])
    const { body } = await api.call<{ items: Resource[] }>('GET', ACCOUNTS)
    expect(body.items.find(({ id }) => id === 'whatsapp')).toMatchObject({
      stops: [{ code: '190', phoneNumberId: null }],
    })
    // Mail has an account of its own.
    const payloadJson = { subject: 's', text: 't' }
    const mail = await create('a@b.org', { channel: 'email', templateCode: undefined, payloadJson })
    await api.relay.runOnce()
    expect(await show(mail)).toMatchObject({ status: 'SENT' })
  })

  test('is probed with one message, and goes on with all once that is through', async () => {
    await fault({ mode: 'error', status: 403, code: 131_042, times: 2 })
    const ids = [await create('+16505551201')]
    await api.relay.runOnce()
    ids.push(await create('+16505551202'), await create('+16505551203'))
    await api.relay.runOnce()
    const due = () => pool.query(`update messages.sending_stop set probe_at = now()`)
    await probe()
    await api.relay.runOnce()
    expect(await requests(), 'not before its time').toHaveLength(1)
    await due()
    await probe()
    await api.relay.runOnce()
    // It met the same again: the others still wait, and it cost no attempt.
    expect(await requests()).toHaveLength(2)
    await due()
    await probe()
    await api.relay.runOnce()
    await api.relay.runOnce()
    expect(await requests()).toHaveLength(5)
    for (const id of ids) expect(await show(id)).toMatchObject({ attemptCount: 1, errorCode: null })
    expect(await alerts()).toMatchObject([{ code: '131042', recovered: true }])
  })

  test('goes on at once with other credentials in the settings', async () => {
    await fault({ mode: 'error', status: 401, code: 190, times: 1 })
    const id = await create('+16505551201')
    await api.relay.runOnce()
    await pool.query(`update messages.sending_stop set credentials = 'of the token before'`)
    const other = await create('+16505551202')
    await api.relay.runOnce()
    expect(await show(other)).toMatchObject({ attemptCount: 1, errorCode: null })
    await probe()
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ attemptCount: 1, errorCode: null })
    expect(await alerts()).toMatchObject([{ recovered: true }])
  })

  test('goes on when the platform resumes it, and not when another does', async () => {
    await fault({ mode: 'error', status: 401, code: 190, times: 1 })
    const id = await create('+16505551201')
    await api.relay.runOnce()
    const path = `${ACCOUNTS}/whatsapp/resume`
    expect((await api.call('POST', path)).status).toBe(403)
    expect((await api.call('POST', path, { role: 'operator' })).status).toBe(403)
    const { status, body } = await api.call('POST', path, { role: 'platform' })
    expect([status, body['resumed']]).toEqual([200, true])
    await api.relay.runOnce()
    expect(await show(id)).toMatchObject({ attemptCount: 1, errorCode: null })
    expect((await api.call('POST', `${ACCOUNTS}/nothing/resume`, admin)).status).toBe(404)
    const noId = 'a'.repeat(36)
    expect((await api.call('POST', `${ACCOUNTS}/${noId}/resume`, admin)).status).toBe(400)
  })

  test('by one of its numbers alone leaves the others', async () => {
    const { body: account } = await addAccount()
    await introduce(account)
    await fault({ mode: 'error', status: 400, code: 133_010, times: 1 })
    const numbers = Array.from({ length: 20 }, (_, n) => `+1650555${1_400 + n}`)
    const first = await create(numbers[0] ?? '', { org: 'umbrella' })
    await api.relay.runOnce()
    const others = []
    for (const to of numbers.slice(1)) others.push(await create(to, { org: 'umbrella' }))
    await api.relay.runOnce()
    await api.relay.runOnce()
    const codes = await Promise.all(
      others.map(async (id) => (await show(id, 'umbrella'))['errorCode']),
    )
    expect(new Set(codes)).toEqual(new Set([null, 'ACCOUNT_STOPPED']))
    expect(await alerts()).toMatchObject([{ tenant: 'umbrella', code: '133010' }])
    await pool.query(`update messages.sending_stop set probe_at = now()`)
    await probe()
    // One by itself, then the rest, ten at a time.
    for (let i = 0; i < 4; i += 1) await api.relay.runOnce()
    for (const id of [first, ...others]) {
      expect(await show(id, 'umbrella')).toMatchObject({ attemptCount: 1, errorCode: null })
    }
  })
})

describe("an organisation's account", () => {
  test('sends its messages by its own token and numbers, and hears of them by its own webhook', async () => {
    const { status, body: account } = await addAccount()
    expect(status).toBe(201)
    expect(JSON.stringify(account)).not.toMatch(/token-of|secret-of/)
    await introduce(account)
    const id = await create('+16505551234', { org: 'umbrella' })
    const elsewhere = await create('+16505551234')
    await api.relay.runOnce()
    await expect.poll(async () => (await show(id, 'umbrella')).status).toBe('DELIVERED')
    expect(await show(id, 'umbrella')).toMatchObject({ accountId: account.id })
    expect(await show(elsewhere)).toMatchObject({ accountId: null })
    const paths = (await requests()).map(({ path }) => String(path).split('/').at(-2))
    expect(paths).toEqual(expect.arrayContaining(['106540352242922']))
    expect(paths.some((number) => number === '2001' || number === '2002')).toBe(true)
    const { rows } = await pool.query('select * from messages.account')
    expect(JSON.stringify(rows)).not.toMatch(/of-umbrella/)
  })

  test('is chosen by name, and only from its own organisation', async () => {
    const { body: first } = await addAccount()
    const { body: second } = await addAccount({ name: 'Second', phoneNumberIds: ['3001'] })
    const of = async (more: object) =>
      (await show(await create('+16505551234', { org: 'umbrella', ...more }), 'umbrella'))[
        'accountId'
      ]
    expect(await of({})).toBe(first.id)
    expect(await of({ accountId: second.id })).toBe(second.id)
    const body = { ...sample(), accountId: first.id }
    const refused = await api.call('POST', MESSAGES, { body })
    expect(refused.status).toBe(400)
    expect(refused.body['errors']).toMatchObject([{ field: 'accountId' }])
    expect(
      (await api.call('PATCH', `${ACCOUNTS}/${first.id}`, { body: {}, ...admin })).status,
    ).toBe(404)
    const taken = await addAccount()
    expect(taken).toMatchObject({ status: 409, body: { code: 'ACCOUNT_NAME_TAKEN' } })
    const listed = await api.call<{ items: Resource[] }>('GET', ACCOUNTS)
    expect(listed.body.items.map(({ id }) => id)).toEqual(['whatsapp', 'email'])
  })

  test('that was stopped goes on with a new token, and is deleted when nothing waits', async () => {
    const { body: account } = await addAccount()
    await introduce(account, 'the-new-token')
    const id = await create('+16505551234', { org: 'umbrella' })
    const other = await create('+16505551234')
    await api.relay.runOnce()
    expect(await show(id, 'umbrella')).toMatchObject({ attemptCount: 0, errorCode: '190' })
    expect(await show(other)).toMatchObject({ attemptCount: 1 })
    const path = `${ACCOUNTS}/${account.id}`
    const options = { org: 'umbrella', ...admin }
    expect((await api.call('DELETE', path, options)).status).toBe(409)
    const body = { accessToken: 'the-new-token' }
    expect((await api.call('PATCH', path, { body, org: 'umbrella' })).status).toBe(403)
    expect((await api.call('PATCH', path, { body, ...options })).status).toBe(200)
    await api.relay.runOnce()
    await expect.poll(async () => (await show(id, 'umbrella')).status).toBe('DELIVERED')
    expect((await api.call('DELETE', path, options)).status).toBe(204)
    const { rows } = await pool.query(
      `select action, actor from messages.audit_event where entity_type = 'ACCOUNT' order by seq`,
    )
    expect(rows.map(({ action }) => action)).toEqual(['CREATED', 'UPDATED', 'RESUMED', 'DELETED'])
  })

  test("'s webhook takes its own signature and token, and speaks of its own messages only", async () => {
    const { body: account } = await addAccount()
    const hook = `${api.url}${String(account['webhookPath'])}`
    const post = async (body: unknown, secret: string) => {
      const headers = { 'content-type': 'application/json', ...signHeaders(body, secret) }
      return (await fetch(hook, { method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    await api.sim('PUT', '/whatsapp/behaviour', { drop: ['sent', 'delivered', 'read', 'failed'] })
    const id = await create('+16505551234')
    await api.relay.runOnce()
    const wamid = String((await show(id))['providerMessageId'])
    const body = webhookWith({ id: wamid, status: 'delivered', opaque: `${id}:1` })
    expect(await post(body, 'simulated-app-secret')).toBe(401)
    expect(await post(body, secrets.appSecret)).toBe(200)
    expect(await show(id), 'of another organisation').toMatchObject({ status: 'SENT' })
    const ask = async (token: string, at = hook) => {
      const query = `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token}`
      return (await fetch(`${at}?${query}`)).status
    }
    expect(await ask(secrets.verifyToken)).toBe(200)
    expect(await ask('simulated-verify-token')).toBe(403)
    const missing = hook.replace(account.id, '01890a5d-ac96-774b-bcce-b302099a8057')
    expect(await ask(secrets.verifyToken, missing)).toBe(403)
    // What lets unsigned webhooks of the default account in does not hold for this one.
    const lax = await startApi(database, { WHATSAPP_ALLOW_UNSIGNED: 'true' })
    const headers = { 'content-type': 'application/json' }
    const unsigned = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${lax.url}${String(account['webhookPath'])}`, unsigned)
    await lax.close()
    expect(answer.status).toBe(401)
  })
})

test('an account that cannot be opened holds up no other', async () => {
  const { body: account } = await addAccount()
  await pool.query(`update messages.account set access_token = 's1.broken' where id = $1`, [
    account.id,
  ])
  const [broken, other] = [
    await create('+16505551234', { org: 'umbrella' }),
    await create('+16505551235'),
  ]
  await api.relay.runOnce()
  expect(await show(broken, 'umbrella')).toMatchObject({
    ...{ status: 'QUEUED', attemptCount: 0, errorCode: 'ACCOUNT_UNREADABLE' },
  })
  expect(await show(other)).toMatchObject({ attemptCount: 1 })
})
