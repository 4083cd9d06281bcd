import { randomUUID } from 'node:crypto'
import { delivered, toMessage, type Delivery, type Outcome } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { connectedTransport, type ConnectedBroker } from './queue-transport.ts'
import { polledQueue } from './polled-queue.ts'

interface Client {
  isOpen: boolean
}

const never = new Promise<never>(() => undefined)
const how = { ordered: false, signal: new AbortController().signal }

function delivery(payload: unknown): Delivery {
  const message = toMessage({ id: randomUUID(), type: 'any', payload })
  return { message, destination: { transport: 'own', topic: 'letters' } }
}

function transportOver(changes: Partial<ConnectedBroker<Client, unknown>> = {}) {
  const clients: Client[] = []
  const transport = connectedTransport<Client, unknown>(
    {
      async connect() {
        const client = { isOpen: true }
        clients.push(client)
        return client
      },
      isOpen: (client) => client.isOpen,
      drop: (client) => (client.isOpen = false),
      write: ({ message }) => message.payload,
      send: async () => delivered(),
      queueOf: () => polledQueue({ name: 'q', fetch: () => never, ack: () => never }),
      lag: async () => 0,
      ping: () => never,
      ...changes,
    },
    { timeout: '20ms' },
  )
  return { transport, clients }
}

const wordOn = (outcome: Outcome) =>
  outcome.kind === 'retryLater' ? outcome.failure.code : outcome.kind

test('has a word on each message, also where sending fails or gets no answer', async () => {
  const { transport, clients } = transportOver({
    async send(_client, payload) {
      if (payload === 'lost') throw Object.assign(new Error('lost'), { code: 'LOST' })
      return payload === 'silent' ? never : delivered()
    },
  })
  const outcomes = await transport.deliver(['fine', 'lost', 'silent'].map(delivery), how)
  expect(outcomes.map(wordOn)).toEqual(['delivered', 'LOST', 'DELIVERY_TIMEOUT'])
  // It may be dead: the next ones go over another.
  expect(clients).toEqual([{ isOpen: false }])
  await transport.deliver([delivery('fine')], how)
  expect(clients.length).toBe(2)
})

test.each([
  ['refused', () => Promise.reject(new Error('refused'))],
  ['silent', () => never],
])('counts no attempt where the connection is %s', async (_name, connect) => {
  const { transport } = transportOver({ connect })
  const [outcome] = await transport.deliver([delivery('fine')], how)
  expect(outcome).toMatchObject({ kind: 'retryLater', unreachable: true })
})

test('does not wait for ever for an answer, and drops the connection when closed', async () => {
  const { transport, clients } = transportOver()
  await expect(transport.ping()).rejects.toThrow('no answer from the server within 40 ms')
  expect(clients).toEqual([{ isOpen: false }])
  expect(await transport.lag({ topic: 'letters', group: 'mail' })).toBe(0)
  await transport.close()
  expect(clients).toEqual([{ isOpen: false }, { isOpen: false }])
})
