import { silentLog, transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert, runPeriodically } from '@posthorn/operate'
import { newWebhookSecret, verifyWebhook } from '@posthorn/transports/webhook'
import { expect, test } from 'vitest'
import { writeNotices } from './notices/notice-writer.ts'
import { openReceiver } from '../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'

const db = await webhookDatabase()
const secret = newWebhookSecret()
const onDuty = await openReceiver((response) => void response.end())
const running = await runWebhooks(db, {
  ALERTS_WEBHOOK_URL: `${onDuty.url}/alerts`,
  ALERTS_WEBHOOK_SECRET: secret,
})

const raise = (subject: string, source = 'sagas.runs') =>
  transaction(db.pool, (tx) =>
    raiseAlert(tx, { source, subject, tenant: 'acme', code: 'STUCK', detail: 'it does not move' }),
  )
const recover = (subject: string) =>
  transaction(db.pool, (tx) => recoverAlert(tx, { source: 'sagas.runs', subject }))
const look = async () => {
  const written = await writeNotices(db.pool)
  await running.settle()
  return written
}
const listNotices = () =>
  onDuty.bodies('/alerts').map(({ type, data }) => `${type} ${data.subject}`)

test('tells of an alert once an hour, and when it is over', async () => {
  await raise('saga 1')
  await raise('saga 2')
  expect(await look()).toBe(2)
  expect(await look()).toBe(0)
  expect(listNotices().toSorted((a, b) => a.localeCompare(b))).toEqual([
    'alert.raised saga 1',
    'alert.raised saga 2',
  ])
  expect(onDuty.bodies('/alerts')[0]).toMatchObject({
    type: 'alert.raised',
    data: { source: 'sagas.runs', org: 'acme', code: 'STUCK', detail: 'it does not move' },
  })
  const { headers = {}, text: body = '' } = onDuty.hooks[0] ?? {}
  expect(verifyWebhook({ headers, body, secrets: [secret] })).toEqual({ ok: true })

  await recover('saga 1')
  expect(await look()).toBe(1)
  expect(listNotices().at(-1)).toBe('alert.recovered saga 1')

  // Raised again within the hour: the same subject has one notice.
  await raise('saga 1')
  expect(await look()).toBe(0)
  // In another hour it is news.
  await db.pool.query(
    `update payments.alert_notices set hour = hour - interval '1 hour' where subject = 'saga 1'`,
  )
  expect(await look()).toBe(1)
  expect(listNotices().filter((each) => each.endsWith('saga 1'))).toEqual([
    'alert.raised saga 1',
    'alert.recovered saga 1',
    'alert.raised saga 1',
  ])
})

test('two writers at once tell once', async () => {
  await raise('saga 3')
  const written = await Promise.all(Array.from({ length: 5 }, () => writeNotices(db.pool)))
  expect(written.reduce((sum, each) => sum + each, 0)).toBe(1)
  await recover('saga 3')
  const closed = await Promise.all(Array.from({ length: 5 }, () => writeNotices(db.pool)))
  expect(closed.reduce((sum, each) => sum + each, 0)).toBe(1)
  await running.settle()
})

test('says nothing of what is long past, nor of its own failures', async () => {
  await raise('old')
  await db.pool.query(
    `update posthorn.alert set raised_at = now() - interval '3 hours' where subject = 'old'`,
  )
  await raise('a notice', 'payments.alert-notices')
  expect(await look()).toBe(0)
})

test('without an address there are no notices', async () => {
  const quiet = await runWebhooks(db)
  expect(quiet.system.outboxes?.map(({ name }) => name)).not.toContain('payments.alert-notices')
  expect(running.system.outboxes?.map(({ name }) => name)).toContain('payments.alert-notices')
})

test('the worker writes by itself, and ends when its signal is aborted', async () => {
  const writer = running.system.workers?.find(({ name }) => name === 'payments.alert-notices')
  const stop = new AbortController()
  const working = writer && runPeriodically(writer, { signal: stop.signal, log: silentLog })
  await raise('saga 4')
  await expect
    .poll(async () => {
      await running.settle()
      return listNotices()
    })
    .toContain('alert.raised saga 4')
  stop.abort()
  await working
})
