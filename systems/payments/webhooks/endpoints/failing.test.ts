import { advanceClock, listAlerts } from '@posthorn/operate'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { openReceiver } from '../../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../../testing/running-webhooks.ts'
import { findEventType, schemaOf } from '../event-types/catalogue.ts'
import { tallyEndpoints } from '../maintenance.ts'

const db = await webhookDatabase()
const open = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const broken = new Set<string>()
const receiver = await openReceiver((response, { path }) => {
  response.writeHead(broken.has(path) ? 500 : 200).end()
})
const PATH = '/api/v1/webhook-endpoints'
const DAYS = 4

/** An event for everyone, and a day. */
async function passDay(org: string) {
  await open.announce({ org })
  await open.settle()
  await tallyEndpoints(db.pool, DAYS)
  await advanceClock(db.pool, '24h')
}

test('an endpoint that only fails for days is disabled, with a warning before', async () => {
  const org = 'failing'
  const client = await open.as({ org })
  broken.add('/broken?key=hush')
  const once = { retry: { waits: [1], attempts: 1 } }
  const { id } = await client.endpoint(`${receiver.url}/broken?key=hush`, once)
  await client.endpoint(`${receiver.url}/watch`, { eventTypes: ['webhook_endpoint.*'] })
  const alerts = async () =>
    (await listAlerts(db.pool, { tenant: org })).items
      .filter(({ source }) => source === 'payments.webhook-endpoints')
      .map(({ code, state }) => `${code} ${state}`)
  const status = async () => (await client.get(`${PATH}/${id}`)).body.status
  await passDay(org)
  await passDay(org)
  expect(await alerts()).toEqual([])
  await passDay(org)
  // Half of the days: every attempt of two days failed.
  expect(await alerts()).toEqual(['WEBHOOK_FAILING open'])
  await passDay(org)
  expect(await status()).toBe('enabled')
  await passDay(org)
  expect(await status()).toBe('disabled')
  expect(await alerts()).toEqual(['WEBHOOK_DISABLED open', 'WEBHOOK_FAILING recovered'])
  await open.settle()
  const received = receiver.bodies('/watch')
  expect(received.map(({ type }) => type)).toEqual([
    'webhook_endpoint.failing',
    'webhook_endpoint.disabled',
  ])
  for (const body of received) {
    const eventType = findEventType(body.type)
    expect(eventType && [...Value.Errors(schemaOf(eventType), body)]).toEqual([])
    expect(body.data).toMatchObject({ endpointId: id, url: `${receiver.url}/broken?key=••••••` })
  }
  expect(receiver.bodies('/broken?key=hush').some(({ type }) => type.startsWith('webhook_'))).toBe(
    false,
  )
  const { rows } = await db.pool.query<{ action: string }>(
    'select action from payments.audit_log where entity_id = $1 order by seq',
    [id],
  )
  expect(rows.map(({ action }) => action)).toEqual([
    ...['webhook_endpoint.created', 'webhook_endpoint.failing', 'webhook_endpoint.disabled'],
  ])
  // Enabled again it begins anew.
  await client.send('POST', `${PATH}/${id}/enable`)
  expect((await client.get(`${PATH}/${id}`)).body).toMatchObject({ failingSince: null })
  await passDay(org)
  expect(await status()).toBe('enabled')
  expect(await alerts()).toEqual(['WEBHOOK_DISABLED recovered', 'WEBHOOK_FAILING recovered'])
})

test('one success is enough, and silence is no failure', async () => {
  const org = 'shaky'
  const client = await open.as({ org })
  broken.add('/shaky')
  const { id } = await client.endpoint(`${receiver.url}/shaky`)
  await passDay(org)
  await advanceClock(db.pool, '240h')
  await tallyEndpoints(db.pool, DAYS)
  const read = async () => (await client.get(`${PATH}/${id}`)).body
  expect(await read()).toMatchObject({ status: 'enabled', failingSince: expect.any(String) })
  broken.delete('/shaky')
  await passDay(org)
  broken.add('/shaky')
  for (let day = 0; day < 3; day += 1) await passDay(org)
  expect(await read()).toMatchObject({ status: 'enabled' })
  const { items } = await listAlerts(db.pool, { tenant: org })
  const own = items.filter(({ subject }) => subject === id)
  expect(own.map(({ code }) => code)).toEqual(['WEBHOOK_FAILING'])
})

test('a time is recovered: what was abandoned, skipped or still waits, and nothing that arrived', async () => {
  const org = 'recovered'
  const client = await open.as({ org })
  const { id } = await client.endpoint(`${receiver.url}/recovered`)
  const announced = async () => (await open.announce({ org }))[0] ?? ''
  const arrived = await announced()
  await open.settle()
  broken.add('/recovered')
  const abandoned = await announced()
  for (const wait of ['0s', '2s', '4s', '8s', '16s'] as const) {
    await advanceClock(db.pool, wait)
    await open.settle()
  }
  const waiting = await announced()
  await open.settle()
  await client.send('POST', `${PATH}/${id}/disable`)
  const skipped = await announced()
  await client.send('POST', `${PATH}/${id}/enable`)
  const retrying = await announced()
  await open.settle()
  expect(await client.delivery(retrying)).toMatchObject({ status: 'failed', attempts: 1 })
  broken.delete('/recovered')
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const ask = (what: string, body: object) => client.send('POST', `${PATH}/${id}/${what}`, body)
  const dry = { since, dryRun: true }
  expect((await ask('replay', dry)).body).toEqual({ count: 3, dryRun: true, more: false })
  expect((await ask('recover', dry)).body).toEqual({ count: 4, dryRun: true, more: false })
  expect(await ask('recover', { since })).toMatchObject({ status: 202, body: { count: 4 } })
  await open.settle()
  for (const delivery of [abandoned, waiting, skipped, retrying, arrived]) {
    expect(await client.delivery(delivery)).toMatchObject({ status: 'delivered' })
  }
  const ids = receiver.hooks
    .filter(({ path }) => path === '/recovered')
    .map(({ headers }) => headers['webhook-id'])
  expect(ids.filter((each) => each === arrived)).toHaveLength(1)
})
