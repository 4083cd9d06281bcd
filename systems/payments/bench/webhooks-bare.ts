import { randomUUID } from 'node:crypto'
import { newWebhookSecret, signWebhook } from '@posthorn/transports/webhook'
import type { Pool } from 'pg'
import { Agent } from 'undici'

/*
 * What an application would write by hand: claim a hundred, post them, write the same rows down in
 * one transaction, two at a time. Nothing is guarded, retried, kept in order or finished after a
 * crash, one secret signs for all, and an endpoint that hangs stops everything.
 */

const LANES = 2

interface Row {
  readonly id: string
  readonly org_id: string
  readonly endpoint_id: string
  readonly event_id: string
  readonly event_type: string
  readonly payload: unknown
  readonly created_at: Date
}

/** Delivers everything that waits. */
export async function deliverBarely(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string; url: string }>(
    'select id, url from payments.webhook_endpoints',
  )
  const urls = new Map(rows.map(({ id, url }) => [id, new URL(url)]))
  const agent = new Agent({ connections: 256 })
  const secrets = [newWebhookSecret()]
  const lane = async () => {
    for (;;) {
      const token = randomUUID()
      const claimed = await claim(pool, token)
      if (claimed.length === 0) return
      const attempts = await Promise.all(
        claimed.map((row) => post(agent, { row, url: urls.get(row.endpoint_id), secrets })),
      )
      await settle(pool, { token, claimed, attempts })
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await agent.close()
}

async function claim(pool: Pool, token: string): Promise<Row[]> {
  const { rows } = await pool.query<Row>({
    name: 'claim',
    text: `with due as (
             select id from payments.webhook_deliveries
              where status in ('pending', 'failed') and next_attempt_at <= posthorn.now()
                and (claimed_until is null or claimed_until < now())
                and (select set_config('synchronous_commit', 'off', true)) = 'off'
              order by next_attempt_at, id
              limit 100
                for update skip locked
           )
           update payments.webhook_deliveries as m
              set claim_token = $1, claimed_until = now() + interval '2 minutes'
             from due
            where m.id = due.id
           returning m.*`,
    values: [token],
  })
  return rows
}

async function post(
  agent: Agent,
  { row, url, secrets }: { row: Row; url: URL | undefined; secrets: string[] },
) {
  if (!url) throw new Error('a delivery without an endpoint')
  const body = JSON.stringify(row.payload)
  const headers = {
    'ce-specversion': '1.0',
    'ce-id': row.id,
    'ce-source': 'posthorn',
    'ce-type': row.event_type,
    'ce-time': row.created_at.toISOString(),
    'ce-posthornversion': '1',
    'ce-tenant': row.org_id,
    'content-type': 'application/json',
    'user-agent': 'bare',
    ...signWebhook({ id: row.id, body, secrets }),
  }
  const startedAt = new Date()
  const started = performance.now()
  const { origin, pathname: path } = url
  const answer = await agent.request({ origin, path, method: 'POST', headers, body })
  return {
    id: randomUUID(),
    delivery_id: row.id,
    attempt_no: 1,
    started_at: startedAt,
    request_url: url.href,
    request_headers: headers,
    response_status: answer.statusCode,
    response_headers: answer.headers,
    response_body: await answer.body.text(),
    response_encoding: 'utf8',
    response_truncated: false,
    duration_ms: Math.round(performance.now() - started),
  }
}

async function settle(
  pool: Pool,
  { token, claimed, attempts }: { token: string; claimed: readonly Row[]; attempts: unknown[] },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({
      name: 'settle',
      text: `with settled as (
               update payments.webhook_deliveries
                  set status = 'delivered', delivered_at = now(), claim_token = null,
                      claimed_until = null, lost_claims = 0, error = null, error_code = null
                where id = any($1::uuid[]) and claim_token = $2
               returning id, org_id
             )
             insert into posthorn.transition
                    (outbox, message_id, from_state, to_state, attempt, actor, tenant)
             select 'payments.webhook-deliveries', id::text, 'pending', 'delivered', 1, 'BARE', org_id
               from settled`,
      values: [claimed.map(({ id }) => id), token],
    })
    await client.query({
      name: 'attempts',
      text: `insert into payments.webhook_attempts
             select * from jsonb_populate_recordset(null::payments.webhook_attempts, $1::jsonb)`,
      values: [JSON.stringify(attempts)],
    })
    await client.query({
      name: 'audit',
      text: `insert into payments.audit_log
                    (org_id, actor, action, entity_type, entity_id, details)
             select org, 'BARE', 'webhook.delivered', 'webhook_delivery', id, details
               from jsonb_to_recordset($1::jsonb) as e (org text, id text, details jsonb)`,
      values: [JSON.stringify(claimed.map(entryOf))],
    })
    await client.query('commit')
  } finally {
    client.release()
  }
}

function entryOf({ id, org_id: org, event_id: eventId, endpoint_id: endpointId }: Row) {
  return { id, org, details: { attempt: 1, eventId, endpointId } }
}
