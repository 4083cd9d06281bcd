import { testDatabase } from '@posthorn/engine/testing'
import { expect, test, vi } from 'vitest'
import { archiveOf } from './demo/archive.ts'
import { loadSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

const PATIENT = { timeout: 30_000 }
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'

const installed = await loadSystems({})
const systems = installed.filter(({ name }) => name === 'payments' || name === 'evidence')
const server = await testServer(await testDatabase(), { systems })
const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, Record<string, unknown>>

const ROOMS =
  /^\/api\/v1\/(payments|webhook-events|webhook-endpoints|webhook-deliveries|approvals|reconciliations|reconciliation-profiles|file-jobs)\//
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  ROOMS.test(path) && path.includes('{')
    ? Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }))
    : [],
)

type Body = Record<string, unknown>

/** What a route needs to get as far as looking for the thing; other routes take an empty body. */
const BODIES: Readonly<Record<string, Body>> = {
  'POST reject': { reason: 'no' },
  'POST discard': { reason: 'wrong file' },
  'POST decisions': { reason: 'old', decisions: [{ do: 'ignore', recordId: '2' }] },
  'POST suggest': { passes: [{ kind: 'amount_tolerance', absolute: 5, bps: 0 }] },
  'POST match': { reason: 'seen', paymentId: UNKNOWN },
  'POST unmatch': { reason: 'old' },
  'POST ignore': { reason: 'old' },
  'POST reopen': { reason: 'old' },
  'PUT assignment': { owner: 'ada', note: null, dueOn: null },
  'POST replay': { since: '2026-01-01T00:00:00Z' },
  'POST recover': { since: '2026-01-01T00:00:00Z' },
  'POST cancel': { reason: 'wrong file' },
}

interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: Body | undefined
}

/** An administrator of an organisation. */
async function memberOf(org: string) {
  const token = await server.tokenFor({ sub: `admin of ${org}`, org, role: 'admin' })
  const authorization = `Bearer ${token}`
  const send = async (path: string, init: RequestInit) => {
    const headers = { authorization, ...(init.headers as Record<string, string>) }
    const response = await fetch(`${server.url}${path}`, { ...init, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, text, body: (isJson ? JSON.parse(text) : {}) as Body }
  }
  const ask = ({ method = 'GET', path, body }: Asked) =>
    send(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  const post = async (path: string, body: Body, headers: Record<string, string> = {}) => {
    const all = { 'content-type': 'application/json', ...headers }
    const answer = await send(path, { method: 'POST', headers: all, body: JSON.stringify(body) })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const upload = async (path: string, type: string, body: BodyInit) => {
    const answer = await send(path, { method: 'POST', headers: { 'content-type': type }, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const items = async (path: string) => (await ask({ path })).body['items'] as Body[]
  const first = async (path: string) => {
    await vi.waitFor(async () => expect(await items(path)).not.toHaveLength(0), PATIENT)
    return String((await items(path))[0]?.['id'])
  }
  return { ask, post, upload, items, first }
}

type Member = Awaited<ReturnType<typeof memberOf>>

/** One of everything that has an id, by the room and the name that paths give it. */
async function makeThings({ ask, post, upload, items, first }: Member) {
  const endpoint = { url: `${server.url}/sim/merchant/hooks`, eventTypes: ['*'] }
  const { id: endpointId } = await post('/api/v1/webhook-endpoints', endpoint)
  const pay = (key: string, amount: number) => {
    const order = { amount, currency: 'EUR', externalPaymentId: key }
    return post('/api/v1/payments', order, { 'idempotency-key': key })
  }
  const { id } = await pay('A', 1_000)
  const path = `/api/v1/payments/${String(id)}`
  const read = async () => (await ask({ path })).body['status']
  await vi.waitFor(async () => expect(await read()).toBe('succeeded'), PATIENT)
  const { id: refundId } = await post(`${path}/refunds`, { amount: 100 })
  const limits = { limits: [{ currency: 'EUR', amount: 100 }] }
  await ask({ method: 'PUT', path: '/api/v1/approval-limits', body: limits })
  const { id: proposalId } = await post(`${path}/refunds`, { amount: 500 })

  const csv = 'external_transaction_id,amount,currency,date\nA,9.99,EUR,2026-01-01\n'
  const runs = '/api/v1/reconciliations'
  const { id: runId } = await upload(`${runs}?filename=bank.csv`, 'text/csv', csv)
  await post(`${runs}/${String(runId)}/run`, {})
  await post(`${runs}/${String(runId)}/suggest`, BODIES['POST suggest'] ?? {})
  const columns = {
    ...{ externalTransactionId: 'external_transaction_id', amount: 'amount' },
    ...{ currency: 'currency', date: 'date' },
  }
  const rules = {
    ...{ delimiter: ',', encoding: 'utf-8', headerLine: 1, columns, sign: 'signed' },
    ...{ decimal: '.', thousands: '', dateFormat: 'yyyy-MM-dd' },
  }
  const profile = { name: 'bank', rules }
  const { id: profileId } = await post('/api/v1/reconciliation-profiles', profile)

  const zip = archiveOf(
    new Map([
      ['cases.csv', 'case_id,evidence_files\nCASE-1,a.pdf\n'],
      ['a.pdf', '%PDF-1.7\nevidence\n%%EOF\n'],
    ]),
  )
  const { fileJobId } = await upload('/api/v1/file-jobs?filename=a.zip', 'application/zip', zip)
  const rowId = await first(`/api/v1/file-jobs/${String(fileJobId)}/rows`)
  const row = await ask({ path: `/api/v1/file-jobs/${String(fileJobId)}/rows/${rowId}` })
  const [artifact] = row.body['artifacts'] as Body[]
  const [suggestion] = await items(`${runs}/${String(runId)}/suggestions`)
  return {
    payments: { id, refundId },
    'webhook-events': { id: await first('/api/v1/webhook-events') },
    'webhook-endpoints': { id: endpointId },
    'webhook-deliveries': { id: await first('/api/v1/webhook-deliveries') },
    approvals: { id: proposalId },
    reconciliations: { id: runId, recordId: '2', suggestionId: suggestion?.['id'] },
    'reconciliation-profiles': { id: profileId },
    'file-jobs': { id: fileJobId, rowId, artifactId: artifact?.['id'] },
  } as Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const [ours, theirs] = [await memberOf('ours'), await memberOf('theirs')]
const [own, foreign] = [await makeThings(ours), await makeThings(theirs)]
const roomOf = (path: string) => ROOMS.exec(path)?.[1] ?? ''

function bodyOf({ method, path }: { method: string; path: string }): Body | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  return BODIES[`${method} ${path.split('/').at(-1) ?? ''}`] ?? {}
}

/** A path with ids, and an answer in which they cannot be told from each other. */
const filled = (path: string, ids: (name: string) => unknown) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids(name)))
const withoutIds = (text: string, ids: readonly unknown[]) =>
  ids.reduce<string>((rest, id) => rest.replaceAll(String(id), '…'), text)

test('there is a thing for every name in a path', () => {
  expect(routes.length).toBeGreaterThan(40)
  for (const { path } of routes) {
    for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
      expect(foreign[roomOf(path)]?.[name], `${name} of ${path}`).toBeDefined()
    }
  }
})

test.each(routes)('$method $path of another organisation is not there', async (route) => {
  const things = foreign[roomOf(route.path)] ?? {}
  const mine = own[roomOf(route.path)] ?? {}
  const last = [...route.path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1]
  const hasTwo = route.path.split('{').length > 2
  const asked = (ids: (name: string) => unknown) =>
    ours.ask({ method: route.method, path: filled(route.path, ids), body: bodyOf(route) })

  const there = await asked((name) => things[name])
  const nowhere = await asked((name) => (name === 'recordId' ? '2' : UNKNOWN))
  expect(there.status, there.text).toBe(404)
  const ids = [...Object.values(things).filter((id) => id !== '2'), UNKNOWN]
  expect(withoutIds(there.text, ids)).toBe(withoutIds(nowhere.text, ids))

  // A thing of theirs below one of ours; lines of files are the same everywhere.
  if (hasTwo && last !== 'recordId' && !route.path.includes('{recordId}')) {
    const below = await asked((name) => (name === last ? things[name] : mine[name]))
    expect(below.status, below.text).toBe(404)
  }
})

test('a payment, a refund or a profile of another organisation cannot be named in a request', async () => {
  const run = `/api/v1/reconciliations/${String(own['reconciliations']?.['id'])}`
  const { id: payment, refundId: refund } = foreign['payments'] ?? {}
  for (const [field, id] of [
    ['paymentIds', payment],
    ['refundIds', refund],
  ] as const) {
    const match = (one: unknown) =>
      ours.ask({
        method: 'POST',
        path: `${run}/records/2/match`,
        body: { reason: 'seen', [field]: [one] },
      })
    const [there, nowhere] = [await match(id), await match(UNKNOWN)]
    expect(there.status, there.text).toBeGreaterThanOrEqual(400)
    expect(withoutIds(there.text, [id])).toBe(withoutIds(nowhere.text, [UNKNOWN]))
  }
  const profile = foreign['reconciliation-profiles']?.['id']
  const read = (id: unknown) =>
    ours.ask({
      method: 'POST',
      path: '/api/v1/reconciliation-profiles/preview',
      body: { profile: id, content: '' },
    })
  const [there, nowhere] = [await read(profile), await read(UNKNOWN)]
  expect(there.status).toBe(404)
  expect(withoutIds(there.text, [profile])).toBe(withoutIds(nowhere.text, [UNKNOWN]))
})

test('nothing of theirs has changed', async () => {
  const read = async (room: string) => {
    const id = String(foreign[room]?.['id'])
    return (await theirs.ask({ path: `/api/v1/${room}/${id}` })).body
  }
  expect(await read('payments')).toMatchObject({ status: 'succeeded' })
  expect(await read('approvals')).toMatchObject({ status: 'pending' })
  expect(await read('reconciliations')).toMatchObject({ discarded: null })
  expect(await read('webhook-endpoints')).toMatchObject({ status: 'enabled' })
  const line = `/api/v1/reconciliations/${String(foreign['reconciliations']?.['id'])}/records/2`
  expect((await theirs.ask({ path: line })).body).toMatchObject({ status: 'unmatched', version: 0 })
})

test('the audit of files and statements is searched by the id, each organisation its own', async () => {
  const search = async (member: Member, id: unknown) =>
    (await member.items(`/api/v1/audit/entries?entityId=${String(id)}`)).map(
      ({ audit, action, actor }) => `${String(audit)} ${String(action)} ${String(actor)}`,
    )
  const { id: jobId, rowId } = foreign['file-jobs'] ?? {}
  const runId = foreign['reconciliations']?.['id']
  expect(await search(theirs, jobId)).toContain(
    'evidence.audit_log file_job.received admin of theirs',
  )
  await vi.waitFor(
    async () =>
      expect(await search(theirs, rowId)).toContain(
        'evidence.file_outbox_row_audit row.published PUBLISHER',
      ),
    PATIENT,
  )
  expect(await search(theirs, runId)).toContain(
    'payments.audit_log reconciliation.uploaded admin of theirs',
  )
  for (const id of [jobId, rowId, runId]) expect(await search(ours, id)).toEqual([])
})
