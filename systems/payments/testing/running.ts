import { createHmac } from 'node:crypto'
import { posthorn, silentLog, type Handlers } from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { ask, json, type Answer } from '@posthorn/system/testing/ask'
import type { ServedSystem, TestCaller } from '@posthorn/system/testing/serve'
import { afterAll } from 'vitest'
import { payments } from '../index.ts'
import { DEVELOPMENT_WEBHOOK_SECRET } from '../settings.ts'
import { serve, userOf } from './serving.ts'

export type { Answer } from '@posthorn/system/testing/ask'

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
  readonly refunds: readonly { id: string; chargeId: string; amount: number; status: string }[]
}

export interface Running extends ServedSystem {
  as(bearer: TestCaller): Promise<Client>
  ledger(): Promise<Ledger>
  /** Tells the simulated gateway to fail, how to send its webhooks, or what banks do. */
  gateway(path: 'faults' | 'webhooks' | 'refund-failures', order: object): Promise<void>
  /** Posts an event as the gateway would, with `x-webhook-signature` by default. */
  event(event: object | string, headers?: Record<string, string>): Promise<Answer>
}

interface RunningOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly by?: 'relay' | 'hand'
}

/** One look at what is due, as a relay of its own. Returns how much was. */
export const followUpOnce = (pool: Pool, handlers: Handlers | readonly Handlers[]) =>
  posthorn({ pool, handlers, log: silentLog }).runOnce()

export async function paymentsDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await payments.migrations()] })
}

/**
 * Payments behind a real server, with a relay of what they follow up, unless it is looked `by hand`; ended
 * after the file's tests.
 */
export async function runPayments(
  db: TestDatabase,
  { env = {}, by = 'relay' }: RunningOptions = {},
): Promise<Running> {
  const serving = await serve(db.pool, {
    ...{ GATEWAY_TIMEOUT_MS: '1500', PAYMENTS_LOCK_MS: '1000' },
    ...env,
  })
  const stopWorkers = startPeriodically(serving.system.workers ?? [], { log: silentLog })
  const handlers = (serving.system.handlers ?? []).map((set) => ({
    ...set,
    outbox: { ...set.outbox, everyMs: 50 },
  }))
  const app = posthorn({ pool: db.pool, handlers, log: silentLog })
  if (by === 'relay') await app.start()
  afterAll(async () => {
    await app.stop()
    await stopWorkers()
    await serving.app.close()
  })
  const { url, sim } = serving
  return {
    ...serving,
    as: (bearer) => clientOf(url, bearer),
    ledger: () => sim('GET', '/gateway/ledger'),
    async gateway(path, order) {
      await sim('POST', `/gateway/${path}`, order)
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
export async function clientOf(url: string, bearer: TestCaller = {}): Promise<Client> {
  const send = await userOf(url, bearer)
  const keyed = (key: string | undefined) => ({
    ...(key !== undefined && { 'idempotency-key': key }),
  })
  return {
    send,
    pay: (key, body = { amount: 1_000, currency: 'EUR' }) =>
      send('/api/v1/payments', json('POST', body, keyed(key))),
    refund: (id, key, amount) =>
      send(
        `/api/v1/payments/${id}/refunds`,
        json('POST', amount === undefined ? undefined : { amount }, keyed(key)),
      ),
    decide: (id, verb, { key, amount } = {}) =>
      send(`/api/v1/payments/${id}/${verb}`, json('POST', { amount }, keyed(key))),
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
