import type { Pool } from 'pg'
import { Semaphore } from '../semaphore.ts'

/** Connections of a pool at the most; ten where it says nothing, as pg has it. */
export function poolSize(pool: Pool): number {
  return pool.options.max ?? 10
}

/** How many connections of a pool may be held by what may wait for another one. */
export function gatePlaces(pool: Pool): number {
  return Math.max(1, Math.floor(poolSize(pool) / 2))
}

const gates = new WeakMap<Pool, Semaphore>()

/**
 * For whoever holds a connection for long and may wait for another of the same pool: handlers, steps of
 * sagas, maintenance. Ten of them that hold the last ten connections would wait forever, and with them
 * the application. Half of the pool is for them together.
 */
export function connectionGate(pool: Pool): Semaphore {
  const gate = gates.get(pool) ?? new Semaphore(gatePlaces(pool))
  gates.set(pool, gate)
  return gate
}
