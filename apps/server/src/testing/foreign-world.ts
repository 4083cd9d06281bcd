import { fixed, toMessage, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { defineSystem } from '@posthorn/systems'
import { postgresTopics } from '@posthorn/transports/postgres'
import { Type } from 'typebox'
import { afterAll, expect, vi } from 'vitest'
import { archiveOf } from '../demo/archive.ts'
import { loadSystems } from '../systems.ts'
import { letterSystem } from './letters.ts'
import { testServer } from './test-server.ts'

/*
 * Two organisations on a server with all systems, and one of everything that has an id in a path, in
 * each of them. Every room of the API is in `makeThings`: a route without one fails its test.
 */
const PATIENT = { timeout: 90_000, interval: 100 }

export type Body = Record<string, unknown>

/** By room, and in it by the name that paths give the id. */
export type Things = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const TOPIC = 'test.events'

/** A consumer that takes nothing: everything becomes a dead letter. */
const readers = defineSystem({
  name: 'readers',
  settings: Type.Object({}),
  migrations: async () => ({ name: 'readers', migrations: [] }),
  open: () => ({
    outboxes: [],
    consumers: [
      {
        ...{ transport: 'topics', topic: TOPIC, group: 'test.readers' },
        ...{ retry: fixed('10ms', { attempts: 2 }), dead: 'skip' as const },
        async handle() {
          throw new Error('never')
        },
      },
    ],
  }),
})

/** A server with all systems and the two more; closed after the file's tests. */
export async function foreignWorld() {
  const database = await testDatabase()
  const letters = letterSystem()
  const systems = [...(await loadSystems({})), letters.system, readers]
  const server = await testServer(database, { systems })
  const topics = postgresTopics({ pool: database.pool })
  afterAll(() => topics.close())
  return { database, letters, server, topics }
}

type World = Awaited<ReturnType<typeof foreignWorld>>

/** An operator of an organisation, who may do all that its people may. */
export async function operatorOf({ server }: World, org: string) {
  const token = await server.tokenFor({ sub: `operator of ${org}`, org, role: 'operator' })
  const send = async (method: string, path: string, sent?: { type: string; body: BodyInit }) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': uuid(),
        ...(sent && { 'content-type': sent.type }),
      },
      ...(sent && { body: sent.body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, text, body: (isJson ? JSON.parse(text) : {}) as Body }
  }
  const ask = (method: string, path: string, body?: Body) =>
    send(method, path, body && { type: 'application/json', body: JSON.stringify(body) })
  const must = async (answer: ReturnType<typeof send>) => {
    const { status, text, body } = await answer
    expect(status, text).toBeLessThan(300)
    return body
  }
  const make = (path: string, body: Body = {}) => must(ask('POST', path, body))
  const put = (path: string, body: Body) => must(ask('PUT', path, body))
  const upload = (path: string, type: string, body: BodyInit) =>
    must(send('POST', path, { type, body }))
  const items = async (path: string) => ((await ask('GET', path)).body['items'] ?? []) as Body[]
  const first = async (path: string) => {
    await vi.waitFor(async () => expect(await items(path), path).not.toHaveLength(0), PATIENT)
    return String((await items(path))[0]?.['id'])
  }
  const untilIs = (path: string, status: string) =>
    vi.waitFor(async () => expect((await ask('GET', path)).body['status']).toBe(status), PATIENT)
  const { url } = server
  return { org, token, url, ask, make, put, upload, items, first, untilIs }
}

export type Operator = Awaited<ReturnType<typeof operatorOf>>

export const TEMPLATE = { category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello' }] }
export const RULES = {
  ...{ delimiter: ',', encoding: 'utf-8', headerLine: 1, sign: 'signed' },
  ...{ decimal: '.', thousands: '', dateFormat: 'yyyy-MM-dd' },
  columns: {
    ...{ externalTransactionId: 'external_transaction_id', amount: 'amount' },
    ...{ currency: 'currency', date: 'date' },
  },
}
export const SUGGEST = { passes: [{ kind: 'amount_tolerance', absolute: 5, bps: 0 }] }

/** Payments, their webhooks, refunds, statements and evidence. */
async function makeMoney({ url, ask, make, put, upload, items, first, untilIs }: Operator) {
  const hooks = { url: `${url}/sim/merchant/hooks`, eventTypes: ['*'] }
  const { id: endpoint } = await make('/api/v1/webhook-endpoints', hooks)
  const pay = { amount: 1_000, currency: 'EUR', externalPaymentId: 'A' }
  const { id: payment } = await make('/api/v1/payments', pay)
  const path = `/api/v1/payments/${String(payment)}`
  await untilIs(path, 'succeeded')
  const { id: refundId } = await make(`${path}/refunds`, { amount: 100 })
  await put('/api/v1/approval-limits', { limits: [{ currency: 'EUR', amount: 100 }] })
  const { id: proposal } = await make(`${path}/refunds`, { amount: 500 })

  const csv = 'external_transaction_id,amount,currency,date\nA,9.99,EUR,2026-01-01\n'
  const runs = '/api/v1/reconciliations'
  const { id: run } = await upload(`${runs}?filename=bank.csv`, 'text/csv', csv)
  await make(`${runs}/${String(run)}/run`)
  await make(`${runs}/${String(run)}/suggest`, SUGGEST)
  const [suggestion] = await items(`${runs}/${String(run)}/suggestions`)
  const { id: profile } = await make('/api/v1/reconciliation-profiles', {
    name: 'bank',
    rules: RULES,
  })

  const zip = archiveOf(
    new Map([
      ['cases.csv', 'case_id,evidence_files\nCASE-1,a.pdf\n'],
      ['a.pdf', '%PDF-1.7\nevidence\n%%EOF\n'],
    ]),
  )
  const { fileJobId } = await upload('/api/v1/file-jobs?filename=a.zip', 'application/zip', zip)
  const job = `/api/v1/file-jobs/${String(fileJobId)}`
  const rowId = await first(`${job}/rows`)
  const { body: row } = await ask('GET', `${job}/rows/${rowId}`)
  const [artifact] = row['artifacts'] as Body[]
  return {
    payments: { id: payment, refundId },
    'webhook-events': { id: await first('/api/v1/webhook-events') },
    'webhook-endpoints': { id: endpoint },
    'webhook-deliveries': { id: await first('/api/v1/webhook-deliveries') },
    approvals: { id: proposal },
    reconciliations: { id: run, recordId: '2', suggestionId: suggestion?.['id'] },
    'reconciliation-profiles': { id: profile },
    'file-jobs': { id: fileJobId, rowId, artifactId: artifact?.['id'] },
  }
}

/** Orders, messages to people and what belongs to them. */
async function makeMessages({ org, make, put, first, untilIs }: Operator, number: string) {
  const line = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 100, currency: 'EUR', hold: true }
  const { id: order } = await make('/api/v1/orders', line)
  const { id: message } = await make('/api/v1/outbound/messages', {
    ...{ channel: 'whatsapp', to: number, templateCode: 'appointment_reminder' },
    payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
  })
  const { id: account } = await make('/api/v1/outbound/accounts', {
    ...{ name: 'own', phoneNumberIds: [`10${number.slice(1)}`], accessToken: 'token-of-account' },
    ...{ appSecret: 'secret-of-account', verifyToken: 'word-of-account' },
  })
  await untilIs(`/api/v1/outbound/messages/${String(message)}`, 'DELIVERED')
  await make('/sim/whatsapp/inbound', { from: number, text: 'Yes', name: 'Ada' })
  const dossier = `dossier-of-${org}`
  await put(`/api/v1/dossiers/${dossier}/consents/whatsapp`, { granted: true })
  const template = `template_of_${org}`
  await put(`/api/v1/outbound/templates/${template}/en_US`, TEMPLATE)
  return {
    orders: { id: order },
    sagas: { id: await first('/api/v1/sagas') },
    conversations: { id: await first('/api/v1/conversations') },
    'outbound/messages': { id: message },
    'outbound/accounts': { id: account },
    'outbound/templates': { name: template, language: 'en_US' },
    dossiers: { id: dossier, channel: 'whatsapp' },
  }
}

/** What operators have: dead letters, alerts, incidents, replays, channels, holds, erasures. */
async function makeTroubles({ database, letters, topics }: World, { org, make, first }: Operator) {
  letters.refusing.add(org)
  const letter = await letters.write(database.pool, { reader: org, org })
  const payload = { of: org }
  const message = toMessage({ id: uuid(), type: 'test', tenant: org, payload })
  const destination = { transport: 'topics', topic: TOPIC }
  const signal = AbortSignal.timeout(9_000)
  await topics.deliver([{ message, destination }], { ordered: true, signal })
  const box = '/api/v1/outboxes/test.letters'
  const channel = { kind: 'email', name: 'duty', address: `duty@${org}.test` }
  const { id: channelId } = await make('/api/v1/notice-channels', channel)
  const hold = { kind: 'organisation', reason: 'court' }
  const { id: holdId } = await make('/api/v1/legal-holds', hold)
  const { id: erasure } = await make('/api/v1/erasures', { subject: { dossierId: 'none' } })
  const { id: replay } = await make(`${box}/replays`, { filter: { type: 'none' } })
  return {
    'outboxes/{name}/messages': { name: 'test.letters', id: letter },
    'outboxes/{name}/replays': { name: 'test.letters', id: replay },
    'consumers/dead-letters': { id: await first('/api/v1/consumers/dead-letters?status=dead') },
    alerts: { id: await first('/api/v1/alerts') },
    incidents: { id: await first('/api/v1/incidents') },
    'notice-channels': { id: channelId },
    'legal-holds': { id: holdId },
    erasures: { id: erasure },
  }
}

export async function makeThings(
  world: World,
  { operator, number }: { operator: Operator; number: string },
): Promise<Things> {
  const made = [makeMoney(operator), makeMessages(operator, number), makeTroubles(world, operator)]
  return Object.assign({}, ...(await Promise.all<object>(made))) as Things
}
