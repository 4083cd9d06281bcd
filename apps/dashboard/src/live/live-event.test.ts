import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventParser, liveEventIn } from './live-event.ts'

const event = (name: string, data: string) => ({ id: undefined, event: name, data })

test('reads what it knows and says of which kind it is', () => {
  expect(
    liveEventIn(event('announcement', '{"topic":"example.job","id":"7","data":{"done":1}}')),
  ).toEqual({
    kind: 'announcement',
    topic: 'example.job',
    id: '7',
    data: { done: 1 },
  })
})

test.each([
  ['position', '{}'],
  ['something-newer', '{}'],
  ['announcement', 'no json'],
  ['transition', 'null'],
  ['transition', '7'],
])('passes over %s %s', (name, data) => {
  expect(liveEventIn(event(name, data))).toBeUndefined()
})

const parse = (...pieces: string[]) => {
  const read = createEventParser()
  return pieces.flatMap((piece) => read(piece))
}

test('reads events, and not comments, retries and what is empty', () => {
  expect(
    parse('retry: 2000\n\n: here\n\nid: 7\nevent: transition\ndata: {"a":1}\n\ndata:x\n\n'),
  ).toEqual([
    { id: '7', event: 'transition', data: '{"a":1}' },
    { id: undefined, event: 'message', data: 'x' },
  ])
})

test('joins lines of data, and takes every kind of line break', () => {
  const lines = ['event: announcement', 'data: one', 'data: two', '', '']
  const expected = [{ id: undefined, event: 'announcement', data: 'one\ntwo' }]
  for (const end of ['\n', '\r\n', '\r']) {
    // The last break alone cannot say whether another half follows.
    expect(parse(lines.join(end), ': more\n')).toEqual(expected)
  }
})

test('does not mind where the stream is cut', () => {
  const text = 'id: 1\r\nevent: a\r\ndata: x\r\n\r\nid: 2\nevent: b\ndata: y\ndata: z\n\n: here\n\n'
  const whole = parse(text)
  expect(whole).toHaveLength(2)
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length]
      const pieces = places.slice(1).map((end, i) => text.slice(places[i], end))
      expect(parse(...pieces)).toEqual(whole)
    }),
  )
})

test('an event without an end is given up before it fills the memory', () => {
  const read = createEventParser()
  const pour = () => {
    for (let i = 0; i < 20; i++) read('x'.repeat(100_000))
  }
  expect(pour).toThrow(RangeError)
})
