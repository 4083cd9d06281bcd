import type { ServerResponse } from 'node:http'
import { createRelay } from '@posthorn/engine'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startWebhookChild, type Child } from '../testing/child.ts'
import { runWebhooks, webhookClientOf, webhookDatabase } from '../testing/running-webhooks.ts'
import { impatient } from '../testing/serving.ts'
import { openReceiver, type Hook } from '../testing/webhook-receiver.ts'

/*
 * Each test lets a relay in a process of its own deliver, kills it with SIGKILL at one point, and
 * lets the relay of this process take over. Locks on tables hold the child at its point.
 */

const db = await webhookDatabase()
const { pool } = db
const survivor = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })

type Manner = (response: ServerResponse) => void
const atOnce: Manner = (response) => void response.end('ok')
const never: Manner = () => undefined

let manner = atOnce
const receiver = await openReceiver((response) => manner(response))

/** What the merchants verify with, by path. */
const secrets = new Map<string, string>()

/** A merchant with endpoints of its own, whose answers a test sets. */
async function merchant(org: string, { endpoints = 1, answers = atOnce } = {}) {
  manner = answers
  const client = await survivor.as({ org })
  const made = []
  for (let n = 0; n < endpoints; n += 1) {
    made.push(await client.endpoint(`${receiver.url}/${org}/${n}`))
  }
  made.forEach(({ secret }, n) => secrets.set(`/${org}/${n}`, secret))
  return { client, endpoint: made[0] ?? { id: '', secret: '' } }
}

const hooksOf = (org: string) => receiver.hooks.filter(({ path }) => path.startsWith(`/${org}/`))

/** Runs `crash` while a table is locked in that mode. */
async function whileLocked(lock: string, crash: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`begin; lock table ${lock} mode`)
    await crash()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const count = async (query: string, values: unknown[] = []): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from ${query}`,
    values,
  )
  return rows[0]?.n ?? 0
}
const patience = { timeout: 20_000, interval: 20 }

/** The child stands at a lock. */
const isHeld = () =>
  expect
    .poll(
      () =>
        count(`pg_stat_activity where datname = current_database()
                                      and wait_event_type = 'Lock'`),
      patience,
    )
    .toBeGreaterThan(0)

const listArrived = (org: string, atLeast = 1) =>
  expect.poll(() => hooksOf(org).length, patience).toBeGreaterThanOrEqual(atLeast)

/** Another process delivers what is left, until nothing waits and nothing is claimed. */
async function takeOver(org: string): Promise<void> {
  manner = atOnce
  const { system } = survivor
  const transports = system.transports ?? {}
  const relay = createRelay({ pool, outboxes: impatient(system), transports })
  await relay.start()
  try {
    await expect
      .poll(
        () =>
          count(
            `payments.webhook_deliveries where org_id = $1
              and (status in ('pending', 'failed') or claim_token is not null)`,
            [org],
          ),
        patience,
      )
      .toBe(0)
  } finally {
    await relay.stop()
  }
}

/** By the reference implementation of the receiving side. */
function isSigned(secret: string, { headers, text }: Hook): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** What is on record of a merchant's deliveries, and whether it fits what the merchant got. */
async function expectSettled(org: string, events: number): Promise<void> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select d.id, d.status, d.attempts, d.error_code,
            (select count(*)::int from payments.webhook_attempts a
              where a.delivery_id = d.id and a.response_status = 200) as good,
            (select array_agg(action order by seq) from payments.audit_log
              where entity_id = d.id::text) as actions
       from payments.webhook_deliveries d where d.org_id = $1 order by d.id`,
    [org],
  )
  expect(rows).toHaveLength(events)
  for (const { id: _, ...row } of rows) {
    expect(row).toEqual({
      ...{ status: 'delivered', attempts: 0, error_code: null },
      ...{ good: 1, actions: ['webhook.delivered'] },
    })
  }
  const hooks = hooksOf(org)
  expect(new Set(hooks.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set(rows.map(({ id }) => id)),
  )
  const bodies = new Map(hooks.map(({ headers, text }) => [headers['webhook-id'], text]))
  for (const { headers, text } of hooks) expect(text).toBe(bodies.get(headers['webhook-id']))
  expect(hooks.filter((hook) => !isSigned(secrets.get(hook.path) ?? '', hook))).toEqual([])
}

const start = (): Promise<Child> => startWebhookChild(db.url)

test('after the claim, before the request', async () => {
  const org = 'claimed'
  await merchant(org)
  const child = await start()
  await whileLocked('payments.webhook_secrets in access exclusive', async () => {
    await survivor.announce({ org })
    await isHeld()
    expect(await count('payments.webhook_deliveries where claim_token is not null')).toBe(1)
    await child.kill()
  })
  expect(hooksOf(org)).toEqual([])
  await takeOver(org)
  await expectSettled(org, 1)
  expect(hooksOf(org)).toHaveLength(1)
})

test('after the receiver has it, before it answers', async () => {
  const org = 'asked'
  await merchant(org, { answers: never })
  const child = await start()
  await survivor.announce({ org })
  await listArrived(org)
  await child.kill()
  await takeOver(org)
  await expectSettled(org, 1)
  expect(hooksOf(org)).toHaveLength(2)
})

test('after the answer, before it is settled', async () => {
  const org = 'answered'
  await merchant(org)
  const child = await start()
  await whileLocked('payments.webhook_attempts in share', async () => {
    await survivor.announce({ org })
    await listArrived(org)
    await isHeld()
    await child.kill()
  })
  await takeOver(org)
  await expectSettled(org, 1)
  expect(hooksOf(org)).toHaveLength(2)
})

test('after it is settled: nothing is left to do', async () => {
  const org = 'settled'
  const { client } = await merchant(org)
  const child = await start()
  const [id = ''] = await survivor.announce({ org })
  await expect.poll(async () => (await client.delivery(id))['status'], patience).toBe('delivered')
  await child.kill()
  await takeOver(org)
  await expectSettled(org, 1)
  expect(hooksOf(org)).toHaveLength(1)
})

test('in the middle of a batch to several endpoints', async () => {
  const org = 'batch'
  let answered = 0
  const some: Manner = (response) => {
    answered += 1
    if (answered <= 20) response.end('ok')
  }
  await merchant(org, { endpoints: 6, answers: some })
  const child = await start()
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => survivor.announce({ org, id: `batch_${n}` })),
  )
  await listArrived(org, 25)
  await child.kill()
  expect(
    await count(`payments.webhook_deliveries where org_id = $1 and status = 'delivered'`, [org]),
  ).toBeLessThan(60)
  await takeOver(org)
  await expectSettled(org, 60)
})

test('during rotate-secret: the secret is the old one, or both sign', async () => {
  const org = 'rotated'
  const { client, endpoint } = await merchant(org)
  const countKept = () => count('payments.webhook_secrets where endpoint_id = $1', [endpoint.id])
  const rotate = `/api/v1/webhook-endpoints/${endpoint.id}/rotate-secret`
  const rotateAt = async ({ url }: Child) => {
    const caller = await webhookClientOf(url, { org })
    return caller.send('POST', rotate).catch(() => undefined)
  }

  const before = await start()
  await whileLocked('payments.audit_log in share', async () => {
    const sent = rotateAt(before)
    await isHeld()
    await before.kill()
    expect(await sent).toBeUndefined()
  })
  expect(await countKept()).toBe(1)

  const after = await start()
  const sent = rotateAt(after)
  await expect.poll(countKept, patience).toBe(2)
  await after.kill()
  await sent
  // The client has not seen the new secret: the merchant goes on with the old one, and can rotate again.
  await survivor.announce({ org, id: 'rotated_1' })
  await takeOver(org)
  await expectSettled(org, 1)
  const { body } = await client.send('POST', rotate)
  await survivor.announce({ org, id: 'rotated_2' })
  await takeOver(org)
  await expectSettled(org, 2)
  const newest = hooksOf(org).at(-1)
  expect(newest && isSigned(body.secret, newest)).toBe(true)
})

test('during the replay of a range: none of it, or all of it', async () => {
  const org = 'replayed'
  const { client, endpoint } = await merchant(org)
  const path = `/api/v1/webhook-endpoints/${endpoint.id}`
  await client.send('POST', `${path}/disable`)
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => survivor.announce({ org, id: `replayed_${n}` })),
  )
  await client.send('POST', `${path}/enable`)
  const countSkipped = () =>
    count(`payments.webhook_deliveries where org_id = $1 and status = 'skipped_disabled'`, [org])
  const replayAt = async ({ url }: Child) => {
    const caller = await webhookClientOf(url, { org })
    const since = new Date(0).toISOString()
    return caller.send('POST', `${path}/replay`, { since }).catch(() => undefined)
  }

  const before = await start()
  await whileLocked('posthorn.transition in share', async () => {
    const sent = replayAt(before)
    await isHeld()
    await before.kill()
    expect(await sent).toBeUndefined()
  })
  expect(await countSkipped()).toBe(30)
  expect(hooksOf(org)).toEqual([])

  const after = await start()
  expect(await replayAt(after)).toMatchObject({ status: 202, body: { count: 30 } })
  await listArrived(org)
  await after.kill()
  expect(await countSkipped()).toBe(0)
  await takeOver(org)
  await expectSettled(org, 30)
})
