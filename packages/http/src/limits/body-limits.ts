import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import { problem } from '../problem/problem.ts'
import { partyOf } from '../access/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined
  }
}

/**
 * Gives a body that is parsed so long to arrive. One that a route reads as a stream is out of
 * parsing at once and may take as long as it keeps coming.
 */
export function addBodyTimeout(app: FastifyInstance, timeoutMs: number): void {
  app.decorateRequest('bodyTimer', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'GET' || !isArriving(request)) return done()
    request.bodyTimer = setTimeout(() => {
      if (reply.sent || request.raw.destroyed) return
      const late = problem('REQUEST_TIMEOUT')
      // To the reader of the body, so that it stops; without a reader, to the client.
      if (request.raw.listenerCount('error') > 0) request.raw.emit('error', late)
      else void reply.send(late)
    }, timeoutMs)
    done()
  })
  app.addHook('onRoute', (route) => {
    // The many requests without a body do not pay for this.
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preValidation = [stopTimer, ...[route.preValidation ?? []].flat()]
  })
}

const stopTimer: preValidationHookHandler = (request, _reply, done) => {
  clearTimeout(request.bodyTimer)
  done()
}

/** Whether part of the body may still be on its way. */
export function isArriving({ raw }: FastifyRequest): boolean {
  const { headers } = raw
  const hasBody =
    headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
  // Without a body a request is complete only a moment after its handler was called.
  return hasBody && !raw.complete
}

/** Bytes of parsed bodies that may be in memory at once. */
export interface BodyBudget {
  /** Of one organisation, or of one network without a token. Default 32 MiB. */
  readonly perCaller: number
  /** Default 128 MiB. */
  readonly inAll: number
}

const MIB = 1_048_576
const DEFAULT: BodyBudget = { perCaller: 32 * MIB, inAll: 128 * MIB }

/** Smaller ones are not worth the counting: connections are what they use up. */
const SMALL = 16_384

/**
 * Counts what bodies take of the memory from their first byte to the end of the answer, as they
 * announce it, and refuses what would be too much before it is read: thousands of slow bodies of a
 * megabyte each would else be in memory at once. Files, which are read as streams, have limits of
 * their own.
 */
export function addBodyBudget(app: FastifyInstance, budget: BodyBudget = DEFAULT): void {
  const taken = new Map<string, number>()
  let all = 0
  const count = (name: string, bytes: number) => {
    const left = (taken.get(name) ?? 0) + bytes
    if (left > 0) taken.set(name, left)
    else taken.delete(name)
    all += bytes
  }
  app.addHook('onRequest', (request, reply, done) => {
    const bytes = announcedBytes(request)
    if (bytes <= SMALL) return done()
    const name = partyOf(request)
    const mine = taken.get(name) ?? 0
    // A first one is always taken, however large its route lets it be.
    if ((mine > 0 && mine + bytes > budget.perCaller) || (all > 0 && all + bytes > budget.inAll)) {
      const detail = 'Too many large bodies are on their way at once.'
      return done(problem('RATE_LIMITED', { detail, retryAfterSeconds: 1 }))
    }
    count(name, bytes)
    reply.raw.once('close', () => count(name, -bytes))
    done()
  })
}

/** How much of the memory a body may take: what its length says, or the most that its route reads. */
function announcedBytes({ headers, routeOptions }: FastifyRequest): number {
  if (headers['content-type']?.startsWith('application/json') !== true) return 0
  const most = routeOptions.bodyLimit ?? DEFAULT.perCaller
  if (headers['transfer-encoding'] !== undefined) return most
  const length = Number(headers['content-length'] ?? 0)
  // More is refused by the parser, unread.
  return length > most ? 0 : length
}
