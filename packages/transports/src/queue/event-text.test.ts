import { toMessage } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { fromEventText, polledText, toEventText } from './event-text.ts'

const fallback = { id: () => 'by-place', type: 'topic', key: 'by-place' }

test('a message comes back as it was written', () => {
  const message = toMessage({
    ...{ id: '1', type: 'order.placed', version: 2, key: 'ö', tenant: 'acme' },
    headers: { 'x-trace': 'a"b' },
    payload: { total: 3 },
  })
  expect(fromEventText(toEventText(message), fallback)).toEqual(message)
})

test('is an event as others write and read it', () => {
  const occurredAt = new Date('2026-01-02T03:04:05.678Z')
  const message = toMessage({ id: '1', type: 'order.placed', payload: [1], occurredAt })
  expect(JSON.parse(toEventText(message, 'shop'))).toEqual({
    ...{ specversion: '1.0', id: '1', source: 'shop', type: 'order.placed' },
    ...{ time: '2026-01-02T03:04:05.678Z', posthornversion: '1' },
    datacontenttype: 'application/json',
    data: [1],
  })
})

test('says of an event without a key that it has none', () => {
  const message = toMessage({ id: '1', type: 'order.placed', payload: null })
  expect(fromEventText(toEventText(message), fallback).key).toBeUndefined()
})

test('takes JSON without an envelope for the payload', () => {
  expect(fromEventText('{"total":3}', fallback)).toMatchObject({
    ...{ id: 'by-place', type: 'topic', key: 'by-place', payload: { total: 3 } },
  })
})

test('a text that is no message is kept as it is, under the same id each time', () => {
  const { read, raw } = polledText('no JSON', 'topic')
  expect(read).toThrow(expect.objectContaining({ code: 'MESSAGE_UNREADABLE' }))
  expect(Buffer.from(raw().body).toString()).toBe('no JSON')
  expect(raw().id).toBe(polledText('no JSON', 'topic').raw().id)
  expect(raw().id).not.toBe(polledText('nor this', 'topic').raw().id)
})
