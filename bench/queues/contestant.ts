import { transaction, type Transaction } from '@posthorn/engine'
import type { Pool, PoolClient } from 'pg'
import type { Database } from '../kit/postgres.ts'

/** One of those compared. */
export interface Named {
  readonly name: string
  readonly version: string
  /** In one line, the settings it runs with: printed beside its numbers. */
  readonly settings: string
}

/** A contestant of `drain`, `backlog` and `held`. */
export interface Contestant extends Named {
  /** Opens its queue in an empty database. */
  open(database: Database): Promise<Queue>
}

/** A contestant's queue in one database. Filling and draining may alternate any number of times. */
export interface Queue {
  enqueue(count: number): Promise<void>
  /**
   * Delivers `count` messages to a handler that only reads the payload, and comes back when they
   * are settled in the database, or after `limitMs` with what was delivered by then.
   */
  drain(count: number, limitMs: number): Promise<Drained>
  /** Leaves no connection open. */
  close(): Promise<void>
}

export interface Drained {
  readonly delivered: number
  readonly ms: number
}

/** A contestant of `latency`. */
export interface LatencyContestant extends Named {
  /** Starts a worker that calls `handle` with a message's sample number when its handler starts. */
  open(database: Database, handle: Handle): Promise<LatencyQueue>
}

/** A message is handled when this resolves. */
export type Handle = (sample: number) => void | Promise<void>

export interface LatencyQueue {
  /** Enqueues one message in a transaction of its own and commits it. Nothing shares the key of a `lone` one. */
  send(sample: number, how?: { readonly lone: boolean }): Promise<Commit>
  close(): Promise<void>
}

/** When a COMMIT was issued and when its answer was there, by `performance.now()`. */
export interface Commit {
  readonly issued: number
  readonly answered: number
}

/** A contestant of `enqueue`. */
export interface EnqueueContestant extends Named {
  open(database: Database): Promise<EnqueueQueue>
}

export interface EnqueueQueue {
  /** Enqueues messages in one statement; left out where there is no such thing. */
  bulk?(indexes: readonly number[]): Promise<void>
  /** Enqueues one message in a transaction of its own, always on the same connection. */
  single(index: number): Promise<void>
  close(): Promise<void>
}

/** Runs `work` in a transaction and says when its COMMIT was issued and when it was answered. */
export async function commitEach(
  pool: Pool,
  work: (client: PoolClient) => Promise<unknown>,
): Promise<Commit> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    const issued = performance.now()
    await client.query('commit')
    return { issued, answered: performance.now() }
  } finally {
    client.release()
  }
}

/** The same by the engine, which issues the COMMIT as soon as the work is done. */
export async function commitBy(
  pool: Pool,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<Commit> {
  let issued = 0
  await transaction(pool, async (tx) => {
    await work(tx)
    issued = performance.now()
  })
  return { issued, answered: performance.now() }
}
