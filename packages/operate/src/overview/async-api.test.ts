import { Parser } from '@asyncapi/parser'
import { outbox, type Outbox } from '@posthorn/engine'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asyncApi } from './async-api.ts'

const Part = z.object({
  name: z.string(),
  get parts() {
    return z.array(Part)
  },
})
const orders = outbox('shop.orders', {
  destination: { transport: 'kafka', topic: 'shop/orders' },
  schemas: {
    'order.placed': z.object({ order: z.number(), by: z.string().default('guest') }),
    'order.built': Part,
    'order.paid': Compile(Type.Object({ receipt: Type.String() })),
    // It has no description of its own without a further package.
    'order.sent': v.object({ order: v.number() }),
    // Nothing can describe what comes out of it.
    'order.hidden': z.string().transform((text) => ({ text })),
  },
})
const mails = outbox<{ welcome: { to: string } }>('shop.mails')
const calls = outbox('shop.calls', {
  destination: () => ({ transport: 'webhook', topic: 'https://example.org' }),
})

const document = asyncApi({
  title: 'Shop',
  version: '1.2.3',
  outboxes: [orders, mails, calls] as unknown as readonly Outbox[],
  handlers: [mails.handle({ welcome: async () => undefined })],
  consumers: [
    { transport: 'kafka', topic: 'shop/orders', group: 'warehouse' },
    { transport: 'kafka', topic: 'partner.stock', group: 'warehouse' },
  ],
})

test('the official parser finds a valid document of AsyncAPI 3', async () => {
  const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document))
  // 0 is an error; the parser also advises.
  expect(diagnostics.map(({ severity }) => severity)).not.toContain(0)
  expect(parsed?.version()).toBe('3.0.0')
  const operations = parsed?.operations().all() ?? []
  const found = operations.map((operation) => [
    operation.action(),
    operation.json('title'),
    operation.channels().all()[0]?.address(),
    operation
      .messages()
      .all()
      .map((message) => message.name()),
  ])
  const types = ['order.placed', 'order.built', 'order.paid', 'order.sent', 'order.hidden']
  expect(found).toEqual([
    ['send', 'shop.orders', 'shop/orders', types],
    ['send', 'shop.mails', 'shop.mails', ['welcome']],
    ['receive', 'handlers', 'shop.mails', ['welcome']],
    ['send', 'shop.calls', null, ['shop.calls']],
    ['receive', 'warehouse', 'shop/orders', types],
    ['receive', 'warehouse', 'partner.stock', []],
  ])
})

test('payloads are described as they are stored, by the libraries that can', () => {
  const { schemas } = document['components'] as { schemas: Record<string, object> }
  expect(schemas).toEqual({
    'shop.orders.order.placed': expect.objectContaining({
      properties: { order: { type: 'number' }, by: { type: 'string', default: 'guest' } },
      required: ['order', 'by'],
    }),
    'shop.orders.order.built': expect.objectContaining({
      properties: {
        name: { type: 'string' },
        parts: { type: 'array', items: { $ref: '#/components/schemas/shop.orders.order.built' } },
      },
    }),
    'shop.orders.order.paid': {
      type: 'object',
      required: ['receipt'],
      properties: { receipt: { type: 'string' } },
    },
  })
})

test('destinations, types and consumers whose names have the same key stay apart', async () => {
  const to = (name: `shop.${string}`, topic: string) =>
    outbox<{ paid: object }>(name, { destination: { transport: 'kafka', topic } })
  const outboxes = [
    to('shop.slashed', 'shop/orders'),
    to('shop.dashed', 'shop-orders'),
    // The place of `kafka` and `calls`, and an outbox of that name whose rows say where they go.
    to('shop.calls', 'calls'),
    outbox('kafka.calls', { destination: () => ({ transport: 'webhook', topic: 'x' }) }),
  ] as unknown as readonly Outbox[]
  const consumers = ['a/b', 'a-b'].map((group) => ({
    ...{ transport: 'kafka', topic: 'shop/orders', group },
  }))
  const made = asyncApi({ title: 'Shop', version: '1', outboxes, consumers })
  const { diagnostics } = await new Parser().parse(JSON.stringify(made))
  expect(diagnostics.map(({ severity }) => severity)).not.toContain(0)
  const channels = made['channels'] as Record<string, { address: string | null }>
  expect(Object.entries(channels).map(([key, { address }]) => [key, address])).toEqual([
    ['kafka.shop-orders', 'shop/orders'],
    ['kafka.shop-orders-2', 'shop-orders'],
    ['kafka.calls', 'calls'],
    ['kafka.calls-2', null],
  ])
  expect(Object.keys(made['operations'] as object)).toEqual([
    'send.shop.slashed.kafka.shop-orders',
    'send.shop.dashed.kafka.shop-orders-2',
    'send.shop.calls.kafka.calls',
    'send.kafka.calls.kafka.calls-2',
    'receive.a-b.kafka.shop-orders',
    'receive.a-b.kafka.shop-orders-2',
  ])
})
