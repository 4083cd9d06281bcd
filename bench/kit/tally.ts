import type { Pool, PoolClient } from 'pg'
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

/** Delivers a batch on the n-th connection, and returns its size. */
export type Step = (client: PoolClient, counter: Tally, n: number) => Promise<number>

/** Drains by a loop on each connection, until nothing is free: the others hold the last rows. */
export async function drainByLoops(
  pool: Pool,
  step: Step,
  load: { readonly connections: number; readonly count: number; readonly limitMs: number },
): Promise<Drained> {
  const connecting = Array.from({ length: load.connections }, () => pool.connect())
  const clients = await Promise.all(connecting)
  const counter = tally(load.count, load.limitMs)
  const loop = async (client: PoolClient, n: number): Promise<void> => {
    while (!counter.isOver()) if ((await step(client, counter, n)) === 0) return
  }
  const loops = Promise.all(clients.map(loop))
  const drained = await counter.result(async () => void (await loops))
  clients.forEach((client) => client.release())
  return drained
}
