import { Client, type ClientConfig, type Pool } from 'pg'
import { SQLSTATE, sqlState } from '../errors.ts'
import { bind, type Prepared } from './prepared.ts'
import type { Statement } from './sql-tag.ts'
import { transaction, type Queryable, type Transaction } from './transaction.ts'

/** A pool, with or without prepared statements: a pooler in transaction mode cannot keep them. */
export interface PoolHandle {
  readonly db: Queryable
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Calls `lost` whenever a connection dies that was not in use, until the function it returns is called. */
  onLost(lost: () => void): () => void
}

export interface HandleOptions {
  readonly prepare: boolean
  /** Called once, when a pooler turns out not to keep what was prepared; from then on nothing is. */
  readonly onRefused?: () => void
}

export function poolHandle(pool: Pool, { prepare, onRefused }: HandleOptions): PoolHandle {
  const plain = pool as unknown as Queryable
  const bare = withoutPreparing(plain)
  const onLost = (lost: () => void) => listen(pool, lost)
  let isPreparing = prepare
  /** Whether the error says that prepared statements do not work here; nothing was run then. */
  const isRefusal = (error: unknown): boolean => {
    if (!REFUSALS.has(sqlState(error))) return false
    if (isPreparing) onRefused?.()
    isPreparing = false
    return true
  }
  const db: Queryable = {
    query: async <Row>(statement: Statement) => {
      if (!isPreparing || statement.name === undefined) return bare.query<Row>(statement)
      try {
        return await plain.query<Row>(statement)
      } catch (error) {
        if (isRefusal(error)) return bare.query<Row>(statement)
        throw error
      }
    },
  }
  return {
    db,
    onLost,
    transaction: (work) => {
      if (!isPreparing) return transaction(pool, (tx) => work(withoutPreparing(tx)))
      // The transaction has failed with its statement: the caller's next try prepares nothing.
      return transaction(pool, work).catch((error: unknown) => {
        isRefusal(error)
        throw error
      })
    },
  }
}

/** What a server says of a statement that was prepared on another connection, or by another client. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  SQLSTATE.noSuchPreparedStatement,
  SQLSTATE.duplicatePreparedStatement,
])

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

/** A connection of its own to where a pool's go; it is not connected yet. */
export function ownClient(pool: Pool): Client {
  return new (clientOf(pool))(settingsOf(pool))
}

/** The pool's own kind of client: one that authenticates in a way of its own does so here, too. */
function clientOf(pool: Pool): typeof Client {
  return (pool.options.Client as typeof Client | undefined) ?? Client
}

/** All that the pool was given. A copy by spreading would lack the password, which is hidden there. */
function settingsOf({ options }: Pool): ClientConfig {
  const settings = Object.getOwnPropertyDescriptors(options)
  return Object.defineProperties({}, { ...settings, keepAlive: { value: true, enumerable: true } })
}
