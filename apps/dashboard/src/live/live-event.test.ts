import { expect, test } from 'vitest'
import { liveEventIn } from './live-event.ts'

const event = (name: string, data: string) => ({ id: undefined, event: name, data })

test('reads what it knows and says of which kind it is', () => {
  expect(
    liveEventIn(event('announcement', '{"topic":"evidence.job","id":"7","data":{"done":1}}')),
  ).toEqual({
    kind: 'announcement',
    topic: 'evidence.job',
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
