import { createHmac } from 'node:crypto'
import { silentLog } from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { signToken, type Role } from '@posthorn/http'
import { afterAll } from 'vitest'
import { payments } from '../index.ts'
import { DEVELOPMENT_WEBHOOK_SECRET } from '../settings.ts'
import { TOKEN_SECRET, serve, type Serving } from './serving.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown>
}

/** A user with a token. */
export interface Client {
  send(path: string, init?: RequestInit): Promise<Answer>
  pay(key: string, body?: object): Promise<Answer>
  refund(id: string, key?: string, amount?: number): Promise<Answer>
  /** Captures or voids what is held. */
  decide(id: string, verb: 'capture' | 'void', order?: Decided): Promise<Answer>
  payment(id: unknown): Promise<Record<string, unknown>>
  /** What its audit says, oldest first. */
  actions(id: unknown): Promise<string[]>
}

export interface Decided {
  readonly key?: string
  readonly amount?: number
}

export interface Ledger {
  readonly charges: readonly {
    id: string
    reference: string
    status: string
    capturedAmount: number
  }[]
  readonly refunds: readonly { id: string; chargeId: string; amount: number }[]
}

export interface Running extends Serving {
  as(caller: { sub?: string; org?: string; role?: Role }): Promise<Client>
  ledger(): Promise<Ledger>
  /** Tells the simulated gateway to fail, or how to send its webhooks. */
  gateway(path: 'faults' | 'webhooks', order: object): Promise<void>
  /** Posts an event as the gateway would, with `x-webhook-signature` by default. */
  event(event: object | string, headers?: Record<string, string>): Promise<Answer>
}

export async function paymentsDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await payments.migrations()] })
}

/** Payments behind a real server, with a running completer; ended after the file's tests. */
export async function runPayments(
  db: TestDatabase,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const serving = await serve({
    pool: db.pool,
    env: {
      GATEWAY_TIMEOUT_MS: '1500',
      PAYMENTS_LOCK_MS: '1000',
      PAYMENTS_COMPLETER_POLL_MS: '50',
      ...env,
    },
  })
  const stopWorkers = startPeriodically(serving.system.workers ?? [], { log: silentLog })
  afterAll(async () => {
    await stopWorkers()
    await serving.app.close()
  })
  const { url } = serving
  return {
    ...serving,
    as: (caller) => clientOf(url, caller),
    ledger: async () => (await (await fetch(`${url}/sim/gateway/ledger`)).json()) as Ledger,
    async gateway(path, order) {
      await ask(`${url}/sim/gateway/${path}`, jsonPost(order))
    },
    event(event, headers) {
      const body = typeof event === 'string' ? event : JSON.stringify(event)
      const signed = headers ?? { 'x-webhook-signature': signatureOf(body) }
      const all = { 'content-type': 'application/json', ...signed }
      return ask(`${url}/api/v1/webhooks/payments`, { method: 'POST', headers: all, body })
    },
  }
}

/** A client of any server that takes the tests' tokens. */
export async function clientOf(
  url: string,
  { sub = 'ada', org = 'acme', role = 'admin' }: Parameters<Running['as']>[0] = {},
): Promise<Client> {
  const token = await signToken({ secret: TOKEN_SECRET, sub, org, role })
  const send = (path: string, init: RequestInit = {}) =>
    ask(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    })
  return {
    send,
    pay: (key, body = { amount: 1_000, currency: 'EUR' }) =>
      send('/api/v1/payments', jsonPost(body, { 'idempotency-key': key })),
    refund: (id, key, amount) =>
      send(`/api/v1/payments/${id}/refunds`, {
        method: 'POST',
        headers: {
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(amount !== undefined && { 'content-type': 'application/json' }),
        },
        ...(amount !== undefined && { body: JSON.stringify({ amount }) }),
      }),
    decide: (id, verb, { key, amount } = {}) =>
      send(
        `/api/v1/payments/${id}/${verb}`,
        jsonPost(amount === undefined ? {} : { amount }, {
          ...(key !== undefined && { 'idempotency-key': key }),
        }),
      ),
    payment: async (id) => (await send(`/api/v1/payments/${String(id)}`)).body,
    async actions(id) {
      const { body } = await send(`/api/v1/payments/${String(id)}/audit`)
      return (body['items'] as { action: string }[]).map(({ action }) => action).toReversed()
    },
  }
}

export function signatureOf(body: string, secret = DEVELOPMENT_WEBHOOK_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

function jsonPost(body: object, headers: Record<string, string> = {}): RequestInit {
  const all = { 'content-type': 'application/json', ...headers }
  return { method: 'POST', headers: all, body: JSON.stringify(body) }
}

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Record<string, unknown>
  return { status: response.status, headers: response.headers, text, body }
}
