import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { attemptWithin } from './bounded-attempt.ts'

test('an attempt that is over leaves nothing behind that would keep its messages in memory', async () => {
  const relay = new AbortController()
  const signals: AbortSignal[] = []
  const attempt = (end: 'answers' | 'throws') => async (signal: AbortSignal) => {
    signals.push(signal)
    if (end === 'throws') throw new Error('refused')
    return end
  }
  const bounds = { ms: 60_000, signal: relay.signal }
  expect(await attemptWithin(attempt('answers'), bounds)).toBe('answers')
  await expect(attemptWithin(attempt('throws'), bounds)).rejects.toThrow('refused')
  // Node holds on to a joined signal while it is listened to and one of its sources lives.
  expect(signals.map((signal) => getEventListeners(signal, 'abort'))).toEqual([[], []])
})

test('an attempt that goes on in spite of its abort is left alone', async () => {
  const relay = new AbortController()
  const bounds = { ms: 20, signal: relay.signal }
  expect(await attemptWithin(() => new Promise(() => undefined), bounds)).toBeUndefined()
})
