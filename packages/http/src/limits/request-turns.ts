import type { FastifyInstance } from 'fastify'
import { partyOf } from '../access/caller.ts'
import { problem } from '../problem/problem.ts'
import { createTurns } from './turns.ts'

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
