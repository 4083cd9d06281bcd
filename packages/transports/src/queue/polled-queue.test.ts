import { expect, test, vi } from 'vitest'
import type { Incoming } from './queue-session.ts'
import { polledText } from './event-text.ts'
import { polledQueue, type Poll, type PolledQueueParts } from './polled-queue.ts'

/** A queue over a list of texts, and what was taken from it. */
async function openOver(texts: string[] | undefined, changes: Partial<PolledQueueParts> = {}) {
  const list = { texts }
  const taken: Incoming[] = []
  const polls: string[][] = []
  const queue = polledQueue({
    name: 'letters',
    everyMs: 1,
    async fetch({ inHand }: Poll) {
      polls.push([...inHand])
      return list.texts?.map((text) => polledText(text, 'letter'))
    },
    async ack(id) {
      list.texts = list.texts?.filter((text) => text !== id)
    },
    ...changes,
  })
  let isOver = false
  const { ended } = await queue.open((incoming) => taken.push(incoming))
  void ended.then(() => (isOver = true))
  const nextPoll = async () => {
    const before = polls.length
    // The one under way may have begun earlier.
    await vi.waitFor(() => expect(polls.length).toBeGreaterThan(before + 1))
  }
  return { list, taken, polls, queue, ended, isOver: () => isOver, nextPoll }
}

test('gives what it finds once, in order, until it is acknowledged', async () => {
  const { list, taken, polls, queue, nextPoll } = await openOver(['"a"', '"b"'])
  await nextPoll()
  expect(taken.map((each) => each.read().payload)).toEqual(['a', 'b'])
  expect(taken[0]?.ref).toEqual({ queue: 'letters' })
  expect(polls.at(-1)).toEqual(['"a"', '"b"'])

  await taken[0]?.ack()
  list.texts?.push('"a"')
  await nextPoll()
  expect(taken.map((each) => each.read().payload)).toEqual(['a', 'b', 'a'])
  await queue.close()
})

test('does not give again what a poll saw before it was acknowledged', async () => {
  const late = Promise.withResolvers<void>()
  let polls = 0
  const { taken, queue } = await openOver([], {
    async fetch() {
      if (++polls > 2) return []
      if (polls === 2) await late.promise
      return [polledText('"a"', 'letter')]
    },
  })
  await vi.waitFor(() => expect(polls).toBe(2))
  await taken[0]?.ack()
  late.resolve()
  await vi.waitFor(() => expect(polls).toBeGreaterThan(3))
  expect(taken.length).toBe(1)
  await queue.close()
})

test('polls at once when nothing is in hand any more', async () => {
  const { taken, polls, queue } = await openOver(['"a"'], { everyMs: 60_000 })
  await vi.waitFor(() => expect(taken.length).toBe(1))
  await taken[0]?.ack()
  await vi.waitFor(() => expect(polls.length).toBe(2))
  await queue.close()
})

test('says what may have been given before, unless the broker does', async () => {
  const { list, taken, queue, nextPoll } = await openOver(['"a"'])
  await nextPoll()
  list.texts?.push('"b"')
  await nextPoll()
  for (const each of taken) await each.ack()
  list.texts = undefined
  await nextPoll()
  list.texts = ['"c"']
  await nextPoll()
  expect(taken.map(({ redelivered }) => redelivered)).toEqual([true, false, true])
  await queue.close()

  const fetch = async () => [{ ...polledText('"a"', 'letter'), redelivered: false }]
  const told = await openOver([], { fetch })
  await vi.waitFor(() => expect(told.taken[0]?.redelivered).toBe(false))
  await told.queue.close()
})

test('ends where another member has become the reader of what is in hand', async () => {
  const { list, taken, queue, ended, isOver, nextPoll } = await openOver(undefined)
  await nextPoll()
  expect(isOver()).toBe(false)
  list.texts = ['"a"']
  await vi.waitFor(() => expect(taken.length).toBe(1))
  list.texts = undefined
  await ended
  await queue.close()
})

test('ends where the broker does not answer', async () => {
  const down = () => Promise.reject(new Error('down'))
  const unfetched = await openOver([], { fetch: down })
  await unfetched.ended
  const unacknowledged = await openOver(['"a"'], { ack: down })
  await vi.waitFor(() => expect(unacknowledged.taken.length).toBe(1))
  await unacknowledged.taken[0]?.ack()
  await unacknowledged.ended
})

test('when closed, ends a poll that waits, then leaves with what is in hand', async () => {
  const left: string[][] = []
  let polls = 0
  const { taken, queue } = await openOver([], {
    async fetch({ signal }) {
      if (++polls === 1) return [polledText('"a"', 'letter'), polledText('"b"', 'letter')]
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return []
    },
    leave: async ({ inHand }) => left.push([...inHand]),
  })
  await vi.waitFor(() => expect(polls).toBe(2))
  await taken[0]?.ack()
  await queue.close()
  expect(left).toEqual([['"b"']])
  expect(polls).toBe(2)
})
