import { testDatabase } from '@posthorn/engine/testing'
import { loadSystems } from '@posthorn/server'
import { letterSystem, SEEDED_ID, testServer } from '@posthorn/server/testing'
import { beforeAll, expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'

/* Every list that says it can be sorted, found by what the API says of itself. */

const database = await testDatabase()
// Nothing works on the rows: they stay as the test has them.
const env = { POSTHORN_ROLES: 'api' }
const systems = [...(await loadSystems({})), letterSystem().system]
const server = await testServer(database, { systems, env })
const sortings = await contributionsTo('sorting')

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

const pathOf = (path: string) => path.replace('{id}', SEEDED_ID).replace('{name}', 'test.letters')

/** Seven of each, in two organisations. */
const SEED = `
  create temporary table n as
  select n, org, overlay(gen_random_uuid()::text placing '01890a5d-ac0' || n || '-7' from 1 for 15)::uuid as id
    from generate_series(1, 7) as n, unnest(array['demo', 'other']) as org;
  ${sortings.map(({ seed }) => seed).join('')}
  insert into letters.letter (id, org_id, reader, type, created_at)
  select id, org, 'ada', 'note', now() + n * interval '1 s' from n;
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
  const own = [
    ...['/api/v1/alerts', '/api/v1/consumers/dead-letters', '/api/v1/messages'],
    '/api/v1/outboxes/{name}/messages',
  ]
  expect(lists.map(({ path }) => path).toSorted()).toEqual(
    [...own, ...sortings.flatMap((each) => each.lists)].toSorted(),
  )
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
