import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { sampleZip } from '../src/pages/file-jobs/sample-zip.ts'
import type { Dashboard } from './harness/index.ts'
import { insertAlert } from './queries.ts'

const patient = { timeout: 60_000 }

/** The ids of what is on the pages, by the keys that the views' paths use. */
export type World = Readonly<Record<string, string>>

/** The address of a view: `:key` in its path stands for what the world has under that key. */
export function addressIn(world: World, path: string): string {
  return path.replace(/:([a-z]+)$|:([a-z]+)(?=\?)/g, (_, end, middle) => {
    return world[String(end ?? middle)] ?? ''
  })
}

/** Something on every page, as far as it goes by itself. The server must allow webhooks to itself. */
export async function fillPages(dashboard: Dashboard): Promise<World> {
  const created: Record<string, string> = {}

  async function create(path: string, body: object): Promise<Record<string, string>> {
    const headers = { 'idempotency-key': randomUUID() }
    return (await dashboard.call(path, { body, headers })) as Record<string, string>
  }

  async function upload(
    path: string,
    type: string,
    body: BodyInit,
  ): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${dashboard.token()}`, 'content-type': type }
    const response = await fetch(`${dashboard.url}${path}`, { method: 'POST', headers, body })
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as Record<string, string>
  }

  async function reaches(path: string, status: string): Promise<void> {
    const wait = { ...patient, interval: 300 }
    await vi.waitFor(async () => {
      await dashboard.call('/sim/clock/advance', { body: { by: '1m' } })
      expect(await dashboard.call(path)).toMatchObject({ status })
    }, wait)
  }

  async function graphql(query: string): Promise<unknown> {
    const { data } = (await dashboard.call('/graphql', { body: { query } })) as { data: unknown }
    return data
  }

  const alert = await dashboard.database.pool.query<{ id: string }>(insertAlert)
  created['alert'] = alert.rows[0]?.id ?? ''
  const payment = { amount: 1_000, currency: 'EUR', description: 'a lamp' }
  created['payment'] =
    (await create('/api/v1/payments', { ...payment, externalPaymentId: 'lamp' }))['id'] ?? ''
  await vi.waitFor(async () => {
    const path = `/api/v1/webhook-events?paymentId=${created['payment']}`
    const { items } = (await dashboard.call(path)) as { items: { id: string }[] }
    expect(items).toHaveLength(1)
    created['event'] = items[0]?.id ?? ''
  }, patient)
  const order = { items: [{ sku: 'OUT-OF-STOCK', quantity: 1 }], amount: 1_000, currency: 'EUR' }
  created['saga'] = (await create('/api/v1/orders', order))['sagaId'] ?? ''
  const message = {
    ...{ channel: 'whatsapp', to: '+16505550047', templateCode: 'otp_code' },
    payloadJson: { language: 'en_US', parameters: ['4711'] },
  }
  created['refused'] = (await create('/api/v1/outbound/messages', message))['id'] ?? ''
  await create('/api/v1/outbound/messages', { ...message, to: '+16505551234' })
  const said = { from: '+16505551234', text: 'Yes, I will come', name: 'Ada' }
  await dashboard.call('/sim/whatsapp/inbound', { body: said })
  await vi.waitFor(async () => {
    const { items } = (await dashboard.call('/api/v1/conversations')) as { items: { id: string }[] }
    created['conversation'] = items[0]?.id ?? ''
    expect(items).toHaveLength(1)
  }, patient)
  const endpoint = { url: `${dashboard.url}/nowhere`, eventTypes: ['webhook.ping'] }
  created['endpoint'] = (await create('/api/v1/webhook-endpoints', endpoint))['id'] ?? ''
  const ping = `/api/v1/webhook-endpoints/${created['endpoint']}/ping`
  created['delivery'] = (await create(ping, {}))['deliveryId'] ?? ''
  const consent = { method: 'PUT', body: { granted: true } }
  await dashboard.call('/api/v1/dossiers/case.7/consents/whatsapp', consent)
  const zip = await sampleZip().arrayBuffer()
  const file = await upload('/api/v1/file-jobs?filename=sample.zip', 'application/zip', zip)
  created['file'] = file['fileJobId'] ?? ''
  const csv = 'external_transaction_id,amount,currency,date\nlamp,9.85,EUR,2026-03-07\n'
  const run = await upload('/api/v1/reconciliations?filename=bank.csv', 'text/csv', csv)
  created['run'] = run['id'] ?? ''
  await dashboard.call(`/api/v1/reconciliations/${created['run']}/run`, { body: {} })
  const { createFamily } = (await graphql(
    'mutation { createFamily(input: { name: "Addams" }) { family { id } } }',
  )) as { createFamily: { family: { id: string } } }
  created['family'] = createFamily.family.id
  await graphql(
    `mutation { inviteFamilyMemberByEmail(input: { familyId: "${created['family']}",
      email: "gomez@example.com", role: MEMBER }) { errors { code } } }`,
  )
  await reaches(`/api/v1/sagas/${created['saga']}`, 'COMPENSATED')
  await reaches(`/api/v1/outbound/messages/${created['refused']}`, 'FAILED')
  await reaches(`/api/v1/webhook-deliveries/${created['delivery']}`, 'abandoned')
  return created
}
