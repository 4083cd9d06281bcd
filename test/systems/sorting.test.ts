import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { loadSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

/* Every list that says it can be sorted, found by what the API says of itself. */

const database = await testDatabase()
// Nothing works on the rows: they stay as the test has them.
const env = { POSTHORN_ROLES: 'api' }
const server = await testServer(database, { systems: await loadSystems({}), env })

type Item = Record<string, unknown>
interface Parameter {
  readonly name: string
  readonly schema: { readonly enum?: readonly string[] }
}

const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, { get?: { parameters?: Parameter[] } }>
const lists = Object.entries(paths).flatMap(([path, { get }]) => {
  const sort = get?.parameters?.find(({ name }) => name === 'sort')
  return sort === undefined ? [] : [{ path, sorts: sort.schema.enum ?? [] }]
})

const JOB = '01890a5d-ac00-774b-bcce-b302099a8057'
const pathOf = (path: string) =>
  path.replace('{id}', JOB).replace('{name}', 'payments.webhook-deliveries')

/** Seven of each, in two organisations; amounts come twice, so that the id decides too. */
const SEED = `
  create temporary table n as
  select n, org, overlay(gen_random_uuid()::text placing '01890a5d-ac0' || n || '-7' from 1 for 15)::uuid as id
    from generate_series(1, 7) as n, unnest(array['demo', 'other']) as org;
  insert into payments.payments (id, org_id, user_id, amount, currency, created_at)
  select id, org, 'ada', 100 * (3 - n / 2 % 3), 'EUR', now() + n * interval '1 s' from n;
  insert into sagas.saga (id, tenant, name, version, step_names, input, created_at)
  select id, org, 'order', 1, '{pay}', '{}', now() + n * interval '1 s' from n;
  insert into sagas.orders (id, org_id, saga_id, items, amount, currency, created_at)
  select id, org, id, '[{"sku": "LAMP", "quantity": 1}]', 100 * (3 - n / 2 % 3), 'EUR',
         now() + n * interval '1 s'
    from n;
  insert into messages.outbound_message
         (id, org_id, channel, to_recipient, payload_json, idempotency_key, request_fingerprint,
          created_at)
  select id, org, 'WHATSAPP', '+41790000000', '{}', n, '', now() + n * interval '1 s' from n;
  insert into payments.webhook_endpoints (id, org_id, url, event_types)
  select id, org, 'https://example.com', '{*}' from n;
  insert into payments.webhook_deliveries
         (id, org_id, endpoint_id, event_id, event_type, payload, created_at)
  select id, org, id, 'e' || n, 'payment.succeeded', '{}', now() + n * interval '1 s' from n;
  insert into payments.webhook_events (event_id, type, payload, outcome, payment_id, org_id, received_at)
  select 'e' || n || org, 'charge.succeeded', '{}', 'applied', id, org, now() + n * interval '1 s' from n;
  insert into payments.proposals
         (id, org_id, kind, subject, request, proposed_by, expires_at, proposed_at)
  select id, org, 'refund', id, '{}', 'ada', now() + interval '1 day', now() + n * interval '1 s' from n;
  insert into payments.reconciliation_runs
         (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums, created_at)
  select id, org, 'ada', 'a.csv', sha256(convert_to(id::text, 'UTF8')), 1, 1, 1, '{}',
         now() + n * interval '1 s'
    from n;
  insert into evidence.file_job (id, org_id, filename, storage_key, storage_etag, size_bytes, created_at)
  select case when n = 1 and org = 'demo' then '${JOB}' else id end, org, 'a.zip', id, '', 1,
         now() + n * interval '1 s'
    from n;
  insert into evidence.file_job_tally (file_job_id)
  select id from evidence.file_job on conflict do nothing;
  insert into evidence.file_outbox_row
         (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files)
  select id, '${JOB}', org, n, n, 'c', '' from n where org = 'demo';
  insert into posthorn.alert (source, subject, code, detail, tenant, raised_at)
  select 's', id, 'STUCK', '', org, now() + n * interval '1 s' from n order by n;
  insert into posthorn.consumer_message
         (topic, group_name, state, message_id, headers, due_at, payload, tenant, created_at)
  select 't', 'g', 'retry', id, '{}', now(), '{}', org, now() + n * interval '1 s' from n order by n`

beforeAll(async () => {
  const client = await database.pool.connect()
  await client.query(SEED)
  client.release()
})

/** All pages of three, with the cursor that the first of them ended with. */
async function walk(path: string, sort: string) {
  const items: Item[] = []
  let cursor: string | null = null
  let first = ''
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await server.call(`${pathOf(path)}?limit=3&sort=${sort}${next}`)
    expect(status, `${path} ${sort} ${JSON.stringify(body)}`).toBe(200)
    items.push(...(body['items'] as Item[]))
    cursor = body['nextCursor'] as string | null
    first ||= cursor ?? ''
  } while (cursor !== null)
  return { items, first }
}

test('lists can be sorted', () => {
  expect(lists.map(({ path }) => path).toSorted()).toEqual([
    '/api/v1/alerts',
    '/api/v1/approvals',
    '/api/v1/consumers/dead-letters',
    '/api/v1/file-jobs',
    '/api/v1/file-jobs/{id}/rows',
    '/api/v1/messages',
    '/api/v1/orders',
    '/api/v1/outbound/messages',
    '/api/v1/outboxes/{name}/messages',
    '/api/v1/payments',
    '/api/v1/reconciliations',
    '/api/v1/sagas',
    '/api/v1/webhook-deliveries',
    '/api/v1/webhook-events',
  ])
})

test.each(lists)('$path is whole in each of its orders, page by page', async ({ path, sorts }) => {
  const walks = new Map<string, Awaited<ReturnType<typeof walk>>>()
  for (const sort of sorts) walks.set(sort, await walk(path, sort))
  for (const [sort, { items }] of walks) {
    expect(items.length, `${path} ${sort}`).toBeGreaterThanOrEqual(7)
    const field = sort.replace('-', '')
    const up = sort.startsWith('-') ? items.toReversed() : items
    const values = up.map((item) => item[field] as string | number)
    expect(values, `${path} ${sort}`).toEqual(
      values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    )
    // The other direction is the same list from its end, ties included.
    const other = walks.get(sort.startsWith('-') ? field : `-${field}`)
    const ids = (list: readonly Item[]) => list.map((item) => item['id'] ?? item['eventId'])
    expect(ids(other?.items ?? []).toReversed(), `${path} ${sort}`).toEqual(ids(items))
  }
})

test.each(lists)('$path refuses the cursor of another order', async ({ path, sorts }) => {
  for (const sort of sorts) {
    const { first } = await walk(path, sort)
    for (const other of sorts.filter((each) => each !== sort)) {
      const query = `limit=3&sort=${other}&cursor=${encodeURIComponent(first)}`
      const answer = await server.call(`${pathOf(path)}?${query}`)
      expect(answer, `${path} ${sort} as ${other}`).toMatchObject({
        status: 400,
        body: { code: 'CURSOR_INVALID' },
      })
    }
  }
  expect((await server.call(`${pathOf(path)}?sort=nonsense`)).status).toBe(400)
})

test('a cursor of another organisation shows nothing of it', async () => {
  const token = await server.tokenFor({ sub: 'olga', org: 'other', role: 'operator' })
  for (const { path, sorts } of lists.filter((each) => !each.path.includes('{id}'))) {
    for (const sort of sorts) {
      const { items, first } = await walk(path, sort)
      const query = `limit=50&sort=${sort}&cursor=${encodeURIComponent(first)}`
      const { status, body } = await server.call(`${pathOf(path)}?${query}`, { token })
      expect(status, path).toBe(200)
      const ours = new Set(items.filter((item) => item['tenant'] !== 'other').map(({ id }) => id))
      const shown = (body['items'] as Item[]).map(({ id }) => id)
      expect(
        shown.filter((id) => ours.has(id)),
        `${path} ${sort}`,
      ).toEqual([])
    }
  }
})
