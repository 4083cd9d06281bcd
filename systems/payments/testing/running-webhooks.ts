import { createRelay, migrationsFrom, transaction, type Relay } from '@posthorn/engine'
import { useMovableClock } from '@posthorn/operate'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { signToken, type App } from '@posthorn/http'
import { afterAll, expect } from 'vitest'
import { enqueueEvent, type WebhookEvent } from '../webhooks/index.ts'
import { serveWebhooks, TOKEN_SECRET, type ServingWebhooks } from './serving-webhooks.ts'

/** A database with the tables of the system, and a clock that can be moved. */
export async function webhookDatabase(sql = ''): Promise<TestDatabase> {
  const migrations = await migrationsFrom('payments', new URL('../migrations/', import.meta.url))
  const db = await testDatabase({ migrations: [migrations], sql })
  await useMovableClock(db.pool)
  return db
}

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of all shapes
  readonly body: any
}

export interface Client {
  get(path: string): Promise<Answer>
  send(method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes an endpoint. */
  endpoint(url: string, more?: object): Promise<{ id: string; url: string; secret: string }>
  delivery(id: string): Promise<Record<string, unknown>>
  actions(id: string): Promise<string[]>
}

export interface Running {
  readonly app: App
  readonly url: string
  readonly parts: ServingWebhooks['parts']
  readonly relay: Relay
  as(caller: { sub?: string; org?: string }): Promise<Client>
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
  const { app, url, parts } = await serveWebhooks(db.pool, env)
  const { outboxes, transports } = parts
  const relay = createRelay({ pool: db.pool, outboxes, transports, mode: 'poll' })
  afterAll(async () => {
    await relay.stop()
    await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()))
    await app.close()
  })
  return {
    app,
    url,
    parts,
    relay,
    async as({ sub = 'ada', org = 'acme' }) {
      return clientOf(url, await signToken({ secret: TOKEN_SECRET, sub, org, role: 'admin' }))
    },
    announce(event = {}) {
      announced += 1
      const defaults = { org: 'acme', id: `evt_${announced}`, type: 'payment.succeeded' }
      const whole = { ...defaults, data: { paymentId: `pay_${announced}` }, ...event }
      return transaction(db.pool, (tx) => enqueueEvent(tx, whole))
    },
    async settle() {
      for (let i = 0; i < 200 && (await relay.tick()) > 0; i += 1);
    },
  }
}

/** A member of an organisation, at any server. */
export async function clientAt(url: string, org: string): Promise<Client> {
  return clientOf(url, await signToken({ secret: TOKEN_SECRET, sub: 'ada', org, role: 'admin' }))
}

function clientOf(url: string, token: string): Client {
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
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
