import type { Drained } from '../queues/contestant.ts'
import type { RelayOrder } from './relay-process.ts'
import { AS_STARTED, startChild } from '../kit/child.ts'

/** Drains `count` messages by so many relays, or as many as they can before the limit. */
export async function drainBy(
  relays: number,
  order: RelayOrder,
  { count, limitMs }: { count: number; limitMs: number },
): Promise<Drained> {
  let delivered = 0
  const enough = Promise.withResolvers<void>()
  const onEvent = (more: number) => {
    delivered += more
    if (delivered >= count) enough.resolve()
  }
  const script = new URL('relay-process.ts', import.meta.url)
  const args = [JSON.stringify(order)]
  await using opened = new AsyncDisposableStack()
  const start = async () =>
    opened.use(await startChild<string, number>(script, args, { flags: AS_STARTED, onEvent }))
  const running = await Promise.all(Array.from({ length: relays }, start))
  const begun = performance.now()
  const limit = setTimeout(enough.resolve, limitMs)
  running.forEach((relay) => relay.tell('start'))
  await enough.promise
  clearTimeout(limit)
  const atLimit = { delivered, ms: performance.now() - begun }
  // What is settled counts; with the last message, the time it takes to settle too.
  await Promise.all(running.map((relay) => relay.ask('stop')))
  return delivered >= count ? { delivered, ms: performance.now() - begun } : atLimit
}
