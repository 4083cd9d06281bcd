import { fixed, toMessage, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { loadSystems } from '@posthorn/server'
import {
  letterSystem,
  testServer,
  type Body,
  type Operator,
  type ServerTests,
  type Things,
} from '@posthorn/server/testing'
import { defineSystem } from '@posthorn/system'
import { postgresTransport } from '@posthorn/transports/postgres'
import { Type } from 'typebox'
import { afterAll, expect, vi } from 'vitest'

/*
 * Two organisations on a server with all systems, and one of everything that has an id in a path, in
 * each of them. Every room of the API is in `makeThings`: a route without one fails its test.
 */
const PATIENT = { timeout: 90_000, interval: 100 }

const TOPIC = 'test.events'

/** A consumer that takes nothing: everything becomes a dead letter. */
const readers = defineSystem({
  name: 'readers',
  settings: Type.Object({}),
  migrations: async () => ({ name: 'readers', migrations: [] }),
  open: () => ({
    outboxes: [],
    consumers: [
      {
        ...{ transport: 'topics', topic: TOPIC, group: 'test.readers' },
        ...{ retry: fixed('10ms', { attempts: 2 }), dead: 'skip' as const },
        async handle() {
          throw new Error('never')
        },
      },
    ],
  }),
})

/** A server with all systems and the two more; closed after the file's tests. */
export async function foreignWorld() {
  const database = await testDatabase()
  const letters = letterSystem()
  const systems = [...(await loadSystems({})), letters.system, readers]
  const server = await testServer(database, { systems })
  const topics = postgresTransport({ pool: database.pool })
  afterAll(() => topics.close())
  return { database, letters, server, topics }
}

type World = Awaited<ReturnType<typeof foreignWorld>>

interface Sent {
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

export async function operatorOf(
  { server }: World,
  { org, number }: { org: string; number: string },
): Promise<Operator> {
  const token = await server.tokenFor({ sub: `operator of ${org}`, org, role: 'operator' })
  const send = async (method: string, path: string, sent?: Sent) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': uuid(),
        ...(sent && { 'content-type': sent.type }),
      },
      ...(sent && { body: sent.body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, text, body: (isJson ? JSON.parse(text) : {}) as Body }
  }
  const ask = (method: string, path: string, body?: Body) =>
    send(method, path, body && { type: 'application/json', body: JSON.stringify(body) })
  const must = async (answer: ReturnType<typeof send>) => {
    const { status, text, body } = await answer
    expect(status, text).toBeLessThan(300)
    return body
  }
  const make = (path: string, body: Body = {}) => must(ask('POST', path, body))
  const put = (path: string, body: Body) => must(ask('PUT', path, body))
  const upload = (path: string, type: string, body: Sent['body']) =>
    must(send('POST', path, { type, body }))
  const items = async (path: string) => ((await ask('GET', path)).body['items'] ?? []) as Body[]
  const first = async (path: string) => {
    await vi.waitFor(async () => expect(await items(path), path).not.toHaveLength(0), PATIENT)
    return String((await items(path))[0]?.['id'])
  }
  const untilIs = (path: string, status: string) =>
    vi.waitFor(async () => expect((await ask('GET', path)).body['status']).toBe(status), PATIENT)
  const { url } = server
  return { org, number, token, url, ask, make, put, upload, items, first, untilIs }
}

/** What operators have: dead letters, alerts, incidents, replays, channels, holds, erasures. */
async function makeTroubles({ database, letters, topics }: World, { org, make, first }: Operator) {
  letters.refusing.add(org)
  const letter = await letters.write(database.pool, { reader: org, org })
  const payload = { of: org }
  const message = toMessage({ id: uuid(), type: 'test', tenant: org, payload })
  const destination = { transport: 'topics', topic: TOPIC }
  const signal = AbortSignal.timeout(9_000)
  await topics.deliver([{ message, destination }], { ordered: true, signal })
  const box = '/api/v1/outboxes/test.letters'
  const channel = { kind: 'email', name: 'duty', address: `duty@${org}.test` }
  const { id: channelId } = await make('/api/v1/notice-channels', channel)
  const hold = { kind: 'organisation', reason: 'court' }
  const { id: holdId } = await make('/api/v1/legal-holds', hold)
  const { id: erasure } = await make('/api/v1/erasures', { subject: { dossierId: 'none' } })
  const { id: replay } = await make(`${box}/replays`, { filter: { type: 'none' } })
  return {
    'outboxes/{name}/messages': { name: 'test.letters', id: letter },
    'outboxes/{name}/replays': { name: 'test.letters', id: replay },
    'consumers/dead-letters': { id: await first('/api/v1/consumers/dead-letters?status=dead') },
    alerts: { id: await first('/api/v1/alerts') },
    incidents: { id: await first('/api/v1/incidents') },
    'notice-channels': { id: channelId },
    'legal-holds': { id: holdId },
    erasures: { id: erasure },
  }
}

export async function makeThings(
  world: World,
  operator: Operator,
  foreigns: readonly NonNullable<ServerTests['foreign']>[],
): Promise<Things> {
  const made = foreigns.map(async ({ make }) => (await make?.(operator)) ?? {})
  return Object.assign(
    {},
    ...(await Promise.all([...made, makeTroubles(world, operator)])),
  ) as Things
}
