import { uuid } from '@posthorn/engine'
import { advanceClock } from '@posthorn/operate'
import { verifyWebhook } from '@posthorn/transports/webhook'
import { expect, test } from 'vitest'
import { filtersFor } from './endpoints/endpoint.ts'
import { openReceiver } from '../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'

const db = await webhookDatabase()
const open = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const strict = await runWebhooks(db)
const receiver = await openReceiver((response) => void response.end())
const PATH = '/api/v1/webhook-endpoints'

test('an endpoint is made, shown without its secret, changed and forgotten', async () => {
  const client = await open.as({ org: 'one' })
  const { status, body } = await client.send('POST', PATH, {
    url: `${receiver.url}/a`,
    eventTypes: ['payment.*', 'evidence.final_results'],
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    url: `${receiver.url}/a`,
    eventTypes: ['payment.*', 'evidence.final_results'],
    status: 'enabled',
    ordered: false,
    secret: expect.stringMatching(/^whsec_/),
  })
  const one = `${PATH}/${body.id}`
  expect((await client.get(one)).body).not.toHaveProperty('secret')
  expect((await client.get(PATH)).body).toMatchObject({
    items: [{ id: body.id }],
    nextCursor: null,
  })
  expect((await client.send('PATCH', one, { eventTypes: ['*'] })).body).toMatchObject({
    eventTypes: ['*'],
    url: `${receiver.url}/a`,
  })
  const waiting = await open.announce({ org: 'one' })
  expect(waiting).toHaveLength(1)
  expect((await client.send('DELETE', one)).status).toBe(204)
  expect((await client.get(one)).status).toBe(404)
  expect((await client.send('DELETE', one)).status).toBe(404)
  expect(await client.delivery(waiting[0] ?? '')).toMatchObject({ status: 'skipped_disabled' })
  expect(await open.announce({ org: 'one' })).toEqual([])
  const { rows } = await db.pool.query(
    'select 1 from payments.webhook_secrets where endpoint_id = $1',
    [body.id],
  )
  expect(rows).toEqual([])
})

test('secrets are sealed where they are stored', async () => {
  const client = await open.as({ org: 'sealed' })
  const { id, secret } = await client.endpoint(`${receiver.url}/sealed`)
  const { rows } = await db.pool.query<{ sealed: string }>(
    'select sealed from payments.webhook_secrets where endpoint_id = $1',
    [id],
  )
  expect(rows[0]?.sealed).not.toContain(secret.slice('whsec_'.length, 20))
})

test('another merchant sees nothing of it', async () => {
  const client = await open.as({ org: 'two' })
  const other = await open.as({ org: 'three' })
  const { id } = await client.endpoint(`${receiver.url}/two`)
  const [delivery = ''] = await open.announce({ org: 'two' })
  for (const [method, path] of [
    ['GET', `${PATH}/${id}`],
    ['PATCH', `${PATH}/${id}`],
    ['DELETE', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/rotate-secret`],
    ['POST', `${PATH}/${id}/enable`],
    ['POST', `${PATH}/${id}/disable`],
    ['POST', `${PATH}/${id}/ping`],
    ['POST', `${PATH}/${id}/replay`],
    ['GET', `/api/v1/webhook-deliveries/${delivery}`],
    ['GET', `/api/v1/webhook-deliveries/${delivery}/attempts`],
    ['GET', `/api/v1/webhook-deliveries/${delivery}/audit`],
    ['POST', `/api/v1/webhook-deliveries/${delivery}/replay`],
  ] as const) {
    const body =
      path.endsWith('replay') && path.startsWith(PATH) ? { since: '2020-01-01T00:00:00Z' } : {}
    const answer = await other.send(method, path, method === 'GET' ? undefined : body)
    expect([method, path, answer.status]).toEqual([method, path, 404])
  }
  expect((await other.get('/api/v1/webhook-deliveries')).body.items).toEqual([])
  expect((await other.get(PATH)).body.items).toEqual([])
  expect((await client.get(`${PATH}/${id}`)).body).toMatchObject({ status: 'enabled' })
})

test.each([
  'http://127.0.0.1/hook',
  'http://localhost:9999/hook',
  'http://[::1]/',
  'http://0x7f.1/',
  'http://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'https://user:secret@example.com/',
  'ftp://example.com/',
  'not a url',
])('%s is no place for webhooks', async (url) => {
  const client = await strict.as({ org: 'ssrf' })
  const answer = await client.send('POST', PATH, { url, eventTypes: ['*'] })
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'URL_NOT_ALLOWED', errors: [{ field: 'url' }] },
  })
  expect((await client.get(PATH)).body.items).toEqual([])
})

test('only the hooks of the simulated merchant are exempt, not the server around them', async () => {
  const client = await strict.as({ org: 'exempt' })
  const { id } = await client.endpoint(`${strict.url}/sim/merchant/hooks/mine`)
  const aside = strict.url.replace('127.0.0.1', 'localhost')
  await client.endpoint(`${aside}/sim/merchant/hooks`)
  for (const path of [
    '/',
    '/api/v1/webhook-endpoints',
    '/sim/merchant/hooks/../faults',
    '/sim/merchant/hooksy',
  ]) {
    const answer = await client.send('POST', PATH, { url: strict.url + path, eventTypes: ['*'] })
    expect([path, answer.status]).toEqual([path, 400])
    const changed = await client.send('PATCH', `${PATH}/${id}`, { url: strict.url + path })
    expect([path, changed.status]).toEqual([path, 400])
  }
})

test('what is wrong with a request is said, and nothing changes', async () => {
  const client = await open.as({ org: 'wrong' })
  const url = 'https://merchant.example/hooks'
  for (const body of [
    {},
    { url },
    { url, eventTypes: [] },
    { url, eventTypes: ['no spaces'] },
    { url, eventTypes: ['*', '*'] },
    { url: 7, eventTypes: ['*'] },
    { url, eventTypes: ['*'], ordered: 'yes' },
  ]) {
    const answer = await client.send('POST', PATH, body)
    expect([JSON.stringify(body), answer.status]).toEqual([JSON.stringify(body), 400])
    expect(answer.body.code).toBe('VALIDATION_FAILED')
  }
  expect((await client.get(`${PATH}/nonsense`)).status).toBe(400)
  expect((await client.get(`${PATH}/${uuid()}`)).status).toBe(404)
  expect((await client.get(`${PATH}?cursor=nonsense`)).body.code).toBe('CURSOR_INVALID')
  expect((await client.get('/api/v1/webhook-deliveries?status=odd')).status).toBe(400)
  const { id } = await client.endpoint(`${receiver.url}/wrong`)
  const replay = await client.send('POST', `${PATH}/${id}/replay`, {
    since: '2026-01-02T00:00:00Z',
    until: '2026-01-01T00:00:00Z',
  })
  expect(replay).toMatchObject({ status: 400, body: { errors: [{ field: 'until' }] } })
})

test('an endpoint gets what it asked for, once', async () => {
  const client = await open.as({ org: 'filters' })
  const all = await client.endpoint(`${receiver.url}/all`)
  const some = await client.endpoint(`${receiver.url}/some`, { eventTypes: ['payment.*'] })
  const none = await client.endpoint(`${receiver.url}/none`, { eventTypes: ['payment.failed'] })
  await open.announce({ org: 'filters', id: 'e1', type: 'payment.succeeded' })
  await open.announce({ org: 'filters', id: 'e2', type: 'evidence.initial_results' })
  await open.announce({ org: 'filters', id: 'e1', type: 'payment.succeeded' })
  await open.settle()
  const eventsOf = async (id: string) => {
    const { body } = await client.get(`/api/v1/webhook-deliveries?endpointId=${id}`)
    return (body.items as { eventId: string }[]).map(({ eventId }) => eventId)
  }
  expect(await eventsOf(all.id)).toEqual(['e2', 'e1'])
  expect(await eventsOf(some.id)).toEqual(['e1'])
  expect(await eventsOf(none.id)).toEqual([])
  expect(new Set(receiver.bodies('/all').map(({ id }) => id))).toEqual(new Set(['e1', 'e2']))
  expect(receiver.bodies('/all')).toHaveLength(2)
  expect(filtersFor('a.b.c')).toEqual(['*', 'a.b.c', 'a.*', 'a.b.*'])
})

test('a new secret signs at once, and the old one beside it for 24 hours', async () => {
  const client = await open.as({ org: 'rotation' })
  const { id, secret: old } = await client.endpoint(`${receiver.url}/rotation`)
  const rotated = await client.send('POST', `${PATH}/${id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  const { secret } = rotated.body as { secret: string }
  expect(secret).not.toBe(old)
  const last = async () => {
    await client.send('POST', `${PATH}/${id}/ping`)
    await open.settle()
    const { headers = {}, text: body = '' } = receiver.hooks.at(-1) ?? {}
    const { 'x-webhook-signature': plain, ...standard } = headers
    const isBy = (by: string) => verifyWebhook({ headers: standard, body, secrets: [by] }).ok
    const isPlainBy = (by: string) =>
      verifyWebhook({ headers: { 'x-webhook-signature': plain }, body, secrets: [by] }).ok
    return {
      ...{ headers, old: isBy(old), current: isBy(secret) },
      ...{ plainOld: isPlainBy(old), plainCurrent: isPlainBy(secret) },
    }
  }
  const during = await last()
  // The plain header holds one signature: a receiver of the old secret goes on with it.
  expect(during).toMatchObject({ old: true, current: true, plainOld: true, plainCurrent: false })
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2)
  await advanceClock(db.pool, '25h')
  expect(await last()).toMatchObject({
    ...{ old: false, current: true },
    ...{ plainOld: false, plainCurrent: true },
  })
})

test('a ping goes out regardless of the filter, and not to a disabled endpoint', async () => {
  const client = await open.as({ org: 'ping' })
  const { id } = await client.endpoint(`${receiver.url}/ping`, { eventTypes: ['payment.failed'] })
  const ping = await client.send('POST', `${PATH}/${id}/ping`)
  expect(ping.status).toBe(202)
  await open.settle()
  expect(await client.delivery(ping.body.deliveryId)).toMatchObject({
    status: 'delivered',
    eventType: 'webhook.ping',
  })
  expect(receiver.bodies('/ping')).toMatchObject([{ type: 'webhook.ping', data: { by: 'ada' } }])
  await client.send('POST', `${PATH}/${id}/disable`)
  expect(await client.send('POST', `${PATH}/${id}/ping`)).toMatchObject({
    status: 409,
    body: { code: 'ENDPOINT_DISABLED' },
  })
})

test('disabling skips what waits, also what is claimed at that moment', async () => {
  const client = await open.as({ org: 'off' })
  const { id } = await client.endpoint(`${receiver.url}/off`)
  const [waiting = ''] = await open.announce({ org: 'off' })
  const [claimed = ''] = await open.announce({ org: 'off' })
  // As if a relay held it: the route cannot cancel it.
  await db.pool.query(
    `update payments.webhook_deliveries
        set claim_token = gen_random_uuid(), claimed_until = now() + interval '1 hour'
      where id = $1`,
    [claimed],
  )
  const disabled = await client.send('POST', `${PATH}/${id}/disable`)
  expect(disabled.body).toMatchObject({ status: 'disabled', disabledReason: 'disabled by ada' })
  expect(await client.delivery(waiting)).toMatchObject({ status: 'skipped_disabled' })
  expect(await client.delivery(claimed)).toMatchObject({ status: 'pending' })
  await db.pool.query(
    'update payments.webhook_deliveries set claim_token = null, claimed_until = null where id = $1',
    [claimed],
  )
  await open.settle()
  expect(await client.delivery(claimed)).toMatchObject({ status: 'skipped_disabled' })
  expect(receiver.bodies('/off')).toEqual([])

  const replay = `/api/v1/webhook-deliveries/${claimed}/replay`
  expect((await client.send('POST', replay)).body).toMatchObject({ code: 'ENDPOINT_DISABLED' })
  await client.send('POST', `${PATH}/${id}/enable`)
  expect((await client.send('POST', replay)).status).toBe(202)
  expect((await client.send('POST', replay)).body).toMatchObject({ code: 'DELIVERY_NOT_FINISHED' })
  await open.settle()
  expect(await client.delivery(claimed)).toMatchObject({ status: 'delivered' })
  // A merchant may ask for what it has had already.
  expect((await client.send('POST', replay)).status).toBe(202)
  await open.settle()
  expect(receiver.bodies('/off')).toHaveLength(2)
})

test('a merchant has a limit of endpoints, and pages through them', async () => {
  const client = await open.as({ org: 'many' })
  await db.pool.query(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     select gen_random_uuid(), 'many', 'https://merchant.example/' || n, '{*}'
       from generate_series(1, 199) n`,
  )
  await client.endpoint(`${receiver.url}/last`)
  const one = { url: `${receiver.url}/more`, eventTypes: ['*'] }
  expect(await client.send('POST', PATH, one)).toMatchObject({
    status: 409,
    body: { code: 'ENDPOINT_LIMIT' },
  })
  const seen = new Set<string>()
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await client.get(`${PATH}?limit=60${query}`)
    for (const { id } of body.items as { id: string }[]) seen.add(id)
    cursor = body.nextCursor as string | null
  }
  expect(seen.size).toBe(200)
})

test('the limit holds for endpoints that are made at once', async () => {
  const client = await open.as({ org: 'crowd' })
  await db.pool.query(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     select gen_random_uuid(), 'crowd', 'https://merchant.example/' || n, '{*}'
       from generate_series(1, 195) n`,
  )
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      client.send('POST', PATH, { url: `${receiver.url}/${n}`, eventTypes: ['*'] }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
})
