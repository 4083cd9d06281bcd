import { toMessage } from '@posthorn/engine'
import { describe, expect, it } from 'vitest'
import {
  amqpBinding,
  fromCloudEvent,
  httpBinding,
  idOfCoordinates,
  kafkaBinding,
  toCloudEvent,
  type Binding,
  type Fallback,
} from './cloudevents.ts'

const message = toMessage({
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  type: 'Größe.Changed',
  version: 3,
  key: 'k "1" 100%',
  tenant: 'mandant',
  occurredAt: new Date('2024-02-29T12:00:00.123Z'),
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  headers: { 'x-own': 'yes', ce_unknown: 'kept' },
  payload: { text: 'ä\u0000', list: [1, null] },
})

const nothing: Fallback = { id: () => 'from-fallback', type: 'fallback-type' }

function decode(
  binding: Binding,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  fallback = nothing,
) {
  return fromCloudEvent({ headers, body: Buffer.from(body) }, binding, fallback)
}

describe('headers in one', () => {
  const withHeaders = (json: string) =>
    decode(kafkaBinding, { headers: { ce_posthornheaders: json, own: 'kept' }, body: '1' }).headers

  it('are taken apart', () => {
    expect(withHeaders('{"region": "eu", "n": 1, "own": "lost"}')).toEqual({
      region: 'eu',
      n: '1',
      own: 'kept',
    })
  })

  it('are left out where they are no object', () => {
    expect([withHeaders('null'), withHeaders('{'), withHeaders('7')]).toEqual(
      Array.from({ length: 3 }, () => ({ own: 'kept' })),
    )
  })
})

describe('an event', () => {
  it.each([
    ['kafka', kafkaBinding],
    ['amqp', amqpBinding],
    ['http', httpBinding],
  ])('comes back from %s as it was', (_, binding) => {
    expect(decode(binding, toCloudEvent(message, binding, 'posthorn'))).toEqual(message)
  })

  it('has the names that each binding prescribes', () => {
    expect(toCloudEvent(message, kafkaBinding, 'shop').headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: message.id,
      ce_source: 'shop',
      ce_type: 'Größe.Changed',
      ce_time: '2024-02-29T12:00:00.123Z',
      ce_posthornversion: '3',
      ce_partitionkey: 'k "1" 100%',
      ce_tenant: 'mandant',
      ce_traceparent: message.traceparent,
      ce_unknown: 'kept',
      'x-own': 'yes',
    })
    expect(toCloudEvent(message, httpBinding, 'shop').headers).toMatchObject({
      'ce-type': 'Gr%C3%B6%C3%9Fe.Changed',
      'ce-partitionkey': 'k%20%221%22%20100%25',
    })
    expect(toCloudEvent(message, amqpBinding, 'shop').headers).toMatchObject({
      cloudEvents_id: message.id,
    })
  })

  it('is read with either separator of AMQP', () => {
    const read = decode(amqpBinding, {
      headers: { 'cloudEvents:id': 'a', 'cloudEvents:type': 't' },
      body: '1',
    })
    expect(read).toMatchObject({ id: 'a', type: 't', payload: 1, headers: {} })
  })

  it('leaves out what the message does not have', () => {
    const plain = toMessage({ id: 'x', type: 't', payload: undefined })
    const { headers, body } = toCloudEvent(plain, kafkaBinding, 'posthorn')
    expect(Object.keys(headers).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'ce_id',
      'ce_posthornversion',
      'ce_source',
      'ce_specversion',
      'ce_time',
      'ce_type',
      'content-type',
    ])
    expect(body).toBe('null')
  })

  it.each([
    ['a BigInt', { payload: 1n }],
    ['no time', { occurredAt: new Date(Number.NaN) }],
  ])('cannot be written with %s', (_, change) => {
    expect(() => toCloudEvent({ ...message, ...change }, kafkaBinding, 'posthorn')).toThrow(
      expect.objectContaining({ code: 'MESSAGE_UNENCODABLE' }),
    )
  })
})

describe('what others wrote', () => {
  it('takes from where it was read what its headers do not say', () => {
    const occurredAt = new Date('2020-01-01')
    const fallback = { ...nothing, key: 'k', occurredAt }
    expect(decode(kafkaBinding, { headers: { 'x-a': '1' }, body: '{"a":1}' }, fallback)).toEqual(
      toMessage({
        id: 'from-fallback',
        type: 'fallback-type',
        key: 'k',
        occurredAt,
        headers: { 'x-a': '1' },
        payload: { a: 1 },
      }),
    )
  })

  it.each([
    ['no JSON', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('is unreadable if the body is %s', (_, body) => {
    expect(() => fromCloudEvent({ headers: {}, body }, kafkaBinding, nothing)).toThrow(
      expect.objectContaining({ code: 'MESSAGE_UNREADABLE' }),
    )
  })

  it('may have nonsense in its attributes', () => {
    const read = decode(kafkaBinding, {
      headers: { ce_time: 'soon', ce_posthornversion: '-x' },
      body: '1',
    })
    expect(read).toMatchObject({ version: 1, occurredAt: new Date(0) })
  })

  it('gets an id that depends on its place alone and knows its time', () => {
    const id = idOfCoordinates(1_700_000_000_000, 'topic/3/17')
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(idOfCoordinates(1_700_000_000_000, 'topic/3/17')).toBe(id)
    expect(idOfCoordinates(1_700_000_000_000, 'topic/3/18')).not.toBe(id)
    expect(toMessage({ id, type: 't', payload: 1 }).occurredAt).toEqual(new Date(1_700_000_000_000))
  })
})
