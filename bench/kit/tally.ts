import type { Drained } from '../queues/contestant.ts'
import { read } from './payload.ts'

/** Counts what a handler gets, and says when enough came or time is up. */
export interface Tally {
  /** To be called by the handler, once a message. */
  count(payload: unknown): void
  /** Resolves at the last message or at the limit. */
  readonly over: Promise<void>
  /** True once `over` is resolved: loops end on it. */
  readonly isOver: () => boolean
  /**
   * The result. `settle` waits until what was delivered is also settled: part of the time, except
   * where the limit came first.
   */
  result(settle: () => Promise<void>): Promise<Drained>
}

export function tally(target: number, limitMs: number): Tally {
  const start = performance.now()
  const { promise, resolve } = Promise.withResolvers<void>()
  let delivered = 0
  let isOver = false
  const end = () => {
    isOver = true
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(end, limitMs)
  return {
    count(payload) {
      read(payload)
      delivered += 1
      if (delivered >= target) end()
    },
    over: promise,
    isOver: () => isOver,
    async result(settle) {
      await promise
      const atEnd = { delivered, ms: performance.now() - start }
      await settle()
      if (atEnd.delivered < target) return atEnd
      return { delivered: target, ms: performance.now() - start }
    },
  }
}
