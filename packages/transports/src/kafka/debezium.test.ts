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
    expect(notes.join('\n')).toContain('null makes a header without a value')
  })

  it('sends headers of one column by themselves where they are named', () => {
    const events = outbox('shop.outbox', { order: 'key' })
    const headers = ['region', 'X-Request-Id']
    const { config, notes, sql } = debeziumConnector(events, { databaseUrl, headers })
    expect(config[placement]?.split(',').slice(-3)).toEqual([
      'header_region:header:region',
      'header_x_request_id:header:X-Request-Id',
      'other_headers:header:ce_posthornheaders',
    ])
    expect(notes.join('\n')).toContain('--sql')
    expect(sql).toMatchInlineSnapshot(`
      "alter table shop.outbox
        add column if not exists header_region text,
        add column if not exists header_x_request_id text,
        add column if not exists other_headers jsonb;
      create or replace function shop.outbox_headers() returns trigger language plpgsql as $$
      begin
        new.header_region := new.headers ->> 'region';
        new.header_x_request_id := new.headers ->> 'X-Request-Id';
        new.other_headers := nullif(new.headers - array['region', 'X-Request-Id'], '{}');
        return new;
      end $$;
      create or replace trigger split_headers before insert on shop.outbox
        for each row when (new.headers is not null) execute function shop.outbox_headers();
      "
    `)
    expect(debeziumConnector(events, { databaseUrl }).sql).toBeUndefined()
  })

  it.each([
    ['a,b', /letters, digits/],
    ['ce_type', /written by Posthorn/],
    ['REGION', /share the column header_region/],
  ])('refuses the header %s', (header, problem) => {
    const events = outbox('shop.outbox', { order: 'key' })
    const headers = ['region', header]
    expect(() => debeziumConnector(events, { databaseUrl, headers })).toThrow(problem)
    expect(() => debeziumConnector(define(), { databaseUrl, headers })).toThrow(/of their own/)
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
