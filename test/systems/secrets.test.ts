import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import {
  call,
  secretWord,
  startProcess,
  type GivenSecret,
  type SecretServer,
  type Secrets,
} from '@posthorn/server/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contributionsTo } from './contributions.ts'
import {
  brokerSecrets,
  environmentOf,
  ownSecrets,
  registryLogins,
  secretsIn,
} from './given-secrets.ts'
import type { Pool } from 'pg'

/** How a secret may look in a text: as it is, in hexadecimal, or inside of something in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // Without the characters that hold bits of what stands around it.
    return encoded.slice(before === 0 ? 0 : before + 1, -2)
  })
  return [secret, bytes.toString('hex'), ...inBase64]
}

/** Finds secrets in texts: `where: which` for each, once. */
class SecretSearch {
  readonly found = new Set<string>()
  readonly #forms: readonly (readonly [string, readonly string[]])[]
  /** How many characters were looked through. */
  searched = 0

  /** Secrets by what they are called in a report. */
  constructor(secrets: Secrets) {
    this.#forms = Object.entries(secrets).map(([name, secret]) => [name, formsOf(secret)])
  }

  look(where: string, content: string): void {
    this.searched += content.length
    for (const [name, forms] of this.#forms) {
      if (forms.some((form) => content.includes(form))) this.found.add(`${where}: ${name}`)
    }
  }

  /** Every column of every table of a database; bytes are read as hexadecimal. */
  async lookInTables(pool: Pool): Promise<number> {
    const { rows: columns } = await pool.query<{ place: string; name: string; sql: string }>(`
      select format('%I.%I', table_schema, table_name) as place, column_name as name,
             format('select %I::text as value from %I.%I where %1$I is not null',
                    column_name, table_schema, table_name) as sql
        from information_schema.columns join information_schema.tables
             using (table_catalog, table_schema, table_name)
       where table_type = 'BASE TABLE'
         and table_schema not in ('pg_catalog', 'information_schema')
         and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`)
    for (const { place, name, sql } of columns) {
      const { rows } = await pool.query<{ value: string }>(sql)
      for (const { value } of rows) this.look(`column ${place}.${name}`, value)
    }
    return columns.length
  }

  async lookInFiles(folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const bytes = await readFile(path).catch(() => Buffer.alloc(0))
      this.look(`file ${path.slice(folder.length)}`, bytes.toString('latin1'))
    }
  }
}

// The whole demo, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 600_000 })

const contributed = await contributionsTo('secrets')

/** One object of what the systems give. */
function merged<Value>(
  values: readonly (Readonly<Record<string, Value>> | undefined)[],
): Record<string, Value> {
  return Object.assign({}, ...values) as Record<string, Value>
}

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

type Ask = SecretServer['ask']

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
  const make: SecretServer['make'] = async (path, body, org = 'demo') => {
    const claims = { sub: 'ada', org, role: org === 'demo' ? 'platform' : 'admin' } as const
    const as = await signToken({ secret, ...claims })
    const made = await call(`${url}${path}`, { token: as, body })
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
    return made.body
  }
  return { server, url, token, ask, make, folder, database }
}

type Opened = Awaited<ReturnType<typeof openServer>>

/** Looks through the tables, the files, every page and what is answered to mistakes; then the log. */
async function lookThrough(search: SecretSearch, opened: Opened): Promise<string[]> {
  const { server, url, token, ask, folder, database } = opened
  expect(await search.lookInTables(database.pool)).toBeGreaterThan(100)
  await search.lookInFiles(folder)
  const mistakes = [
    ...['/nothing', '/api/v1/alerts?limit=x', '/metrics', '/healthz', '/api/v1/me', '/readyz', '/'],
    ...contributed.flatMap((each) => each.mistakes ?? []),
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
  const given = { ...ownSecrets(), ...merged(contributed.map((each) => each.settings?.())) }
  const opened = await openServer(
    {
      ...environmentOf(given),
      ...merged(contributed.map(({ careful }) => careful)),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      NOTICES_ALLOW_CIDRS: '127.0.0.0/8',
    },
    database,
  )
  const { ask, make, token } = opened

  // Secrets of customers: those of the systems, and of channels whose servers do not answer.
  const customers: Secrets = {
    ...{ slackPath: secretWord(), pagerPath: secretWord(), routingKey: secretWord() },
    ...merged(await Promise.all(contributed.map(async (each) => each.give?.(opened)))),
  }
  const { slackPath, pagerPath, routingKey } = customers
  const slack = { kind: 'slack', url: `http://127.0.0.1:1/services/${slackPath}` }
  const pager = { kind: 'pagerduty', url: `http://127.0.0.1:1/${pagerPath}`, routingKey }
  for (const channel of [
    { name: 'ops', ...slack },
    { name: 'duty', ...pager },
  ]) {
    const { id } = await make('/api/v1/notice-channels', channel)
    const tested = await ask(`/api/v1/notice-channels/${String(id)}/test`, undefined, 'POST')
    expect(tested.status).toBe(202)
  }

  expect((await ask('/api/v1/demo', undefined, 'POST')).status).toBe(202)
  const demo = async () => (await ask('/api/v1/demo')).body
  await expect
    .poll(async () => (await demo())['status'], { timeout: 500_000, interval: 1_000 })
    .not.toBe('running')
  expect(await demo()).toMatchObject({ status: 'completed', error: null })

  const secrets: Secrets = {
    ...{ ...secretsIn(given), ...customers, token },
    ...merged(await Promise.all(contributed.map(async (each) => each.find?.(opened)))),
    databasePassword: new URL(database.url).password,
  }
  for (const [name, value] of Object.entries(secrets)) {
    expect(value.length, name).toBeGreaterThan(16)
  }

  const search = new SecretSearch(secrets)
  // A search that finds nothing at all would pass as well.
  const words = contributed.flatMap((each) => each.written ?? [])
  const control = new SecretSearch(Object.fromEntries(words.map((each) => [each, each])))
  await control.lookInTables(database.pool)
  for (const each of words) expect([...control.found].join()).toContain(each)

  const pages = await lookThrough(search, opened)
  for (const page of [
    /outboxes\/[^/]+\/messages\/[^/]+$/,
    /outboxes\/[^/]+\/messages\/[^/]+\/journey$/,
    ...contributed.flatMap((each) => each.pages ?? []),
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
    const { POSTHORN_JWT_SECRET } = ownSecrets()
    const given: Record<string, GivenSecret> = {
      ...brokerSecrets(),
      ...merged(contributed.map((each) => each.neighbours?.())),
      ...registryLogins[login](),
      POSTHORN_JWT_SECRET,
    }
    const opened = await openServer(
      {
        ...environmentOf(given),
        ...{ KAFKA_BROKERS: process.env['KAFKA_BROKERS'] || '127.0.0.1:1' },
        ...{ KAFKA_SASL_MECHANISM: 'plain', KAFKA_USERNAME: 'posthorn' },
        ...{ KAFKA_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' },
        ...(login === 'password' && { KAFKA_SCHEMA_REGISTRY_USERNAME: 'posthorn' }),
        ...merged(contributed.map((each) => each.neighbourhood)),
      },
      database,
    )
    const { ask, server } = opened
    const checks = async () => Object.entries((await ask('/readyz')).body['checks'] as object)
    const away = async () =>
      (await checks()).flatMap(([name, { ok }]: [string, { ok: boolean }]) => (ok ? [] : [name]))
    for (const name of contributed.flatMap((each) => each.away ?? [])) {
      await expect.poll(away, { timeout: 60_000, interval: 500 }).toContain(name)
    }

    // Each of them is needed for one of these.
    const search = new SecretSearch(secretsIn(given))
    for (const { provoke } of contributed) {
      search.look('answer of what needs them', (await provoke?.(opened)) ?? '')
    }
    const isTried = () => /MAIL_SERVER|ECONNREFUSED/.test(server.output())
    await expect.poll(isTried, { timeout: 60_000, interval: 500 }).toBe(true)

    await lookThrough(search, opened)
    expect([...search.found]).toEqual([])
  },
)
