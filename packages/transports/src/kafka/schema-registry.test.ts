import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { toMessage, uuid, type Delivery, type Message } from '@posthorn/engine'
import { type Reference } from '@posthorn/engine/internal'
import { proxyTo, withBroker } from '@posthorn/engine/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { kafkaTransport, type SchemaRegistryOptions } from './index.ts'
import { frameJson, unframe } from './wire.ts'

const how = { ordered: true, signal: new AbortController().signal }
const PLACED = {
  type: 'object',
  properties: { order: { type: 'integer' } },
  required: ['order'],
}

test('an id stands before the JSON in five bytes, and JSON alone has none', () => {
  const framed = frameJson(0x01020384, '{"ä":1}')
  expect([...framed.subarray(0, 5)]).toEqual([0, 1, 2, 3, 0x84])
  expect(unframe(framed)).toEqual({ schemaId: 0x01020384, body: Buffer.from('{"ä":1}') })
  const bare = Buffer.from('1')
  expect(unframe(bare)).toEqual({ schemaId: undefined, body: bare })
})

withBroker('KAFKA_BROKERS', (address) => {
  withBroker('SCHEMA_REGISTRY_URL', (url) => {
    const open = (registry: Partial<SchemaRegistryOptions> = {}) => {
      const transport = kafkaTransport({
        brokers: address.split(','),
        ...{ timeout: '3s', session: '6s', drain: '1s' },
        deadLetters: () => undefined,
        createTopics: { partitions: 1 },
        schemaRegistry: { url, ...registry },
      })
      onTestFinished(() => transport.close())
      return transport
    }
    const newTopic = () => `schema-${randomUUID()}`
    const delivery = (topic: string, init: Partial<Message> = {}): Delivery => {
      const payload = { order: 1 }
      const message = toMessage({ id: uuid(), type: 'order.placed', key: 'k', payload, ...init })
      return { message, destination: { transport: 'kafka', topic } }
    }
    const ask = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
      const content = { 'content-type': 'application/vnd.schemaregistry.v1+json' }
      const asked = { method, headers: content, ...(body && { body: JSON.stringify(body) }) }
      return (await fetch(`${url}${path}`, asked)).json() as Promise<{ id: number }>
    }
    const register = (subject: string, schema: object, schemaType = 'JSON') =>
      ask(`/subjects/${subject}/versions`, { schemaType, schema: JSON.stringify(schema) })

    describe.each([
      ['topic', (topic: string) => `${topic}-value`],
      ['topic-type', (topic: string) => `${topic}-order.placed`],
    ] as const)('subjects by %s', (subject, subjectOf) => {
      test('a schema is registered, its id goes with the record and comes back', async () => {
        const topic = newTopic()
        const transport = open({ subject, schemas: { 'order.placed': PLACED } })
        const seen: { message: Message; ref: Reference }[] = []
        const handle = async (message: Message, { ref }: { ref: Reference }) =>
          void seen.push({ message, ref })
        await transport.subscribe({ topic, group: 'g', handle })
        const sent = delivery(topic, { payload: { order: 7, note: 'größer' } })
        expect(await transport.deliver([sent], how)).toMatchObject([{ kind: 'delivered' }])
        await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(1)

        const { id } = await ask(`/subjects/${subjectOf(topic)}/versions/latest`)
        expect(seen[0]?.message).toEqual(sent.message)
        expect(seen[0]?.ref).toEqual({ partition: 0, offset: '0', schemaId: id })
      })
    })

    test('without a schema of its own a message goes by the newest of its subject', async () => {
      const topic = newTopic()
      const transport = open({ subject: 'type' })
      const type = `order.placed-${randomUUID()}`
      expect(await transport.deliver([delivery(topic, { type })], how)).toMatchObject([
        { kind: 'refused', failure: { code: 'SCHEMA_MISSING' } },
      ])
      await register(type, PLACED)
      await expect
        .poll(async () => (await transport.deliver([delivery(topic, { type })], how))[0]?.kind)
        .toBe('delivered')
    })

    test('what the registry refuses is refused, and only its key waits', async () => {
      const topic = newTopic()
      const subject = `${topic}-order.placed`
      await register(subject, PLACED)
      await ask(`/config/${subject}`, { compatibility: 'BACKWARD' }, 'PUT')
      const other = { type: 'object', properties: { order: { type: 'string' } } }
      const transport = open({
        subject: 'topic-type',
        schemas: { 'order.placed': other, 'order.paid': PLACED },
      })
      const batch = [
        delivery(topic),
        delivery(topic, { type: 'order.paid' }),
        delivery(topic, { type: 'order.paid', key: 'other' }),
      ]
      expect(await transport.deliver(batch, how)).toMatchObject([
        { kind: 'refused', failure: { code: 'SCHEMA_INCOMPATIBLE' } },
        { kind: 'retryLater', failure: { code: 'HELD_BACK' } },
        { kind: 'delivered' },
      ])
      const careful = open({ subject: 'topic-type', register: false, schemas: { any: other } })
      expect(await careful.deliver([delivery(topic, { type: 'any' })], how)).toMatchObject([
        { kind: 'refused', failure: { code: 'SCHEMA_MISSING' } },
      ])
      const avro = { type: 'record', name: 'a', fields: [] }
      await register(`${topic}-avro`, avro, 'AVRO')
      expect(await careful.deliver([delivery(topic, { type: 'avro' })], how)).toMatchObject([
        { kind: 'refused', failure: { code: 'SCHEMA_INVALID' } },
      ])
    })

    test('a registry that is away costs no attempt, and none where the id is known', async () => {
      const topic = newTopic()
      const line = await proxyTo(url)
      const schemas = { 'order.placed': PLACED, 'order.paid': PLACED }
      const transport = open({ url: line.by(url), schemas, subject: 'topic-type' })
      expect(await transport.deliver([delivery(topic)], how)).toMatchObject([{ kind: 'delivered' }])
      line.cut()
      await expect(transport.ping()).rejects.toMatchObject({ code: 'DESTINATION_UNREACHABLE' })
      const paid = delivery(topic, { type: 'order.paid', key: 'other' })
      expect(await transport.deliver([delivery(topic), paid], how)).toMatchObject([
        { kind: 'delivered' },
        { kind: 'retryLater', unreachable: true, failure: { code: 'DESTINATION_UNREACHABLE' } },
      ])
      await line.heal()
      await expect
        .poll(async () => (await transport.deliver([paid], how))[0]?.kind, { timeout: 10_000 })
        .toBe('delivered')
      await line.close()
    })

    /** The registry behind TLS and a login, as most are. */
    async function startGate(wanted: string) {
      const folder = process.env['KAFKA_CERTIFICATES'] ?? ''
      const pem = (name: string) => readFileSync(`${folder}/${name}.pem`, 'utf8')
      const server = createServer({ key: pem('server-key'), cert: pem('server') })
      const forward = async (request: IncomingMessage, response: ServerResponse) => {
        const chunks = await request.toArray()
        const { method = 'GET', url: path = '' } = request
        const content = request.headers['content-type'] ?? 'application/json'
        const answer = await fetch(new URL(path, url), {
          ...{ method, headers: { 'content-type': content } },
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        })
        response.writeHead(answer.status).end(await answer.text())
      }
      server.on('request', (request, response) => {
        if (request.headers.authorization === wanted) void forward(request, response)
        else response.writeHead(401).end()
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      const { port } = server.address() as AddressInfo
      const { pathname } = new URL(url)
      return { url: `https://127.0.0.1:${port}${pathname}`, tls: { ca: pem('ca') } }
    }

    test.each([
      [{ username: 'posthorn', password: 'a secret: ö' }, `Basic ${btoa8('posthorn:a secret: ö')}`],
      [{ token: 'abc' }, 'Bearer abc'],
      [{ token: async () => 'def' }, 'Bearer def'],
    ])('a registry behind TLS that wants a login: %j', async (auth, wanted) => {
      const gate = await startGate(wanted)
      const schemas = { 'order.placed': PLACED }
      const topic = newTopic()
      const known = open({ ...gate, auth, schemas })
      expect(await known.deliver([delivery(topic)], how)).toMatchObject([{ kind: 'delivered' }])
      const stranger = open({ ...gate, schemas })
      expect(await stranger.deliver([delivery(topic)], how)).toMatchObject([
        { kind: 'retryLater', unreachable: true },
      ])
      const doubtful = open({ url: gate.url, auth, schemas })
      expect(await doubtful.deliver([delivery(topic)], how)).toMatchObject([
        { kind: 'retryLater', unreachable: true },
      ])
    })
  })
})

function btoa8(text: string): string {
  return Buffer.from(text).toString('base64')
}
