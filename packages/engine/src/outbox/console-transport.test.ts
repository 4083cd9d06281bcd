import { expect, test, vi } from 'vitest'
import { consoleTransport } from './console-transport.ts'
import { toMessage } from './message.ts'

test('the console transport prints type, key and payload, and keeps what it delivered', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const transport = consoleTransport()
  const destination = { transport: 'console', topic: 'orders' }
  const messages = [
    toMessage({ id: '1', type: 'order.placed', key: 'ada', payload: { order: 7 } }),
    toMessage({ id: '2', type: 'order.paid', payload: null }),
  ]
  const outcomes = await transport.deliver(
    messages.map((message) => ({ message, destination })),
    { ordered: false, signal: new AbortController().signal },
  )
  expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'delivered' }])
  expect(print.mock.calls).toEqual([
    ['order.placed', 'ada', { order: 7 }],
    ['order.paid', null],
  ])
  expect(transport.delivered).toEqual(messages)
})
