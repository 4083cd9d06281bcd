import { createRelay } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { openReceiver } from '../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'

const db = await webhookDatabase()
const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '3000' }
// Two servers as two processes would be: transports, lines and connections of their own.
const first = await runWebhooks(db, env)
const second = await runWebhooks(db, env)

let slowMs = 0
const receiver = await openReceiver((response, { path }) => {
  if (path.startsWith('/hang')) return
  setTimeout(() => response.end(), path.startsWith('/slow') ? slowMs : 0)
})

test('two relays at work: each event once, beside endpoints that hang and that are slow', async () => {
  slowMs = 900
  const client = await first.as({ org: 'busy' })
  const hanging = await client.endpoint(`${receiver.url}/hang`)
  await client.endpoint(`${receiver.url}/slow`)
  await Promise.all(Array.from({ length: 8 }, (_, n) => client.endpoint(`${receiver.url}/ok/${n}`)))
  const relays = [first, second].map(({ system: { outboxes, transports = {} } }) =>
    createRelay({ pool: db.pool, outboxes, transports }),
  )
  await Promise.all(relays.map((relay) => relay.start()))
  try {
    const started = Date.now()
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => first.announce({ org: 'busy', id: `busy_${n}` })),
    )
    const states = async () => {
      const { rows } = await db.pool.query<{ kind: string; status: string; n: number }>(
        `select split_part(e.url, '/', 4) as kind, d.status, count(*)::int as n
           from payments.webhook_deliveries d join payments.webhook_endpoints e on e.id = d.endpoint_id
          where d.org_id = 'busy' group by 1, 2 order by 1, 2`,
      )
      return rows
    }
    await expect
      .poll(async () => (await states()).filter(({ kind }) => kind === 'ok'))
      .toEqual([{ kind: 'ok', status: 'delivered', n: 96 }])
    // Long before the first of those that hang had its timeout, even on a busy machine.
    const hungFor = Date.now() - started
    expect(hungFor).toBeLessThan(3_000 + 5_000)
    await expect
      .poll(async () => (await states()).filter(({ kind }) => kind === 'slow'), { timeout: 40_000 })
      .toEqual([{ kind: 'slow', status: 'delivered', n: 12 }])
    const idsAt = (kind: string) =>
      receiver.hooks
        .filter(({ path }) => path.startsWith(kind))
        .map(({ text }) => JSON.parse(text).id)
    // None went out twice: not those of quick endpoints, and not those whose answer came late.
    expect(idsAt('/ok')).toHaveLength(96)
    expect(idsAt('/slow')).toHaveLength(12)
    expect(new Set(idsAt('/slow')).size).toBe(12)
    const { rows: settled } = await db.pool.query(
      `select count(*)::int as attempts, count(distinct a.delivery_id)::int as deliveries
         from payments.webhook_attempts a
         join payments.webhook_deliveries d on d.id = a.delivery_id
        where d.org_id = 'busy' and d.status = 'delivered' and a.state = 'settled'`,
    )
    expect(settled).toEqual([{ attempts: 108, deliveries: 108 }])
    expect(
      (await client.send('POST', `/api/v1/webhook-endpoints/${hanging.id}/disable`)).status,
    ).toBe(200)
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()))
  }
})

test('an unsettled answer is applied by another relay, without a second request', async () => {
  slowMs = 700
  const client = await second.as({ org: 'handover' })
  await client.endpoint(`${receiver.url}/slow/handover`)
  const [id = ''] = await second.announce({ org: 'handover' })
  // The first relay sends and goes away before the answer is settled; its transport lives on.
  await first.relay.tick()
  expect(await client.delivery(id)).toMatchObject({
    status: 'pending',
    errorCode: 'WEBHOOK_PENDING',
  })
  await expect
    .poll(
      async () => {
        await second.relay.tick()
        return (await client.delivery(id))['status']
      },
      { interval: 100 },
    )
    .toBe('delivered')
  expect(receiver.bodies('/slow/handover')).toHaveLength(1)
  expect(await client.actions(id)).toEqual(['webhook.delivered'])
})

test('a request whose process is gone is made again', async () => {
  const client = await first.as({ org: 'lost' })
  await client.endpoint(`${receiver.url}/ok/lost`)
  const [id = ''] = await first.announce({ org: 'lost' })
  // As a process leaves it that was killed while the request went on by itself.
  await db.pool.query(
    `insert into payments.webhook_attempts (id, delivery_id, attempt_no, state, open_until)
     values (gen_random_uuid(), $1, 1, 'open', now() + interval '1 hour')`,
    [id],
  )
  await first.settle()
  expect(await client.delivery(id)).toMatchObject({
    status: 'pending',
    errorCode: 'WEBHOOK_PENDING',
  })
  expect(receiver.bodies('/ok/lost')).toEqual([])
  await db.pool.query(
    `update payments.webhook_attempts set open_until = now() where delivery_id = $1`,
    [id],
  )
  await db.pool.query(
    `update payments.webhook_deliveries set next_attempt_at = posthorn.now() where id = $1`,
    [id],
  )
  await first.settle()
  await expect
    .poll(async () => {
      await first.settle()
      return (await client.delivery(id))['status']
    })
    .toBe('delivered')
  const { body } = await client.get(`/api/v1/webhook-deliveries/${id}/attempts`)
  const classes = (body.items as { errorClass: string | null }[]).map(
    ({ errorClass }) => errorClass,
  )
  expect(new Set(classes)).toEqual(new Set([null, 'lost']))
})
