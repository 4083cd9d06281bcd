import { expect, test } from 'vitest'
import { followUpOnce } from '../testing/running.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'

const db = await webhookDatabase()
const { as, announce, system } = await runWebhooks(db)
const fanOut = () => followUpOnce(db.pool, system.handlers ?? [])

async function endpoints(org: string, many: number, more = {}): Promise<string[]> {
  const client = await as({ org })
  const made = Array.from({ length: many }, (_, n) =>
    client.endpoint(`https://merchant.test/${org}/${n}`, more),
  )
  return (await Promise.all(made)).map(({ id }) => id)
}

/** Deliveries of an event, by the state that they are in. */
async function deliveriesOf(id: string): Promise<Record<string, number>> {
  const { rows } = await db.pool.query<{ status: string; n: number }>(
    `select status, count(*)::int as n from payments.webhook_deliveries
      where event_id = $1 group by status`,
    [id],
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

test('an event for many endpoints commits as one message, and two processes write its deliveries once', async () => {
  const [disabled] = await endpoints('many', 30)
  await endpoints('many', 2, {
    filter: { match: 'all', conditions: [{ path: '/data/paymentId', equals: 'another' }] },
  })
  await (await as({ org: 'many' })).send('POST', `/api/v1/webhook-endpoints/${disabled}/disable`)
  expect(await announce({ org: 'many', id: 'evt_many' })).toEqual([])
  expect(await deliveriesOf('evt_many')).toEqual({})
  await Promise.all([fanOut(), fanOut()])
  expect(await deliveriesOf('evt_many')).toEqual({ pending: 29, skipped_disabled: 1 })
  // The gateway tells it once more.
  await announce({ org: 'many', id: 'evt_many' })
  await fanOut()
  expect(await deliveriesOf('evt_many')).toEqual({ pending: 29, skipped_disabled: 1 })
})

test('an event for few endpoints has its deliveries at once', async () => {
  await endpoints('few', 10)
  expect(await announce({ org: 'few', id: 'evt_few' })).toHaveLength(10)
})

test('an event waits for earlier ones of its merchant, also when only few endpoints are left', async () => {
  const [kept = '', ...others] = await endpoints('shrinking', 11, { ordered: true })
  await announce({ org: 'shrinking', id: 'evt_first', key: 'pay_1' })
  const client = await as({ org: 'shrinking' })
  for (const id of others) await client.send('DELETE', `/api/v1/webhook-endpoints/${id}`)
  expect(await announce({ org: 'shrinking', id: 'evt_second', key: 'pay_1' })).toEqual([])
  await fanOut()
  const { rows } = await db.pool.query(
    'select event_id from payments.webhook_deliveries where endpoint_id = $1 order by position',
    [kept],
  )
  expect(rows).toEqual([{ event_id: 'evt_first' }, { event_id: 'evt_second' }])
  expect(await announce({ org: 'shrinking', id: 'evt_third', key: 'pay_1' })).toHaveLength(1)
})
