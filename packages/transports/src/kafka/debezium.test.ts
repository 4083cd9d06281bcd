import { defineOutbox, exponential, keyRing, outbox, type OutboxDefinition } from '@posthorn/engine'
import { describe, expect, it } from 'vitest'
import { debeziumConnector } from './debezium.ts'

const databaseUrl = 'postgres://ada:secret@db.example:6432/shop'

interface Row {
  readonly id: string
  readonly kind: string
  readonly region: string
  readonly customer: string
  readonly body: { readonly n: number }
  readonly status: string
  readonly attempts: number
  readonly due_at: Date
}

function define(changes: Partial<OutboxDefinition<Row>> = {}) {
  return defineOutbox<Row>({
    name: 'shop.events',
    table: 'shop.events',
    states: { ready: 'new', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: exponential('1s', { attempts: 3 }),
    destination: { transport: 'kafka', topic: 'events' },
    message: ({ id, kind, body }) => ({ id, type: kind, payload: body }),
    ...changes,
  } as OutboxDefinition<Row>)
}

const placement = 'transforms.outbox.table.fields.additional.placement'

describe('the configuration', () => {
  it('reads the standard table and its password from the environment', () => {
    const events = outbox('shop.outbox', { order: 'key' })
    const { name, config, notes } = debeziumConnector(events, { databaseUrl })
    expect(name).toBe('posthorn-shop-outbox')
    expect(config).toMatchObject({
      'database.hostname': 'db.example',
      'database.port': '6432',
      'database.password': '${env:DATABASE_PASSWORD}',
      'table.include.list': 'shop.outbox',
      'slot.name': 'posthorn_shop_outbox',
      'transforms.outbox.table.field.event.key': 'key',
      'transforms.outbox.route.topic.replacement': 'shop.outbox',
    })
    expect(config[placement]?.split(',')).toEqual([
      'id:envelope:ce_id',
      'type:header:ce_type',
      'created_at:header:ce_time',
      'key:header:ce_partitionkey',
      'tenant:header:ce_tenant',
      'traceparent:header:ce_traceparent',
      'headers:header:ce_posthornheaders',
    ])
    expect(JSON.stringify(config)).not.toContain('secret')
    expect(notes.join('\n')).toContain('ce_posthornheaders')
  })

  it('takes constants, headers and parts of the topic from where they stand', () => {
    const { config } = debeziumConnector(
      define({
        destination: ({ region }) => ({ transport: 'kafka', topic: `events.${region}.v1` }),
        message: ({ id, customer, region, body }) => ({
          ...{ id, type: 'notice', key: customer, payload: body, version: 2 },
          headers: { region, origin: 'shop' },
        }),
      }),
      { databaseUrl, source: 'shop' },
    )
    expect(config).toMatchObject({
      'transforms.outbox.route.by.field': 'region',
      'transforms.outbox.route.topic.replacement': 'events.${routedByValue}.v1',
      'transforms.header-ce_type.value.literal': 'notice',
      'transforms.header-ce_posthornversion.value.literal': '2',
      'transforms.header-ce_source.value.literal': 'shop',
      'transforms.header-origin.value.literal': 'shop',
    })
    expect(config[placement]).toContain('region:header:region')
  })
})

describe('a definition that no connector can follow', () => {
  it.each<[string, Partial<OutboxDefinition<Row>>]>([
    ['payload', { message: ({ id, body }) => ({ id, type: 'a', payload: { n: body.n } }) }],
    ['type', { message: ({ id, kind, body }) => ({ id, type: `a.${kind}`, payload: body }) }],
    [
      'topic',
      { destination: ({ kind, region }) => ({ transport: 'kafka', topic: kind + region }) },
    ],
    ['storage', { storage: 'log', order: { key: 'customer', dead: 'block' } }],
    ['upcasters', { upcasters: { a: { 1: (payload) => payload } } }],
    ['encrypt', { encrypt: { columns: ['body'], keys: keyRing(['k'.repeat(43)]) } }],
  ])('is refused for its %s', (field, changes) => {
    expect(() => debeziumConnector(define(changes), { databaseUrl })).toThrow(new RegExp(field))
  })
})
