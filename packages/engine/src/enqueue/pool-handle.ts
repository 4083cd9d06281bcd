import type { Pool } from 'pg'
import { bind, type Prepared } from '../sql/prepared.ts'
import type { Statement } from './sql-tag.ts'
import { transaction, type Queryable, type Transaction } from './transaction.ts'

/** A pool, with or without prepared statements: a pooler in transaction mode cannot keep them. */
export interface PoolHandle {
  readonly db: Queryable
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Calls `lost` whenever a connection dies that was not in use, until the function it returns is called. */
  onLost(lost: () => void): () => void
}

export function poolHandle(pool: Pool, { prepare }: { prepare: boolean }): PoolHandle {
  const db = pool as unknown as Queryable
  const onLost = (lost: () => void) => listen(pool, lost)
  if (prepare) return { db, transaction: (work) => transaction(pool, work), onLost }
  return {
    db: withoutPreparing(db),
    onLost,
    transaction: (work) => transaction(pool, (tx) => work(withoutPreparing(tx))),
  }
}

const listenersOf = new WeakMap<Pool, Set<() => void>>()

/** One listener for all of a pool's outboxes: a pool warns of more than ten. */
function listen(pool: Pool, lost: () => void): () => void {
  const listeners = listenersOf.get(pool) ?? new Set()
  if (!listenersOf.has(pool)) {
    listenersOf.set(pool, listeners)
    pool.on('error', () => listeners.forEach((each) => each()))
  }
  listeners.add(lost)
  return () => void listeners.delete(lost)
}

/** The same handle without prepared statements: a caller's connection may belong to a pooler. */
export function withoutPreparing<Handle extends Queryable>(db: Handle): Handle {
  const query = <Row>({ text, values }: Statement) => db.query<Row>({ text, values })
  return Object.assign(Object.create(db) as Handle, { query })
}

/** Runs a prepared statement with its values by name. */
export async function run<Row>(
  db: Queryable,
  prepared: Prepared,
  args: Readonly<Record<string, unknown>>,
): Promise<Row[]> {
  const { rows } = await db.query<Row>(bind(prepared, args))
  return rows
}
