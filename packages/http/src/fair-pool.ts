import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { Pool, type PoolClient } from 'pg'
import { networkOf } from './network.ts'
import { problem } from './problem.ts'
import { createTurns } from './turns.ts'

/** For whom a request asks the database. */
interface Share {
  /** An organisation, or a network without a token; undefined once the request is answered. */
  party: string | undefined
  /** Whether it had a connection already: what has begun is not refused. */
  hasBegun: boolean
}

const current = new AsyncLocalStorage<Share>()

/** What the server does by itself is a party too. */
const OURSELVES = ''

export interface FairPoolOptions {
  /** Requests of one organisation or network that may wait: more would wait until they are given up. Default 1,000. */
  readonly maxWaiting?: number
}

/** Notes for each request whose it is, for pools that were made fair. */
export function addShares(app: FastifyInstance): void {
  // Not earlier: the events of a body's stream run in the connection's context.
  app.addHook('preValidation', ({ caller, ip }, reply, done) => {
    const party = caller ? `org ${caller.org}` : `network ${networkOf(ip)}`
    const share: Share = { party, hasBegun: false }
    // What goes on after the answer is the server's own.
    reply.raw.once('close', () => void (share.party = undefined))
    current.run(share, done)
  })
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

/**
 * Lets organisations take turns at the connections of a pool, in place. None has the last fifth of
 * them, so that another is served at once; when all are taken, whoever has the fewest is next. What
 * the server itself does takes part as one more organisation.
 */
export function shareFairly(pool: Pool, { maxWaiting = 1_000 }: FairPoolOptions = {}): Pool {
  const { max: places, connectionTimeoutMillis } = pool.options
  const turns = createTurns({
    places,
    // What we do ourselves may hold one connection and ask for another if one is idle.
    placesOf: (party) => (party === OURSELVES ? places : places - Math.floor(places / 5)),
    patienceMs: connectionTimeoutMillis || 2 ** 31 - 1,
    late: () => new Error('timeout exceeded when trying to connect'),
  })
  const parties = new WeakMap<PoolClient, string>()
  pool.on('release', (_error, client) => {
    const party = parties.get(client)
    parties.delete(client)
    if (party !== undefined) turns.leave(party)
  })
  const connect = pool.connect.bind(pool) as (connected: Connected) => void
  const connectInTurn = (connected: Connected) => {
    const share = current.getStore()
    const party = share?.party ?? OURSELVES
    if (share && party !== OURSELVES && !share.hasBegun) {
      if (turns.waiting(party) >= maxWaiting) {
        return connected(tooMany(maxWaiting), undefined, () => {})
      }
      share.hasBegun = true
    }
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

function tooMany(waiting: number): Error {
  return problem('RATE_LIMITED', {
    detail: `${waiting} requests of an organisation, or of a network without a token, wait for the database.`,
    retryAfterSeconds: 1,
  })
}
