import { createHmac } from 'node:crypto'
import { createRelay } from '@posthorn/engine'
import { useMovableClock } from '@posthorn/operate'
import type { TestDatabase } from '@posthorn/engine/testing'
import type { Role } from '@posthorn/http'
import { mail } from '@posthorn/simulators'
import { whatsapp } from '../simulators/index.ts'
import { ask, askWith, json } from '@posthorn/system/testing/ask'
import { serveSystem, signTestToken } from '@posthorn/system/testing/serve'
import type { Notify } from '@posthorn/system'
import { messagesWith } from '../index.ts'

export const APP_SECRET = 'simulated-app-secret'

export interface Answer<Body> {
  readonly status: number
  readonly body: Body
}

/** A resource of the API: a message, an attempt, an event. */
export interface Resource {
  readonly id: string
  readonly status: string
  readonly action: string
  readonly details: string
  readonly attemptNo: number
  readonly [field: string]: unknown
}

export type TestApi = Awaited<ReturnType<typeof startApi>>

export interface CallOptions {
  readonly org?: string
  readonly role?: Role
  readonly body?: unknown
  readonly key?: string
}

/** A server with the whole system, its relay (not started) and the simulated outside world. */
export async function startApi(
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
  notify: Notify = async () => undefined,
) {
  const { pool } = database
  await useMovableClock(pool)
  const outside = whatsapp({
    accessToken: 'simulated-access-token',
    appSecret: APP_SECRET,
    behaviour: { paceMs: 20 },
  })
  const simulated = { pool, env, outside: [outside, mail()] }
  const served = await serveSystem(messagesWith({ notify }), simulated)
  const { app, url, system } = served
  const transports = system.transports ?? {}
  const relay = createRelay({ pool: database.connect(), outboxes: system.outboxes, transports })

  return {
    ...{ ...served, relay },
    /** Calls as a member of an organisation; default `acme`. */
    async call<Body = Resource>(
      method: string,
      path: string,
      { org = 'acme', role = 'member', body, key }: CallOptions = {},
    ): Promise<Answer<Body>> {
      const send = askWith(url, await signTestToken({ org, role }))
      const keyed = key === undefined ? {} : { 'idempotency-key': key }
      const { status, body: said } = await send(path, json(method, body, keyed))
      return { status, body: said }
    },
    /** Posts bytes to the webhook, signed unless said otherwise. */
    async webhook(body: unknown, headers = signHeaders(body)) {
      const all = { 'content-type': 'application/json', ...headers }
      const inbound = `${url}/api/v1/webhooks/whatsapp/inbound`
      const { status } = await ask(inbound, { method: 'POST', headers: all, body: textOf(body) })
      return status
    },
    async close() {
      await relay.stop()
      await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()))
      await app.close()
    },
  }
}

export function signHeaders(body: unknown, secret = APP_SECRET): Record<string, string> {
  const hex = createHmac('sha256', secret).update(textOf(body)).digest('hex')
  return { 'x-hub-signature-256': `sha256=${hex}` }
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export interface TestStatus {
  readonly id: string
  readonly status: string
  readonly opaque?: string
  readonly code?: number
}

/** A webhook of Meta's with these statuses. */
export function webhookWith(...statuses: readonly TestStatus[]) {
  return webhookOf({
    statuses: statuses.map(({ id, status, opaque, code }) => ({
      ...{ id, status, timestamp: '1769000200', recipient_id: '16505551234' },
      ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
      ...(code !== undefined && { errors: [{ code, title: 'No', message: 'No' }] }),
    })),
  })
}

/** A webhook of Meta's with statuses or messages. */
export function webhookOf(content: object) {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
    ...content,
  }
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  }
}

/** A webhook of Meta's about the account itself. */
export function accountWebhook(field: string, value: object, time = 1_769_000_200) {
  const entry = [{ id: '102290129340398', time, changes: [{ field, value }] }]
  return { object: 'whatsapp_business_account', entry }
}

/** A message that the simulator takes. */
export function sample(to = '+16505551234'): Record<string, unknown> {
  return {
    channel: 'whatsapp',
    to,
    templateCode: 'otp_code',
    payloadJson: { language: 'en_US', parameters: ['4711'] },
  }
}

export const MESSAGES = '/api/v1/outbound/messages'
