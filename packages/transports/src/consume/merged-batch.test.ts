import { setTimeout as sleep } from 'node:timers/promises'
import { toMessage, uuid, type Handled, type Message } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { mergePartitions } from './merged-batch.ts'

const never = { signal: new AbortController().signal }

function messagesOf(...names: string[]): Message[] {
  return names.map((name) => toMessage({ id: uuid(), type: 'test', payload: name }))
}

/** Handles by name; what it was called with. */
function recording(size: number, answer: (names: string[]) => Handled[] | Promise<Handled[]>) {
  const calls: string[][] = []
  const { handle } = mergePartitions({
    size,
    async handle(messages) {
      const names = messages.map(({ payload }) => payload as string)
      calls.push(names)
      return answer(names)
    },
  })
  return { calls, handle: (...names: string[]) => handle(messagesOf(...names), never) }
}

const allDone = (names: string[]): Handled[] => names.map(() => 'done')

test('what partitions have at the same time is handled in one call, and each gets its own', async () => {
  const failure = { error: new Error('b2') }
  const { calls, handle } = recording(10, (names) =>
    names.map((name) => (name === 'b2' ? failure : 'done')),
  )
  const results = await Promise.all([handle('a1', 'a2'), handle('b1', 'b2'), handle('c1')])
  expect(calls).toEqual([['a1', 'a2', 'b1', 'b2', 'c1']])
  expect(results).toEqual([['done', 'done'], ['done', failure], ['done']])
})

test('what comes while a call is under way waits for it, and no partition is torn apart', async () => {
  const { calls, handle } = recording(3, async (names) => {
    await sleep(5)
    return allDone(names)
  })
  const first = handle('a1')
  await sleep(2)
  await Promise.all([first, handle('b1', 'b2'), handle('c1', 'c2'), handle('d1')])
  expect(calls).toEqual([['a1'], ['b1', 'b2'], ['c1', 'c2', 'd1']])
})

test('a handler that takes long has several calls at once', async () => {
  const slow = Promise.withResolvers<void>()
  const { calls, handle } = recording(10, async (names) => {
    if (names.includes('slow')) await slow.promise
    return allDone(names)
  })
  const first = handle('slow')
  await sleep(2)
  expect(await handle('fast')).toEqual(['done'])
  slow.resolve()
  expect(await first).toEqual(['done'])
  expect(calls).toEqual([['slow'], ['fast']])
})

test('partitions behind a failure of another come again without it', async () => {
  const failure = { error: new Error('a1') }
  const { calls, handle } = recording(10, (names) => {
    const at = names.indexOf('a1')
    return names.map((_, i) => (at < 0 || i < at ? 'done' : i === at ? failure : 'untried'))
  })
  const results = await Promise.all([handle('a1', 'a2'), handle('b1'), handle('c1')])
  expect(results).toEqual([[failure, 'untried'], ['done'], ['done']])
  expect(calls).toEqual([
    ['a1', 'a2', 'b1', 'c1'],
    ['b1', 'c1'],
  ])
})

test('they come again behind a call that took long as well', async () => {
  const failure = { error: new Error('a1') }
  const { calls, handle } = recording(10, async (names) => {
    if (!names.includes('a1')) return allDone(names)
    await sleep(60)
    return names.map((_, i) => (i === 0 ? failure : 'untried'))
  })
  expect(await Promise.all([handle('a1'), handle('b1')])).toEqual([[failure], ['done']])
  expect(calls).toEqual([['a1', 'b1'], ['b1']])
})

test.each([
  ['throws', () => Promise.reject(new Error('down'))],
  ['gets nowhere', (names: string[]) => names.map(() => 'untried' as const)],
])('where a call %s, each partition is handled apart, and hears of its own', async (_, answer) => {
  const { calls, handle } = recording(10, (names) =>
    names.includes('b1') ? answer(names) : allDone(names),
  )
  const results = await Promise.allSettled([handle('a1'), handle('b1'), handle('c1')])
  expect(calls).toEqual([['a1', 'b1', 'c1'], ['a1'], ['b1'], ['c1']])
  expect(results[0]).toEqual({ status: 'fulfilled', value: ['done'] })
  expect(results[1]).not.toEqual({ status: 'fulfilled', value: ['done'] })
  expect(results[2]).toEqual({ status: 'fulfilled', value: ['done'] })
})

test('a partition that was given up while it waited is not handled', async () => {
  const given = new AbortController()
  const calls: number[] = []
  const { handle } = mergePartitions({
    size: 10,
    async handle(messages) {
      calls.push(messages.length)
      return messages.map(() => 'done')
    },
  })
  const up = handle(messagesOf('a1'), { signal: given.signal })
  given.abort()
  expect(await Promise.all([up, handle(messagesOf('b1'), never)])).toEqual([[], ['done']])
  expect(calls).toEqual([1])
})
