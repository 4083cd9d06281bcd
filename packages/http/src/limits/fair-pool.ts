import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { Pool, type PoolClient } from 'pg'
import { partyOf } from '../access/caller.ts'
import { createTurns } from './turns.ts'

/** For whom a request asks the database. */
interface Share {
  /** Undefined once the request is answered: what goes on after it is the server's own. */
  party: string | undefined
}

const current = new AsyncLocalStorage<Share>()

/** What the server does by itself is a party too. */
const OURSELVES = ''

/**
 * A party that has some takes no more than so many times the connections that are left free: of ten
 * it has eight alone, and however many parties take what they get, one stays free. With a bound for
 * each by itself two parties would have them all.
 */
const TIMES_LEFT = 8

/** Notes for each request whose it is, for pools that were made fair. */
export function addShares(app: FastifyInstance): void {
  // Not earlier: the events of a body's stream run in the connection's context.
  app.addHook('preValidation', (request, reply, done) => {
    const share: Share = { party: partyOf(request) }
    reply.raw.once('close', () => void (share.party = undefined))
    current.run(share, done)
  })
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

/** Of pools that were made fair: whether the caller's organisation would get a connection at once. */
const openness = new WeakMap<Pool, () => boolean>()

/**
 * Lets organisations take turns at the connections of a pool, in place. However many of them take
 * what they get, some are left, so that another is served at once; when all are taken, whoever has
 * the fewest is next. What the server itself does takes part as one more organisation.
 */
export function shareFairly(pool: Pool): Pool {
  const { max: places, connectionTimeoutMillis } = pool.options
  const turns = createTurns({
    places,
    // Of two connections one listens for messages as long as we run: there is nothing to share out.
    mostBeside: (left) => (places > 2 ? TIMES_LEFT * left : places),
    patienceMs: connectionTimeoutMillis || 2 ** 31 - 1,
    // As the pool says it.
    late: () => new Error('timeout exceeded when trying to connect'),
  })
  const parties = new WeakMap<PoolClient, string>()
  pool.on('release', (_error, client) => {
    const party = parties.get(client)
    parties.delete(client)
    if (party !== undefined) turns.leave(party)
  })
  openness.set(pool, () => turns.isOpenTo(currentParty()))
  const connect = pool.connect.bind(pool) as (connected: Connected) => void
  const connectInTurn = (connected: Connected) => {
    const party = currentParty()
    const go = (late?: Error) => {
      if (late) return connected(late, undefined, () => {})
      connect((error, client, release) => {
        if (client) parties.set(client, party)
        else turns.leave(party)
        connected(error, client, release)
      })
    }
    turns.enter({ party, go })
  }
  const replaced = (connected?: Connected) => {
    if (connected) return connectInTurn(connected)
    return new Promise<PoolClient>((resolve, reject) => {
      connectInTurn((error, client) => (client ? resolve(client) : reject(error)))
    })
  }
  const inPool = () => Reflect.get(Pool.prototype, 'waitingCount', pool)
  Object.defineProperty(pool, 'waitingCount', { get: () => turns.waiting() + inPool() })
  return Object.assign(pool, { connect: replaced })
}

/**
 * Whether a connection would come at once. Who holds one must not wait for another: its bound may be
 * used up by those who wait for what it holds.
 */
export function hasSpareConnection(pool: Pool): boolean {
  const isOpen = openness.get(pool)
  return isOpen ? isOpen() : pool.idleCount > 0 || pool.totalCount < pool.options.max
}

function currentParty(): string {
  return current.getStore()?.party ?? OURSELVES
}
