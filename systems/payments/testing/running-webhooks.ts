import { createRelay, transaction, type Relay } from '@posthorn/engine'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { useMovableClock } from '@posthorn/operate'
import { json, type Answer as WholeAnswer } from '@posthorn/system/testing/ask'
import type { ServedSystem, TestCaller } from '@posthorn/system/testing/serve'
import { afterAll, expect } from 'vitest'
import { payments } from '../index.ts'
import { enqueueEvent, type WebhookEvent } from '../webhooks/index.ts'
import { serve, userOf, webhookOutboxes } from './serving.ts'

/** A database with the tables of the system, and a clock that can be moved. */
export async function webhookDatabase(sql = ''): Promise<TestDatabase> {
  const db = await testDatabase({ migrations: [await payments.migrations()], sql })
  await useMovableClock(db.pool)
  return db
}

export type Answer = Pick<WholeAnswer, 'status' | 'body'>

export interface Client {
  get(path: string): Promise<Answer>
  send(method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes an endpoint. */
  endpoint(url: string, more?: object): Promise<{ id: string; url: string; secret: string }>
  delivery(id: string): Promise<Record<string, unknown>>
  actions(id: string): Promise<string[]>
}

export interface Running extends ServedSystem {
  readonly relay: Relay
  as(bearer: TestCaller): Promise<Client>
  /** Announces an event and returns the ids of its deliveries. */
  announce(event?: Partial<WebhookEvent>): Promise<string[]>
  /** Attempts what is due, until nothing is. */
  settle(): Promise<void>
}

let announced = 0

/** The webhooks behind a real server with a simulated merchant; closed after the file's tests. */
export async function runWebhooks(
  db: TestDatabase,
  env: Record<string, string> = {},
): Promise<Running> {
  const serving = await serve(db.pool, env)
  const { app, url, system } = serving
  const { transports = {} } = system
  const outboxes = webhookOutboxes(system)
  const relay = createRelay({ pool: db.pool, outboxes, transports, mode: 'poll' })
  afterAll(async () => {
    await relay.stop()
    await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()))
    await app.close()
  })
  return {
    ...serving,
    relay,
    as: (bearer) => webhookClientOf(url, bearer),
    announce(event = {}) {
      announced += 1
      const defaults = { org: 'acme', id: `evt_${announced}`, type: 'payment.succeeded' }
      const whole = { ...defaults, data: { paymentId: `pay_${announced}` }, ...event }
      return transaction(db.pool, (tx) => enqueueEvent(tx, whole))
    },
    async settle() {
      for (let i = 0; i < 200 && (await relay.runOnce()) > 0; i += 1);
    },
  }
}

/** A member of an organisation, at any server. */
export async function webhookClientOf(url: string, bearer: TestCaller): Promise<Client> {
  const ask = await userOf(url, bearer)
  const send = async (method: string, path: string, sent?: unknown) => {
    const { status, body } = await ask(path, json(method, sent))
    return { status, body }
  }
  const get = (path: string) => send('GET', path)
  return {
    get,
    send,
    async endpoint(address, more = {}) {
      const { status, body } = await send('POST', '/api/v1/webhook-endpoints', {
        url: address,
        eventTypes: ['*'],
        ...more,
      })
      expect(status, JSON.stringify(body)).toBe(201)
      return body as { id: string; url: string; secret: string }
    },
    delivery: async (id) => (await get(`/api/v1/webhook-deliveries/${id}`)).body,
    async actions(id) {
      const { body } = await get(`/api/v1/webhook-deliveries/${id}/audit?limit=200`)
      return (body.items as { action: string }[]).map(({ action }) => action).toReversed()
    },
  }
}
