import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDashboard, screenshot } from '@posthorn/dashboard/testing'
import type { Page } from 'playwright-core'
import { afterAll, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 15 * 60_000 })

/** The receiver of a customer and the provider of messages are down for so long. */
const MINUTES = process.env['PROOF'] === 'full' ? [1, 3, 6] : [1]
const WEBHOOKS = 'payments.webhook-deliveries'
const MESSAGES = 'messages.outbound'
const patient = { timeout: 60_000 }

const heard: { text: string; at: number }[] = []
const slack = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    heard.push({ text, at: Date.now() })
    response.end('ok')
  })
})
await once(slack.listen(0, '127.0.0.1'), 'listening')
afterAll(() => slack.close())

const dashboard = await openDashboard({
  env: {
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    NOTICES_ALLOW_CIDRS: '127.0.0.0/8',
    OUTBOUND_WORKER_POLL_INTERVAL_MS: '500',
  },
})
const { pool } = dashboard.database

const answer = (simulator: string, fault: object) =>
  dashboard.call(`/sim/${simulator}/faults`, { body: fault })

const told = (...words: string[]) => heard.find(({ text }) => words.every((w) => text.includes(w)))

const down = (incidents: Page, outbox: string) =>
  incidents.getByRole('row').filter({ hasText: 'DESTINATION_DOWN' }).filter({ hasText: outbox })

/** The cells of an outbox's line, by the titles of their columns. */
async function lineOf(page: Page, outbox: string): Promise<Record<string, string>> {
  const table = page.getByRole('grid', { name: 'Outboxes' })
  const titles = await table.getByRole('columnheader').allTextContents()
  const row = table
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: outbox, exact: true }) })
  const cells = await row.getByRole('gridcell').allTextContents()
  return Object.fromEntries(titles.map((title, i) => [title, cells[i] ?? '']))
}

/** What the rows themselves say: tried and waiting again, and all that is not delivered. */
async function waitingWebhooks(): Promise<{ retrying: number; all: number }> {
  const { rows } = await pool.query<{ retrying: number; all: number }>(`
    select count(*)::int as all,
           (count(*) filter (where exists (
             select from payments.webhook_attempts as a where a.delivery_id = d.id)))::int as retrying
      from payments.webhook_deliveries as d where status in ('pending', 'failed')`)
  return rows[0] ?? { retrying: -1, all: -1 }
}

/** Failed attempts: as relays counted them for charts, and as they stand in the table. */
async function failedAttempts(): Promise<{ counted: number; written: number }> {
  const { rows } = await pool.query<{ counted: number; written: number }>(
    `select (select coalesce(sum(failed), 0)::int from posthorn.pulse where outbox = $1) as counted,
            (select count(*)::int from payments.webhook_attempts
              where coalesce(response_status, 0) not between 200 and 299) as written`,
    [WEBHOOKS],
  )
  return rows[0] ?? { counted: -1, written: -1 }
}

test('an outage of two destinations calls for help, is counted truly, and ends by itself', async () => {
  const url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/ops`
  await dashboard.call('/api/v1/notice-channels', { body: { kind: 'slack', name: 'ops', url } })
  const merchant = `${dashboard.url}/sim/merchant/hooks`
  const { id } = (await dashboard.call('/api/v1/webhook-endpoints', {
    body: { url: merchant, eventTypes: ['*'] },
  })) as { id: string }
  const send = async () => {
    await dashboard.call(`/api/v1/webhook-endpoints/${id}/ping`, { method: 'POST' })
    await dashboard.call('/api/v1/outbound/messages', {
      body: {
        ...{ channel: 'whatsapp', to: '+16505551234', templateCode: 'otp_code' },
        payloadJson: { language: 'en_US', parameters: ['4711'] },
      },
    })
  }
  const overview = await dashboard.open('/overview')
  const outboxes = await dashboard.open('/outboxes')
  await overview.getByText('Oldest pending').first().waitFor(patient)

  await answer('merchant', { mode: 'error', status: 503 })
  await answer('whatsapp', { mode: 'error', status: 503 })
  const began = Date.now()
  for (let n = 0; n < 40; n += 1) await send()

  // An incident and a notice of each within a minute.
  const incidents = await dashboard.open('/incidents')
  for (const outbox of [WEBHOOKS, MESSAGES]) {
    await expect.poll(() => told('DESTINATION_DOWN', outbox)?.at, patient).toBeDefined()
    expect((told('DESTINATION_DOWN', outbox)?.at ?? 0) - began).toBeLessThan(60_000)
    await down(incidents, outbox).waitFor(patient)
  }

  for (const minute of MINUTES) {
    const left = began + minute * 60_000 - Date.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)))
    await send()
    // One line for each cause, and none for what follows from it.
    const lines = overview.getByRole('main').getByRole('listitem')
    const linesOf = async (outbox: string) =>
      (await lines.allTextContents()).filter((line) => line.includes(outbox))
    for (const outbox of [WEBHOOKS, MESSAGES]) {
      await expect.poll(() => linesOf(outbox), patient).toHaveLength(1)
      expect((await linesOf(outbox))[0]).toContain('is down')
    }
    // The page, all at one moment, says what the rows say.
    const compared = async () => {
      const { retrying, all } = await waitingWebhooks()
      const line = await lineOf(outboxes, WEBHOOKS)
      const n = (title: string) => Number(line[title])
      const shown = n('Due') + n('Retrying') + n('Postponed')
      return { all: shown - all, retrying: n('Retrying') <= retrying && retrying <= shown }
    }
    await expect.poll(compared, patient).toEqual({ all: 0, retrying: true })
    await screenshot(overview, `outage-minute-${minute}`)
  }

  await answer('merchant', { mode: 'ok' })
  await answer('whatsapp', { mode: 'ok' })
  const delivers = async () => {
    await dashboard.call('/sim/clock/advance', { body: { by: '1m' } })
    return (await waitingWebhooks()).all
  }
  await expect.poll(delivers, { timeout: 180_000, interval: 2_000 }).toBe(0)
  // Postponed messages are no failures: the charts count the attempts that were made and failed.
  const difference = async () => {
    const { counted, written } = await failedAttempts()
    return counted - written
  }
  await expect.poll(difference, patient).toBe(0)
  for (const outbox of [WEBHOOKS, MESSAGES]) {
    await expect.poll(() => told('Over', outbox) !== undefined, { timeout: 240_000 }).toBe(true)
    await down(incidents, outbox).waitFor({ state: 'detached', ...patient })
  }
})
