import { advanceClock } from '@posthorn/operate'
import { verifyWebhook } from '@posthorn/transports/webhook'
import { expect, test } from 'vitest'
import { openReceiver } from '../../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../../testing/running-webhooks.ts'
import { takeRequests } from './queries.ts'

const db = await webhookDatabase()
const open = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const receiver = await openReceiver((response, { path }) => {
  if (path === '/slow') return
  response.writeHead(path === '/broken' ? 500 : 200).end()
})
const PATH = '/api/v1/webhook-endpoints'

test('waits and attempts are those of the endpoint', async () => {
  const client = await open.as({ org: 'patient' })
  const { id } = await client.endpoint(`${receiver.url}/broken`, {
    retry: { waits: [10, 60], attempts: 4 },
  })
  const [delivery = ''] = await open.announce({ org: 'patient' })
  const dueIn = async () => {
    const { rows } = await db.pool.query<{ s: string }>(
      `select round(extract(epoch from next_attempt_at - posthorn.now())) as s
         from payments.webhook_deliveries where id = $1`,
      [delivery],
    )
    return Number(rows[0]?.s)
  }
  const waited = []
  for (let attempt = 1; attempt < 4; attempt += 1) {
    await open.settle()
    waited.push(await dueIn())
    await advanceClock(db.pool, '61s')
  }
  await open.settle()
  // The seconds that the test itself takes are gone of each.
  expect(waited.map((s) => Math.ceil(s / 10) * 10)).toEqual([10, 60, 60])
  expect(await client.delivery(delivery)).toMatchObject({ status: 'abandoned', attempts: 4 })

  const read = async () => (await client.get(`${PATH}/${id}`)).body.retry
  expect(await read()).toEqual({ preset: null, waits: [10, 60], attempts: 4 })
  await client.send('PATCH', `${PATH}/${id}`, { retry: { preset: 'days' } })
  expect(await read()).toMatchObject({ preset: 'days', attempts: 10 })
  // What is not named stays.
  await client.send('PATCH', `${PATH}/${id}`, { ordered: true })
  expect(await read()).toMatchObject({ preset: 'days' })
  await client.send('PATCH', `${PATH}/${id}`, { retry: null })
  expect(await read()).toEqual({ preset: 'quick', waits: [2, 4, 8, 16], attempts: 5 })
  for (const retry of [{ waits: [] }, { waits: [0] }, { preset: 'never' }, { attempts: 3 }]) {
    expect((await client.send('PATCH', `${PATH}/${id}`, { retry })).status).toBe(400)
  }
})

test('an exchange is over after the time of the endpoint', async () => {
  const client = await open.as({ org: 'brief' })
  const { id } = await client.endpoint(`${receiver.url}/slow`, { timeoutMs: 1_000 })
  const [delivery = ''] = await open.announce({ org: 'brief' })
  await open.settle()
  await expect
    .poll(async () => (await open.settle(), (await client.delivery(delivery))['errorCode']))
    .toBe('WEBHOOK_TIMEOUT')
  const { body } = await client.get(`/api/v1/webhook-deliveries/${delivery}/attempts`)
  expect(body.items[0].durationMs).toBeLessThan(9_000)
  for (const timeoutMs of [999, 30_001]) {
    expect((await client.send('PATCH', `${PATH}/${id}`, { timeoutMs })).status).toBe(400)
  }
})

test('a rate holds for all relays, and what is beyond it comes one after the other', async () => {
  const client = await open.as({ org: 'paced' })
  const { id } = await client.endpoint(`${receiver.url}/paced`, { ratePerSecond: 1 })
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  for (let i = 0; i < 12; i += 1) await open.announce({ org: 'paced' })
  const countHooks = () => receiver.hooks.filter(({ path }) => path === '/paced').length
  await open.settle()
  expect(countHooks()).toBeGreaterThanOrEqual(1)
  expect(countHooks()).toBeLessThanOrEqual(2 + seconds())
  const { body } = await client.get(`/api/v1/webhook-deliveries?endpointId=${id}&status=pending`)
  const put = body.items as { errorCode: string; attempts: number; nextAttemptAt: string }[]
  expect(new Set(put.map(({ errorCode }) => errorCode))).toEqual(new Set(['WEBHOOK_PACED']))
  expect(new Set(put.map(({ attempts }) => attempts))).toEqual(new Set([0]))
  expect(new Set(put.map(({ nextAttemptAt }) => nextAttemptAt)).size).toBe(put.length)

  // As many relays as there like: one bucket.
  const ask = { endpointId: id, rate: 1, count: 4 }
  const granted = await Promise.all(Array.from({ length: 8 }, () => takeRequests(db.pool, [ask])))
  const sum = granted.flat().reduce((all, each) => all + each.granted, 0)
  expect(countHooks() + sum).toBeLessThanOrEqual(2 + seconds())
  const slots = granted.flat().map(({ slot_ms: ms }) => ms)
  expect(Math.max(...slots)).toBeGreaterThan(3_000)

  await client.send('PATCH', `${PATH}/${id}`, { ratePerSecond: null })
  await advanceClock(db.pool, '1m')
  await open.settle()
  expect(countHooks()).toBe(12)
})

test('a key pair signs instead of a secret, and both sign for a day after a change', async () => {
  const client = await open.as({ org: 'pair' })
  const made = (await client.endpoint(`${receiver.url}/pair`, {
    signing: 'ed25519',
  })) as unknown as {
    id: string
    secret: null
    publicKeys: string[]
  }
  expect(made).toMatchObject({ secret: null, publicKeys: [expect.stringMatching(/^whpk_/)] })
  const one = `${PATH}/${made.id}`
  // Any time again.
  expect((await client.get(one)).body.publicKeys).toEqual(made.publicKeys)
  const signedBy = async (...known: string[]) => {
    await client.send('POST', `${one}/ping`)
    await open.settle()
    const { headers = {}, text: body = '' } = receiver.hooks.at(-1) ?? {}
    return known.map((key) => verifyWebhook({ headers, body, secrets: [key] }).ok)
  }
  const [first = ''] = made.publicKeys
  expect(await signedBy(first)).toEqual([true])
  const rotated = await client.send('POST', `${one}/rotate-secret`)
  const [second = ''] = rotated.body.publicKeys as string[]
  expect(rotated.body.publicKeys).toEqual([second, first])
  expect(await signedBy(first, second)).toEqual([true, true])
  const shared = await client.send('POST', `${one}/rotate-secret`, { signing: 'hmac' })
  expect(shared.body).toMatchObject({ signing: 'hmac', secret: expect.stringMatching(/^whsec_/) })
  expect(await signedBy(second, shared.body.secret)).toEqual([true, true])
  await advanceClock(db.pool, '25h')
  expect((await client.get(one)).body.publicKeys).toEqual([])
  expect(await signedBy(first, second, shared.body.secret)).toEqual([false, false, true])
})

test('the simulated merchant checks the signatures of a key pair', async () => {
  const client = await open.as({ org: 'simulated' })
  const hooks = `${open.url}/sim/merchant/hooks/pair`
  const { id } = await client.endpoint(hooks, { signing: 'ed25519' })
  await client.send('POST', `${PATH}/${id}/ping`)
  await open.settle()
  const { items } = (await (await fetch(`${open.url}/sim/merchant/requests`)).json()) as {
    items: { path: string; verified: boolean }[]
  }
  expect(items.find(({ path }) => path.endsWith('/pair'))).toMatchObject({ verified: true })
})

const shownNowhere = async (word: string) => {
  const { rows } = await db.pool.query<{ places: string[] }>(
    `select array_agg(place) as places from (
       select 'endpoint' as place, to_jsonb(t)::text as row from payments.webhook_endpoints t
       union all select 'attempt', to_jsonb(t)::text from payments.webhook_attempts t
       union all select 'delivery', to_jsonb(t)::text from payments.webhook_deliveries t
       union all select 'audit', to_jsonb(t)::text from payments.audit_log t
     ) as rows where strpos(row, $1) > 0`,
    [word],
  )
  expect(rows[0]?.places ?? []).toEqual([])
}

test('the query of a URL goes out as it was given, and its values are shown nowhere', async () => {
  const client = await open.as({ org: 'quiet' })
  const made = await client.endpoint(`${receiver.url}/quiet?token=hush-7&v=2&hush-8#hush-9`)
  const masked = `${receiver.url}/quiet?token=••••••&v=••••••&••••••#••••••`
  expect(made.url).toBe(masked)
  const [delivery] = await open.announce({ org: 'quiet' })
  await open.settle()
  const last = () => receiver.hooks.findLast(({ path }) => path.startsWith('/quiet'))?.path
  expect(last()).toBe('/quiet?token=hush-7&v=2&hush-8')
  const { body } = await client.get(`/api/v1/webhook-deliveries/${delivery}/attempts`)
  expect(body.items[0].request.url).toBe(masked)
  await shownNowhere('hush')

  // Sent back as it is shown, also with another path, the query is kept; at another host it is not.
  const one = `${PATH}/${made.id}`
  const moved = masked.replace('/quiet?', '/quieter?')
  expect((await client.send('PATCH', one, { url: moved })).body.url).toBe(moved)
  await open.announce({ org: 'quiet' })
  await open.settle()
  expect(last()).toBe('/quieter?token=hush-7&v=2&hush-8')
  for (const url of [
    moved.replace('127.0.0.1', '127.0.0.2'),
    moved.replace('token=', 'key='),
    `${receiver.url}/quiet?v=••••••`,
  ]) {
    expect(await client.send('PATCH', one, { url }), url).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'url' }] },
    })
  }
  expect((await client.send('PATCH', one, { url: `${receiver.url}/quiet?v=3` })).status).toBe(200)
  await open.announce({ org: 'quiet' })
  await open.settle()
  expect(last()).toBe('/quiet?v=3')
})
