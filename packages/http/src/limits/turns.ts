/** Places that several parties share, and how long one waits for them. */
import type { FastifyInstance } from 'fastify'
import { partyOf } from '../access/caller.ts'
import { problem } from '../problem/problem.ts'

export interface TurnsOptions {
  readonly places: number
  /**
   * The most places of a party, by how many it leaves to whoever comes next. One that has none takes
   * any that is free.
   */
  readonly mostBeside: (left: number) => number
  /** After so long without a place. */
  readonly patienceMs: number
  readonly late: () => Error
}

/** Who comes for a place. */
export interface Visitor {
  readonly party: string
  /** Called once, with an error where there was no place in time; at once if one is free. */
  readonly go: (error?: Error) => void
}

/**
 * Gives places to those who ask. While there are enough, nobody waits. When they are taken, parties
 * take turns, whoever has the fewest first: one that asks a thousand times waits behind itself.
 */
export interface Turns {
  enter(visitor: Visitor): void
  /** Gives back a place that `go` has given. */
  leave(party: string): void
  /** Whether a party would get a place at once. */
  isOpenTo(party: string): boolean
  /** How many wait, of one party or in all. */
  waiting(party?: string): number
}

interface Waiting {
  readonly go: Visitor['go']
  readonly timer: NodeJS.Timeout
}

export function createTurns({ places, mostBeside, patienceMs, late }: TurnsOptions): Turns {
  const held = new Map<string, number>()
  // In the order of their next turns.
  const queues = new Map<string, Waiting[]>()
  let free = places

  const heldBy = (party: string) => held.get(party) ?? 0
  const take = (party: string) => {
    free -= 1
    held.set(party, heldBy(party) + 1)
  }
  const isOpenTo = (party: string) =>
    free > 0 && (!held.has(party) || heldBy(party) < mostBeside(free - 1))
  const nextParty = () => {
    let next: string | undefined
    let fewest = places
    for (const party of queues.keys()) {
      if (heldBy(party) >= fewest || !isOpenTo(party)) continue
      next = party
      fewest = heldBy(party)
    }
    return next
  }
  /** A place that was given back serves one at the most. */
  const serve = () => {
    const party = nextParty()
    const queue = party === undefined ? undefined : queues.get(party)
    const first = queue?.shift()
    if (party === undefined || !queue || !first) return
    // To the end of the turns, or out of them.
    queues.delete(party)
    if (queue.length > 0) queues.set(party, queue)
    clearTimeout(first.timer)
    take(party)
    first.go()
  }
  const wait = ({ party, go }: Visitor) => {
    const queue = queues.get(party) ?? []
    const giveUp = () => {
      queue.splice(queue.indexOf(waiting), 1)
      if (queue.length === 0) queues.delete(party)
      go(late())
    }
    const waiting = { go, timer: setTimeout(giveUp, patienceMs) }
    waiting.timer.unref()
    queue.push(waiting)
    queues.set(party, queue)
  }
  return {
    enter(visitor) {
      if (!isOpenTo(visitor.party)) return wait(visitor)
      take(visitor.party)
      visitor.go()
    },
    leave(party) {
      free += 1
      const left = heldBy(party) - 1
      if (left > 0) held.set(party, left)
      else held.delete(party)
      serve()
    },
    isOpenTo,
    waiting: (party) =>
      party === undefined
        ? [...queues.values()].reduce((sum, { length }) => sum + length, 0)
        : (queues.get(party)?.length ?? 0),
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request's turn before its answer: event streams call it, which do not end. */
    endTurn: (() => void) | undefined
  }
}

/** How many requests are worked on at once; others wait, and organisations take turns. */
export interface RequestTurns {
  /** Of one organisation, or of one network without a token. Default 64. */
  readonly perCaller: number
  /** Default 256. */
  readonly inAll: number
  /** Of one organisation, that may wait. Default 1,000. */
  readonly waiting?: number
  /** How long one waits. Default 10 s. */
  readonly patienceMs?: number
}

const DEFAULT: RequestTurns = { perCaller: 64, inAll: 256 }

/**
 * Bounds how many requests of one organisation are worked on at once. Without a bound each turn of
 * the event loop does a step of every one of them, and another's request, which takes a dozen
 * steps, waits for as many turns. A request waits once its body is there, and its turn ends when its
 * answer is ready: neither a slow sender nor a slow reader takes part.
 */
export function addRequestTurns(app: FastifyInstance, options: RequestTurns = DEFAULT): void {
  const { perCaller, inAll, waiting = 1_000, patienceMs = 10_000 } = options
  const turns = createTurns({
    places: inAll,
    mostBeside: () => perCaller,
    patienceMs,
    late: () => tooMany('waited for too long'),
  })
  app.decorateRequest('endTurn', undefined)
  app.addHook('preValidation', (request, reply, done) => {
    // Probes: they must say how it is.
    if (request.routeOptions.config.rateLimit === false) return done()
    const party = partyOf(request)
    if (turns.waiting(party) >= waiting) return done(tooMany('are waiting'))
    const go = (late?: Error) => {
      if (late) return done(late)
      if (reply.raw.destroyed) return turns.leave(party)
      let isOver = false
      const end = () => {
        if (!isOver) turns.leave(party)
        isOver = true
      }
      request.endTurn = end
      reply.raw.once('close', end)
      done()
    }
    turns.enter({ party, go })
  })
  // oxlint-disable-next-line max-params -- a hook of Fastify, with a callback: it runs for every answer
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.endTurn?.()
    done()
  })
}

function tooMany(what: string): Error {
  return problem('RATE_LIMITED', {
    detail: `Too many requests of an organisation, or of a network without a token, ${what}.`,
    retryAfterSeconds: 1,
  })
}
