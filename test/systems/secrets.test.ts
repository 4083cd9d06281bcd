import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { archiveOf } from './demo/archive.ts'
import {
  businessSecrets,
  environmentOf,
  neighbourSecrets,
  registryLogins,
  secretsIn,
} from './testing/given-secrets.ts'
import { SecretSearch } from './testing/secret-search.ts'
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

type Ask = (path: string, body?: unknown, method?: string) => ReturnType<typeof call>

async function openServer(env: NodeJS.ProcessEnv, database: TestDatabase) {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-secrets-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const server = startProcess({
    POSTHORN_CONFIG: '',
    DATABASE_URL: database.url,
    POSTHORN_DATA_DIR: folder,
    POSTHORN_LOG_LEVEL: 'debug',
    POSTHORN_RATE_LIMIT: '0',
    ...env,
  })
  await expect.poll(server.output, { timeout: 400_000, interval: 500 }).toMatch(/ready: http/)
  const url = await server.url()
  const secret = env['POSTHORN_JWT_SECRET'] ?? ''
  const token = await signToken({ secret, sub: 'olga', org: 'demo', role: 'platform' })
  const ask: Ask = (path, body, method) =>
    call(`${url}${path}`, { token, ...(body !== undefined && { body }), ...(method && { method }) })
  const askAs = async (org: string, path: string, body: unknown) => {
    const other = await signToken({ secret, sub: 'ada', org, role: 'admin' })
    return call(`${url}${path}`, { token: other, body })
  }
  return { server, url, token, ask, askAs, folder, database }
}

type Opened = Awaited<ReturnType<typeof openServer>>

/** Looks through the tables, the files, every page and what is answered to mistakes; then the log. */
async function lookThrough(search: SecretSearch, opened: Opened): Promise<string[]> {
  const { server, url, token, ask, folder, database } = opened
  expect(await search.lookInTables(database.pool)).toBeGreaterThan(200)
  await search.lookInFiles(folder)
  const mistakes = [
    ...['/nothing', '/api/v1/payments?limit=x', '/graphql?query={', '/metrics', '/healthz'],
    ...['/api/v1/me', '/readyz', '/'],
  ]
  const pages = await listPages(ask)
  const asked = [
    ...[...pages, ...mistakes].map((path) => ({ path, as: token })),
    ...mistakes.map((path) => ({ path, as: undefined })),
    { path: '/api/v1/me', as: `${token}x` },
  ]
  for (const { path, as } of asked) {
    const headers = as === undefined ? {} : { authorization: `Bearer ${as}` }
    const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(30_000) })
    const answer = await response.text()
    search.look(`answer of ${path}`, `${answer}${JSON.stringify([...response.headers])}`)
  }
  await server.end('SIGTERM')
  search.look('log', server.output())
  return pages
}

/** Of each list that stands above a page, the things whose pages are looked at. */
const OF_EACH = 4

/** Every list and page that can be read, those of things by the ids that their lists have. */
async function listPages(ask: Ask): Promise<string[]> {
  const { body } = await ask('/openapi.json')
  const described = Object.entries(body['paths'] as Record<string, object>)
  const paths = described.flatMap(([path, methods]) =>
    'get' in methods && !/\/stream|^\/sim/.test(path) ? [path] : [],
  )
  const lists = new Map<string, Promise<Record<string, unknown>[]>>()
  const itemsOf = (list: string) => {
    const known = lists.get(list) ?? ask(list).then(({ body: { items } }) => itemsIn(items))
    lists.set(list, known)
    return known
  }
  const fill = async (path: string): Promise<string[]> => {
    const [, before = '', name = '', after = ''] = /^(.*?)\/\{(\w+)\}(.*)$/.exec(path) ?? []
    if (name === '') return [path]
    const items = (await itemsOf(before)).slice(0, OF_EACH)
    const ids = items.map((item) => item[name] ?? item['id'] ?? item['fileJobId'] ?? item['type'])
    const filled = ids.map((id) => fill(`${before}/${encodeURIComponent(String(id))}${after}`))
    return (await Promise.all(filled)).flat()
  }
  return (await Promise.all(paths.map(fill))).flat()
}

function itemsIn(items: unknown): Record<string, unknown>[] {
  return Array.isArray(items) ? (items as Record<string, unknown>[]) : []
}

test('after a demo with faults no secret stands in clear in a log, table, metric, trace, file or answer', async () => {
  const database = await testDatabase()
  const collector = await startCollector()
  const given = businessSecrets()
  const opened = await openServer(
    {
      ...environmentOf(given),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      NOTICES_ALLOW_CIDRS: '127.0.0.0/8',
    },
    database,
  )
  const { url, ask, token } = opened

  // Secrets of customers: of an endpoint, its own headers and its address, of a portal, of a
  // WhatsApp account, and of channels whose servers do not answer.
  const customers = {
    ...{ header: word(), urlKey: word(), slackPath: word(), pagerPath: word() },
    ...{ routingKey: word(), accessToken: word(), appSecret: word(), verifyToken: word() },
  }
  const make = async (path: string, body: object) => {
    const made = await ask(path, body)
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
    return made.body
  }
  const endpoint = await make('/api/v1/webhook-endpoints', {
    url: `${url}/sim/merchant/hooks?key=${customers.urlKey}`,
    eventTypes: ['*'],
    headers: { 'x-api-key': customers.header },
  })
  const portal = await make('/api/v1/portal-tokens', {})
  const { accessToken, appSecret, verifyToken, routingKey } = customers
  // Of another organisation: WhatsApp does not know the account, and refuses what is sent by it.
  const account = { name: 'shop', phoneNumberIds: ['106540352249999'] }
  const message = { channel: 'whatsapp', to: '+16505551234', templateCode: 'hello_world' }
  for (const [path, body] of [
    ['/api/v1/outbound/accounts', { ...account, accessToken, appSecret, verifyToken }],
    [
      '/api/v1/outbound/messages',
      { ...message, payloadJson: { language: 'en_US', parameters: [] } },
    ],
  ] as const) {
    const made = await opened.askAs('shop', path, body)
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
  }
  const slack = { kind: 'slack', url: `http://127.0.0.1:1/services/${customers.slackPath}` }
  const pager = { kind: 'pagerduty', url: `http://127.0.0.1:1/${customers.pagerPath}`, routingKey }
  for (const channel of [
    { name: 'ops', ...slack },
    { name: 'duty', ...pager },
  ]) {
    const { id } = await make('/api/v1/notice-channels', channel)
    const tested = await ask(`/api/v1/notice-channels/${String(id)}/test`, undefined, 'POST')
    expect(tested.status).toBe(202)
  }
  const mail = { channel: 'email', to: 'ada@example.test' }
  const payloadJson = { subject: 'Hi', text: 'Hello' }
  await make('/api/v1/outbound/messages', { ...mail, payloadJson })

  expect((await ask('/api/v1/demo', undefined, 'POST')).status).toBe(202)
  const demo = async () => (await ask('/api/v1/demo')).body
  await expect
    .poll(async () => (await demo())['status'], { timeout: 500_000, interval: 1_000 })
    .not.toBe('running')
  expect(await demo()).toMatchObject({ status: 'completed', error: null })

  const { body: mails } = await ask('/sim/mail/requests?limit=100')
  const invitation = /invitations\?token=([\w.-]+)/.exec(JSON.stringify(mails))?.[1] ?? ''
  const secrets = {
    ...{ ...secretsIn(given), ...customers, token, invitation },
    signingSecret: String(endpoint['secret']).replace(/^whsec_/, ''),
    portalToken: String(portal['token']),
    databasePassword: new URL(database.url).password,
  }
  for (const [name, value] of Object.entries(secrets)) {
    expect(value.length, name).toBeGreaterThan(16)
  }

  const search = new SecretSearch(secrets)
  // A search that finds nothing at all would pass as well.
  const control = new SecretSearch({ merchant: 'DOWN_FOR_MAINTENANCE', order: 'payment.succeeded' })
  await control.lookInTables(database.pool)
  expect([...control.found].join()).toMatch(/merchant.*order|order.*merchant/)

  const pages = await lookThrough(search, opened)
  for (const page of [
    /outboxes\/[^/]+\/messages\/[^/]+$/,
    /outboxes\/[^/]+\/messages\/[^/]+\/journey$/,
    /webhook-endpoints\/[^/]+$/,
    /webhook-deliveries\/[^/]+\/attempts$/,
    /outbound\/messages\/[^/]+\/attempts$/,
    /payments\/[^/]+\/audit$/,
    /file-jobs\/[^/]+\/rows\/[^/]+$/,
    /reconciliations\/[^/]+\/records\/[^/]+$/,
  ]) {
    expect(pages.filter((each) => page.test(each)).length, String(page)).toBeGreaterThan(0)
  }
  expect(collector.received.join().length).toBeGreaterThan(10_000)
  search.look('traces', collector.received.join('\n'))

  expect([...search.found]).toEqual([])
  expect(search.searched).toBeGreaterThan(1_000_000)
})

test.each(['password', 'token'] as const)(
  'nor do those of brokers, a bucket and a mail server that do not let the server in, with a %s for the registry',
  async (login) => {
    const database = await testDatabase()
    const given = {
      ...neighbourSecrets(),
      ...registryLogins[login](),
      POSTHORN_JWT_SECRET: businessSecrets().POSTHORN_JWT_SECRET,
    }
    const opened = await openServer(
      {
        ...environmentOf(given),
        ...{ KAFKA_BROKERS: process.env['KAFKA_BROKERS'] || '127.0.0.1:1' },
        ...{ KAFKA_SASL_MECHANISM: 'plain', KAFKA_USERNAME: 'posthorn', SAGAS_BROKER: 'rabbitmq' },
        ...{ KAFKA_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' },
        ...(login === 'password' && { KAFKA_SCHEMA_REGISTRY_USERNAME: 'posthorn' }),
        ...{ S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'none', S3_ACCESS_KEY_ID: 'posthorn' },
      },
      database,
    )
    const { url, token, ask, server } = opened
    const checks = async () => Object.entries((await ask('/readyz')).body['checks'] as object)
    const away = async () =>
      (await checks()).flatMap(([name, { ok }]: [string, { ok: boolean }]) => (ok ? [] : [name]))
    await expect.poll(away, { timeout: 60_000, interval: 500 }).toContain('rabbitmq')

    // Each of them is needed for one of these.
    const line = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 100, currency: 'EUR' }
    await ask('/api/v1/orders', line)
    const say = async (query: string) => JSON.stringify((await ask('/graphql', { query })).body)
    const family = /"id":"([^"]+)"/.exec(
      await say('mutation { createFamily(input: { name: "F" }) { family { id } } }'),
    )?.[1]
    await say(
      `mutation { inviteFamilyMemberByEmail(input: { familyId: "${family}", email: "a@b.test", role: MEMBER }) { errors { code } } }`,
    )
    const zip = archiveOf(new Map([['cases.csv', 'case_id,evidence_files\nCASE-1,a.pdf\n']]))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' }
    const uploaded = await fetch(`${url}/api/v1/file-jobs?filename=a.zip`, {
      ...{ method: 'POST', headers, body: zip, signal: AbortSignal.timeout(120_000) },
    })
    const search = new SecretSearch(secretsIn(given))
    search.look('answer of an upload', await uploaded.text())
    const isTried = () => /MAIL_SERVER|ECONNREFUSED/.test(server.output())
    await expect.poll(isTried, { timeout: 60_000, interval: 500 }).toBe(true)

    await lookThrough(search, opened)
    expect([...search.found]).toEqual([])
  },
)
