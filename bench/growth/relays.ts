import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Drained } from '../queues/contestant.ts'
import type { RelayOrder, RelayReport } from './relay-process.ts'
import { AS_STARTED } from '../kit/child.ts'

/** Relays in processes of their own. */
export interface Relays {
  start(): void
  /** Lets them settle what is under way. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startRelays(
  count: number,
  order: RelayOrder,
  onDelivered: (count: number) => void,
): Promise<Relays> {
  const children = Array.from({ length: count }, () =>
    fork(new URL('relay-process.ts', import.meta.url), [JSON.stringify(order)], {
      execArgv: AS_STARTED,
    }),
  )
  for (const child of children) {
    child.on('message', (report: RelayReport) => {
      if (report.kind === 'delivered') onDelivered(report.count)
    })
  }
  const heard = (kind: RelayReport['kind']) => Promise.all(children.map((c) => hears(c, kind)))
  const exited = children.map((child) => once(child, 'exit'))
  await Promise.race([
    heard('ready'),
    Promise.race(exited).then(() => Promise.reject(new Error('a relay ended by itself'))),
  ])
  return {
    start: () => children.forEach((child) => void child.send('start')),
    async stop() {
      const stopped = heard('stopped')
      children.forEach((child) => void child.send('stop'))
      await stopped
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) if (child.connected) child.disconnect()
      await Promise.all(exited)
    },
  }
}

function hears(child: ChildProcess, kind: RelayReport['kind']): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (report: RelayReport) => {
      if (report.kind === kind) resolve()
    })
  })
}

/** Drains `count` messages by so many relays, or as many as they can before the limit. */
export async function drainBy(
  relays: number,
  order: RelayOrder,
  { count, limitMs }: { count: number; limitMs: number },
): Promise<Drained> {
  let delivered = 0
  const enough = Promise.withResolvers<void>()
  await using running = await startRelays(relays, order, (more) => {
    delivered += more
    if (delivered >= count) enough.resolve()
  })
  const begun = performance.now()
  const limit = setTimeout(enough.resolve, limitMs)
  running.start()
  await enough.promise
  clearTimeout(limit)
  const atLimit = { delivered, ms: performance.now() - begun }
  // What is settled counts; with the last message, the time it takes to settle too.
  await running.stop()
  return delivered >= count ? { delivered, ms: performance.now() - begun } : atLimit
}
