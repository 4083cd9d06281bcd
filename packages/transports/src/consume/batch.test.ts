import { silentLog, toMessage, uuid, type Message } from '@posthorn/engine'
import { Semaphore } from '@posthorn/engine/internal'
import { expect, test } from 'vitest'
import { untilAllDone, type BatchWork } from './batch.ts'

const never = new AbortController().signal

function handling() {
  const none = async () => Promise.reject(new Error('nothing is set aside here'))
  return {
    log: silentLog,
    slots: new Semaphore(1),
    stop: never,
    signal: never,
    failures: {
      retry: { kind: 'fixed', delayMs: 1, attempts: 3 } as never,
      holdMs: 1_000,
      store: undefined,
      isReachable: async () => true,
      remember: () => undefined,
      park: async () => false,
      retryLater: none,
      bury: none,
      alone: none,
    },
  }
}

function workOf(message: Message, alone: string[]): BatchWork {
  return {
    attempt: () => void alone.push(message.id),
    received: { id: message.id, place: undefined, message },
    about: {},
  }
}

test.each([
  ['ends', new Error('Connection terminated unexpectedly')],
  ['is refused', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['is ended by a server that shuts down', Object.assign(new Error('bye'), { code: '57P01' })],
])('messages stay together when the connection %s under them', async (_, error) => {
  const messages = Array.from({ length: 3 }, (_each, n) =>
    toMessage({ id: uuid(), type: 'test', payload: n }),
  )
  const alone: string[] = []
  const batches: number[] = []
  const done = await untilAllDone(
    messages.map((message) => workOf(message, alone)),
    handling(),
    {
      size: 10,
      async handle(together) {
        batches.push(together.length)
        if (batches.length === 1) throw error
        return together.map(() => 'done')
      },
    },
  )
  expect({ done, batches, alone }).toEqual({ done: [true, true, true], batches: [3, 3], alone: [] })
})
