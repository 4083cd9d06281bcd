import { sealAudits, verifyAudits } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { ROLES, type Role } from '@posthorn/http'
import { testServer } from '@posthorn/server/testing'
import { expect, test } from 'vitest'
import { payments } from './index.ts'

const database = await testDatabase()
const { pool } = database
const server = await testServer(database, { systems: [payments] })
const platform = await server.tokenFor({ role: 'platform' })

const portalToken = async (body: object, token?: string) => {
  const answer = await server.call('/api/v1/portal-tokens', { body, ...(token && { token }) })
  return answer as typeof answer & { body: { token: string; url: string } }
}

test('a portal belongs to the organisation of its token, for an hour at the most', async () => {
  const made = await portalToken({ user: 'shop-keeper', readOnly: true, expiresInSeconds: 60 })
  expect(made.status).toBe(201)
  expect(made.body.url).toBe(`${server.url}/portal#token=${made.body.token}`)
  const { body } = await server.call('/api/v1/me', { token: made.body.token })
  expect(body).toMatchObject({ sub: 'portal:shop-keeper', org: 'demo' })
  expect(Date.parse(String(body['expiresAt'])) - Date.now()).toBeLessThanOrEqual(60_000)
  expect((await portalToken({ expiresInSeconds: 3_601 })).status).toBe(400)
  const operator = await server.tokenFor({ role: 'operator' })
  expect((await portalToken({ org: 'other' }, operator)).status).toBe(403)
  // A token makes no other, and one that was changed is none.
  expect((await portalToken({}, made.body.token)).status).toBe(403)
  const changed = `${made.body.token.slice(0, -2)}AA`
  expect((await server.call('/api/v1/me', { token: changed })).status).toBe(401)
  const endpoint = { url: `${server.url}/sim/merchant/hooks`, eventTypes: ['*'] }
  const { body: own } = await server.call('/api/v1/webhook-endpoints', { body: endpoint })
  const path = `/api/v1/webhook-endpoints/${String(own['id'])}`
  expect((await server.call(path, { token: made.body.token })).status).toBe(200)
  const elsewhere = await portalToken({ org: 'other' }, platform)
  expect((await server.call(path, { token: elsewhere.body.token })).status).toBe(404)
})

test('every role searches the audit of its own organisation, and sees no payment of another', async () => {
  const clerk = await server.tokenFor({ sub: 'clara', org: 'audited', role: 'clerk' })
  const pay = async (once: string) => {
    const response = await fetch(`${server.url}/api/v1/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clerk}`,
        'content-type': 'application/json',
        'idempotency-key': once,
      },
      body: '{"amount":1000,"currency":"EUR"}',
    })
    return String(((await response.json()) as { id: unknown }).id)
  }
  const [first] = [await pay('one'), await pay('two')]
  const search = async (query: string, org = 'audited', role: Role = 'viewer') => {
    const token = await server.tokenFor({ org, role })
    return server.call(`/api/v1/audit/entries?${query}`, { token })
  }
  const found = await search(`entityType=payment&entityId=${first}&action=payment.created`)
  expect(found.body).toMatchObject({
    items: [{ audit: 'payments.audit_log', actor: 'clara', tenant: 'audited', entityId: first }],
    nextCursor: null,
  })
  // What is below a payment is there for its organisation, and for no role of another one.
  const { body: description } = await server.call('/openapi.json')
  const below = Object.entries(description['paths'] as Record<string, object>).flatMap(
    ([path, methods]) =>
      'get' in methods && /^\/api\/v1\/payments\/\{id\}(\/[a-z]+)?$/.test(path) ? [path] : [],
  )
  expect(below.length).toBeGreaterThan(3)
  for (const path of below) {
    const place = path.replace('{id}', first)
    expect(await server.call(place, { token: clerk }), path).toMatchObject({ status: 200 })
    for (const role of ROLES) {
      const token = await server.tokenFor({ org: 'other', role })
      expect(await server.call(place, { token }), `${role} ${path}`).toMatchObject({ status: 404 })
    }
  }
  const page = await search('actor=clara&action=payment.created&limit=1')
  const cursor = encodeURIComponent(String(page.body['nextCursor']))
  const next = await search(`actor=clara&action=payment.created&limit=1&cursor=${cursor}`)
  expect(next.body).toMatchObject({ items: [{ entityId: first }], nextCursor: null })
  const elsewhere = await search(`cursor=${cursor}`, 'other', 'operator')
  expect(JSON.stringify(elsewhere.body)).not.toContain('clara')
  expect(await search('tenant=audited', 'other')).toMatchObject({ status: 403 })
  const everything = await search(`entityId=${first}`, 'other', 'platform')
  expect((everything.body['items'] as unknown[]).length).toBeGreaterThan(0)
})

interface Entries {
  readonly items: readonly { readonly entityId: string }[]
  readonly nextCursor: string | null
}

async function entries(query: string): Promise<Entries> {
  const { status, body } = await server.call(`/api/v1/audit/entries?${query}`)
  expect(status).toBe(200)
  return body as unknown as Entries
}

async function note(id: string, org = 'demo'): Promise<void> {
  await pool.query(`select payments.create_audit_log($1, 'ada', 'noted', 'thing', $2)`, [org, id])
}

test('pages leave nothing out where numbers and times of transactions are crossed', async () => {
  const slow = await pool.connect()
  try {
    await slow.query('begin')
    await note('quick')
    await slow.query(`select payments.create_audit_log('demo', 'ada', 'crossed', 'thing', 'slow')`)
    await slow.query('commit')
  } finally {
    slow.release()
  }
  await pool.query(`select payments.create_audit_log('demo', 'ada', 'crossed', 'thing', 'last')`)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { items, nextCursor }: Entries = await entries(
      `entityType=thing&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    seen.push(...items.map(({ entityId }) => entityId))
    cursor = nextCursor
  }
  expect(seen).toEqual(['last', 'slow', 'quick'])
})

test('the real time is sealed, and seals of before it hold', async () => {
  const before = `array_remove(public_columns, 'recorded_at')`
  await pool.query(
    `update posthorn.audit_table set public_columns = ${before} where name = 'payments.audit_log'`,
  )
  await note('of before', 'other')
  await sealAudits(pool)
  await pool.query(`update posthorn.audit_table
                       set public_columns = public_columns || array['recorded_at']
                     where name = 'payments.audit_log'`)
  await note('changed', 'other')
  await sealAudits(pool)
  expect((await verifyAudits(pool)).findings).toEqual([])
  await pool.query(`begin; set local session_replication_role = replica;
    update payments.audit_log set recorded_at = recorded_at - interval '1 day' where org_id = 'other';
    commit`)
  // The first as well, if its seal had covered the column.
  expect((await verifyAudits(pool)).findings).toMatchObject([{ kind: 'changed' }])
})
