import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mergeStreams } from './merge-streams.ts'

/** Yields, then waits for ever, or until its signal is aborted. */
async function* source(items: readonly string[], stopped?: AbortSignal): AsyncGenerator<string> {
  for (const item of items) {
    await pause(1)
    yield item
  }
  if (stopped) await new Promise((resolve) => stopped.addEventListener('abort', resolve))
}

async function take(from: AsyncIterable<string>, count: number): Promise<string[]> {
  const taken: string[] = []
  for await (const item of from) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

test('each source keeps its order, and a silent one holds up no other', async () => {
  const stop = new AbortController()
  const sources = [source(['a1', 'a2', 'a3'], stop.signal), source([], stop.signal)]
  expect(await take(mergeStreams([...sources, source(['b1', 'b2'], stop.signal)]), 5)).toEqual(
    expect.arrayContaining(['a1', 'a2', 'a3', 'b1', 'b2']),
  )
  stop.abort()
})

test('ends with the first source that ends', async () => {
  const stop = new AbortController()
  const all = await take(mergeStreams([source(['a']), source([], stop.signal)]), 10)
  expect(all).toEqual(['a'])
  stop.abort()
})

test('breaks with the first source that breaks', async () => {
  const stop = new AbortController()
  async function* failAfterOne(): AsyncGenerator<string> {
    yield 'one'
    throw new Error('behind')
  }
  await expect(take(mergeStreams([failAfterOne(), source([], stop.signal)]), 10)).rejects.toThrow(
    'behind',
  )
  stop.abort()
})

test('a source that goes on for long leaves nothing behind on a silent one', async () => {
  const stop = new AbortController()
  async function* busy(): AsyncGenerator<string> {
    for (let n = 0; n < 50_000; n += 1) yield String(n)
  }
  const taken = await take(mergeStreams([busy(), source([], stop.signal)]), 50_000)
  expect(taken.at(-1)).toBe('49999')
  stop.abort()
})
