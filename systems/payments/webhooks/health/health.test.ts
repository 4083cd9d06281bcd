import { transaction } from '@posthorn/engine'
import { advanceClock } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { openReceiver } from '../../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../../testing/running-webhooks.ts'
import { sumTallies } from './queries.ts'

const db = await webhookDatabase()
const running = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const receiver = await openReceiver((response, { path }) => {
  response.statusCode = path === '/broken' ? 500 : 200
  response.end()
})
const PATH = '/api/v1/webhook-endpoints'

test('says how each endpoint of a merchant is doing, and nothing of others', async () => {
  const client = await running.as({ org: 'ill' })
  const well = await client.endpoint(`${receiver.url}/well`)
  const broken = await client.endpoint(`${receiver.url}/broken`)
  await client.endpoint(`${receiver.url}/idle`, { eventTypes: ['never.*'] })
  await running.announce({ org: 'ill' })
  await running.settle()
  const { body } = await client.get(`${PATH}/health`)
  const of = (id: string) =>
    body.items.find(({ endpointId }: { endpointId: string }) => endpointId === id)
  expect(body.items).toHaveLength(2)
  expect(of(well.id)).toMatchObject({
    delivered: 1,
    successRate: 1,
    lastFailure: null,
    breakerOpen: false,
    lastDeliveredAt: expect.any(String),
  })
  expect(of(broken.id)).toMatchObject({
    delivered: 0,
    failing: 1,
    successRate: 0,
    lastFailure: { code: 'WEBHOOK_STATUS', deliveryId: expect.any(String) },
  })
  const other = await running.as({ org: 'other' })
  expect((await other.get(`${PATH}/health`)).body).toEqual({ items: [] })
  // The relay writes down what it did with its next heartbeat.
  const charted = async (as: typeof client) => {
    const charts = await as.get(`${PATH}/charts?minutes=15`)
    expect(charts.body).toMatchObject({ stretchSeconds: 60, count: 15 })
    return charts.body.items as { endpointId: string; answered: number[]; unanswered: number[] }[]
  }
  const total = (counts: readonly number[] = []) => counts.reduce((sum, n) => sum + n, 0)
  await expect.poll(async () => (await charted(client)).length, { timeout: 20_000 }).toBe(2)
  const charts = await charted(client)
  const chartOf = (id: string) => charts.find(({ endpointId }) => endpointId === id)
  expect(total(chartOf(well.id)?.answered)).toBe(1)
  expect(total(chartOf(broken.id)?.unanswered)).toBeGreaterThan(0)
  expect(await charted(other)).toEqual([])
})

test('counts everything of its days, summed up or not, by as many as do it', async () => {
  const client = await running.as({ org: 'counted' })
  const { id } = await client.endpoint(`${receiver.url}/well`)
  for (let i = 0; i < 3; i += 1) await running.announce({ org: 'counted' })
  await running.settle()
  // More than a thousand deliveries of another endpoint do not hide these.
  await db.pool.query(
    `insert into payments.webhook_deliveries
            (id, org_id, endpoint_id, event_id, event_type, payload, status, delivered_at)
     select gen_random_uuid(), 'counted', $1, 'old_' || n, 't', '{}', 'delivered', now()
       from generate_series(1, 1500) n`,
    [(await client.endpoint(`${receiver.url}/other`)).id],
  )
  const health = async (days = 7) => {
    const { body } = await client.get(`${PATH}/health?days=${days}`)
    return body.items.find(({ endpointId }: { endpointId: string }) => endpointId === id)
  }
  expect(await health()).toMatchObject({ delivered: 3 })
  const sum = () => transaction(db.pool, sumTallies)
  await Promise.all([sum(), sum(), sum()])
  expect((await db.pool.query('select from payments.webhook_tallies')).rowCount).toBe(0)
  await running.announce({ org: 'counted' })
  await running.settle()
  expect(await health()).toMatchObject({ delivered: 4, successRate: 1 })
  await sum()
  expect(await health()).toMatchObject({ delivered: 4, lastDeliveredAt: expect.any(String) })
  await client.send('POST', `${PATH}/${id}/disable`)
  await running.announce({ org: 'counted' })
  expect(await health()).toMatchObject({ delivered: 4, skipped: 1 })
  await advanceClock(db.pool, '49h')
  expect(await health(2)).toMatchObject({ delivered: 0 })
  expect(await health(3)).toMatchObject({ delivered: 4 })
})

test('an endpoint that a relay leaves alone says so', async () => {
  const client = await running.as({ org: 'alone' })
  const { id } = await client.endpoint(`${receiver.url}/well`)
  await running.announce({ org: 'alone' })
  const outbox = 'payments.webhook-deliveries'
  const breakers = { [outbox]: [{ destination: `webhooks:${id}`, openMs: 1_000 }] }
  await db.pool.query(
    `insert into posthorn.session (relay, outboxes, breakers) values ('somewhere', $1, $2)`,
    [[outbox], JSON.stringify(breakers)],
  )
  const { body } = await client.get(`${PATH}/health`)
  expect(body.items).toMatchObject([{ endpointId: id, breakerOpen: true }])
})

test('why an endpoint is disabled is kept', async () => {
  const client = await running.as({ org: 'why' })
  const { id } = await client.endpoint(`${receiver.url}/why`)
  const disabled = await client.send('POST', `${PATH}/${id}/disable`, { reason: 'they move' })
  expect(disabled.body).toMatchObject({ disabledReason: 'disabled by ada: they move' })
})

test('deliveries are found by the type and the time of their event', async () => {
  const client = await running.as({ org: 'found' })
  await client.endpoint(`${receiver.url}/found`)
  const [lamp] = await running.announce({ org: 'found', type: 'lamp.lit' })
  await running.announce({ org: 'found', type: 'lamp.out' })
  const ids = async (query: string) =>
    (await client.get(`/api/v1/webhook-deliveries?${query}`)).body.items.map(
      ({ id }: { id: string }) => id,
    )
  expect(await ids('eventType=lamp.lit')).toEqual([lamp])
  expect(await ids('until=2020-01-01T00:00:00Z')).toEqual([])
  expect(await ids('since=2020-01-01T00:00:00Z')).toHaveLength(2)
})

test('success is of the attempts of the days, and what waits hides nothing that fails', async () => {
  const client = await running.as({ org: 'shares' })
  const { id } = await client.endpoint(`${receiver.url}/well`)
  await running.announce({ org: 'shares' })
  await running.settle()
  await db.pool.query(`insert into payments.webhook_tallies (counts) values ($1::jsonb)`, [
    JSON.stringify([{ endpointId: id, failed: 3 }]),
  ])
  const { rows } = await db.pool.query<{ share: number }>(
    `select sum((c ->> 'delivered')::float8)
              / sum(coalesce((c ->> 'delivered')::float8, 0) + coalesce((c ->> 'failed')::float8, 0)) as share
       from payments.webhook_tallies cross join lateral jsonb_array_elements(counts) as c
      where c ->> 'endpointId' = $1`,
    [id],
  )
  await db.pool.query(
    `insert into payments.webhook_deliveries
            (id, org_id, endpoint_id, event_id, event_type, payload, status, next_attempt_at)
     select gen_random_uuid(), 'shares', $1, 'later_' || n, 't', '{}',
            case when n <= 1100 then 'pending' else 'failed' end, now() + interval '1 day'
       from generate_series(1, 1107) n`,
    [id],
  )
  const { body } = await client.get(`${PATH}/health`)
  expect(body.items).toMatchObject([
    { delivered: 1, failedAttempts: 3, successRate: rows[0]?.share, waiting: 1_000, failing: 7 },
  ])
  expect(rows[0]?.share).toBe(0.25)
  await db.pool.query('delete from payments.webhook_deliveries where endpoint_id = $1', [id])
})
