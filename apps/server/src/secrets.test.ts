import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SecretSearch, type Secrets } from './testing/secret-search.ts'
import { call, startProcess } from './testing/server-process.ts'

// The whole demo, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 600_000 })

const word = () => randomBytes(18).toString('hex')

/** Takes traces as a collector does, and keeps all that it is sent. */
async function startCollector() {
  const received: string[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push(JSON.stringify(request.headers), await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** What the environment gives to the server and its systems. */
const environment = {
  POSTHORN_JWT_SECRET: word(),
  POSTHORN_ENCRYPTION_KEYS: word(),
  GATEWAY_API_KEY: word(),
  PAYMENTS_WEBHOOK_SECRET: word(),
  STRIPE_API_KEY: `sk_test_${word()}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${word()}`,
  WHATSAPP_ACCESS_TOKEN: word(),
  WHATSAPP_APP_SECRET: word(),
  WHATSAPP_VERIFY_TOKEN: word(),
  DOCUMENTS_TOKEN: word(),
  S3_EVENTS_TOKEN: word(),
  ALERTS_WEBHOOK_SECRET: `whsec_${word()}${word().slice(0, 4)}`,
} satisfies Secrets

/** In addresses of servers that do not answer: their errors are logged, stored and counted. */
const addresses = { mailPassword: word(), alertsKey: word() }

test('after a demo with faults no secret stands in clear in a log, table, metric, trace, file or answer', async () => {
  const database = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-secrets-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const collector = await startCollector()
  const server = startProcess({
    ...environment,
    POSTHORN_CONFIG: '',
    DATABASE_URL: database.url,
    POSTHORN_DATA_DIR: folder,
    POSTHORN_LOG_LEVEL: 'debug',
    POSTHORN_RATE_LIMIT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OUTBOUND_EMAIL_URL: `smtp://posthorn:${addresses.mailPassword}@127.0.0.1:1`,
    ALERTS_WEBHOOK_URL: `http://127.0.0.1:1/alerts?key=${addresses.alertsKey}`,
  })
  await expect.poll(server.output, { timeout: 400_000, interval: 500 }).toMatch(/ready: http/)
  const url = await server.url()
  const secret = environment.POSTHORN_JWT_SECRET
  const token = await signToken({ secret, sub: 'olga', org: 'demo', role: 'platform' })
  const ask = (path: string, body?: unknown, method?: string) =>
    call(`${url}${path}`, { token, ...(body !== undefined && { body }), ...(method && { method }) })

  // Secrets of customers: of an endpoint, its own headers and its address, and of a portal.
  const customers = { header: word(), urlKey: word() }
  const endpoint = await ask('/api/v1/webhook-endpoints', {
    url: `${url}/sim/merchant/hooks?key=${customers.urlKey}`,
    eventTypes: ['*'],
    headers: { 'x-api-key': customers.header },
  })
  expect(endpoint.status, JSON.stringify(endpoint.body)).toBe(201)
  const portal = await ask('/api/v1/portal-tokens', {})
  const mail = { channel: 'email', recipient: 'ada@example.test', subject: 'Hi', text: 'Hello' }
  await ask('/api/v1/outbound/messages', mail)

  expect((await ask('/api/v1/demo', undefined, 'POST')).status).toBe(202)
  const demo = async () => (await ask('/api/v1/demo')).body
  await expect
    .poll(async () => (await demo())['status'], { timeout: 500_000, interval: 1_000 })
    .not.toBe('running')
  expect(await demo()).toMatchObject({ status: 'completed', error: null })

  const { body: mails } = await ask('/sim/mail/requests?limit=100')
  const invitation = /invitations\?token=([\w.-]+)/.exec(JSON.stringify(mails))?.[1] ?? ''
  expect(invitation.length).toBeGreaterThan(20)
  const issued: Secrets = {
    ...{ token, invitation, header: customers.header, urlKey: customers.urlKey },
    signingSecret: String(endpoint.body['secret']).replace(/^whsec_/, ''),
    portalToken: String(portal.body['token']),
    databasePassword: new URL(database.url).password,
  }
  const secrets = { ...environment, ...addresses, ...issued }
  for (const [name, value] of Object.entries(secrets)) {
    expect(value.length, name).toBeGreaterThan(16)
  }

  const search = new SecretSearch(secrets)
  // A search that finds nothing at all would pass as well.
  const control = new SecretSearch({ merchant: 'DOWN_FOR_MAINTENANCE', order: 'payment.succeeded' })
  await control.lookInTables(database.pool)
  expect([...control.found].join()).toMatch(/merchant.*order|order.*merchant/)

  expect(await search.lookInTables(database.pool)).toBeGreaterThan(200)
  await search.lookInFiles(folder)
  for (const { path, as } of await pages(ask)) {
    const headers = as === undefined ? {} : { authorization: `Bearer ${as}` }
    const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(30_000) })
    search.look(
      `answer of ${path}`,
      `${await response.text()}${JSON.stringify([...response.headers])}`,
    )
  }
  await server.end('SIGTERM')
  search.look('log', server.output())
  expect(collector.received.join().length).toBeGreaterThan(10_000)
  search.look('traces', collector.received.join('\n'))

  expect([...search.found]).toEqual([])
  expect(search.searched).toBeGreaterThan(1_000_000)
})

/** Every list and page without a parameter, and what is answered to mistakes. */
async function pages(ask: (path: string) => Promise<{ body: Record<string, unknown> }>) {
  const { body } = await ask('/openapi.json')
  const described = Object.entries(body['paths'] as Record<string, object>)
  const paths = described.flatMap(([path, methods]) =>
    'get' in methods && !/[{]|\/stream|^\/sim/.test(path) ? [path] : [],
  )
  const platform = await signToken({
    ...{ secret: environment.POSTHORN_JWT_SECRET, sub: 'page', org: 'demo', role: 'platform' },
  })
  const mistakes = [
    '/nothing',
    '/api/v1/payments?limit=x',
    '/graphql?query={',
    '/metrics',
    '/healthz',
  ]
  return [
    ...paths.map((path) => ({ path, as: platform })),
    ...mistakes.map((path) => ({ path, as: platform })),
    ...[...mistakes, '/api/v1/me', '/readyz', '/'].map((path) => ({ path, as: undefined })),
    { path: '/api/v1/me', as: `${platform}x` },
  ]
}
