import type { FastifyRequest, onRequestHookHandler, onResponseHookHandler } from 'fastify'
import { networkOf, userOf, type Caller } from './caller.ts'
import { requirePermission, type Permission } from './permissions.ts'
import { problem } from '../problem/problem.ts'
import type { RateLimiter } from '../limits/rate-limit.ts'
import { isForeign, sessionSecret, type SessionReader } from './session.ts'
import type { TokenVerifier } from './token.ts'

/** What calling a route takes: a permission, or nothing. */
export type Access = 'public' | Permission

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Default `read` for GET and `write` for other methods: a route that says nothing is closed. */
    access?: Access
    /**
     * False for a public route that every caller shares: probes, and what we call ourselves.
     * `refusals` where a caller proves itself by a signature: what it proves is not counted, since
     * a gateway calls from one network and as often as there are payments; what is refused is.
     * `files` for pages and what belongs to them: counted apart, so that bad requests from a network
     * keep nobody behind it from the page to log in.
     */
    rateLimit?: false | 'refusals' | 'files'
    /** Open to tokens of a portal, to look or to change things. Default: closed to them. */
    portal?: 'read' | 'write'
  }
  interface FastifyRequest {
    /** Undefined on public routes; elsewhere ask `callerOf(request)`. */
    caller: Caller | undefined
  }
}

/** What counts requests; undefined where there is no limit. */
export interface Limiters {
  readonly callers: RateLimiter | undefined
  /** What callers with a token read: a person has many windows open. */
  readonly reads: RateLimiter | undefined
  readonly organisations: RateLimiter | undefined
  /** Counted apart too: windows of its people must not stop what its programs write. */
  readonly organisationReads: RateLimiter | undefined
}

/**
 * Lets a request through to its route or refuses it. Known callers are counted by user and by
 * organisation, all others by network, so that one cannot use up another's allowance.
 */
export function createAccessHook(
  { verify, readSession }: { verify: TokenVerifier; readSession: SessionReader | undefined },
  { callers: limiter, reads, organisations, organisationReads }: Limiters,
): onRequestHookHandler {
  const admit = (request: FastifyRequest, access: Access, caller: Caller) => {
    request.caller = caller
    const [own, all] = isRead(request) ? [reads, organisationReads] : [limiter, organisations]
    own?.take(userOf(caller))
    all?.take(caller.org)
    const org = request.headers['x-org-id']
    if (org !== undefined && !isNamed(org, caller.org)) throw problem('ORG_MISMATCH')
    checkPortal(caller, request.routeOptions.config.portal)
    // What a portal's token may do is decided above, for any role.
    if (access !== 'public' && caller.portal === undefined) requirePermission(caller, access)
  }
  const admitLater = async (request: FastifyRequest, access: Access, caller: Promise<Caller>) => {
    const known = await caller.catch((error: unknown) => {
      limiter?.take(networkOf(request.ip))
      throw error
    })
    // What is refused from here on is a caller's own matter, not its network's.
    admit(request, access, known)
  }
  // With a callback: a token that is known needs no promise.
  return (request, _reply, done) => {
    try {
      const access = accessTo(request)
      const token = access === 'public' ? undefined : bearerToken(request)
      if (token === undefined) {
        const secret = access === 'public' ? undefined : secretIn(request)
        if (readSession && secret !== undefined) {
          return void callBack(admitLater(request, access, readSession(secret)), done)
        }
        if (limiter) countStranger(limiter, request)
        return done(access === 'public' ? undefined : missingToken())
      }
      const caller = verify(token)
      if (caller instanceof Promise) {
        return void callBack(admitLater(request, access, caller), done)
      }
      admit(request, access, caller)
    } catch (error) {
      return done(error as Error)
    }
    done()
  }
}

/** The secret of a browser's session. A change that another site may have asked for is refused. */
function secretIn(request: FastifyRequest): string | undefined {
  const secret = sessionSecret(request)
  if (secret === undefined || request.headers.authorization !== undefined) return undefined
  if (!isRead(request) && isForeign(request)) throw problem('CROSS_SITE')
  return secret
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Counts a request without a token by its network, as its route says. */
function countStranger(limiter: RateLimiter, { routeOptions, ip }: FastifyRequest): void {
  const { rateLimit } = routeOptions.config
  if (rateLimit === 'refusals') limiter.check(refusalsOf(ip))
  else if (rateLimit === 'files') limiter.take(`files ${networkOf(ip)}`)
  else if (rateLimit !== false) limiter.take(networkOf(ip))
}

/** Counts what was refused on routes that count refusals alone. */
export function createRefusalHook(limiter: RateLimiter): onResponseHookHandler {
  return ({ routeOptions, ip }, { statusCode }, done) => {
    if (routeOptions.config.rateLimit === 'refusals' && REFUSALS.has(statusCode)) {
      limiter.count(refusalsOf(ip))
    }
    done()
  }
}

/** Not signed, not by us, too slow, too large. */
const REFUSALS = new Set([401, 403, 408, 413])

function refusalsOf(ip: string): string {
  return `refused ${networkOf(ip)}`
}

/** A portal's token reaches what is open to portals, and nothing else that its role might. */
function checkPortal({ portal }: Caller, open: 'read' | 'write' | undefined): void {
  if (portal === undefined || (open !== undefined && (portal === 'write' || open === 'read')))
    return
  throw problem('FORBIDDEN', { detail: 'This is not open to the token of a portal.' })
}

async function callBack(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work
  } catch (error) {
    return done(error as Error)
  }
  done()
}

function accessTo(request: FastifyRequest): Access {
  const { config } = request.routeOptions
  // An address without a route answers 404 to every caller: there is nothing to protect.
  return config.url === undefined ? 'public' : (config.access ?? defaultAccess(request.method))
}

/** What a route takes that does not say: reading is for every role, changing is not. */
export function defaultAccess(method: string): Permission {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

/** Whether a header says that name; Node reads headers as Latin-1, most clients write UTF-8. */
function isNamed(header: string | string[], name: string): boolean {
  return header === name || Buffer.from(String(header), 'latin1').toString() === name
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  if (authorization.startsWith('Bearer ')) return authorization.slice(7)
  return /^bearer +([^ ]+) *$/i.exec(authorization)?.[1]
}

function missingToken() {
  return problem('UNAUTHENTICATED', {
    detail: 'Send a token in the header Authorization: Bearer.',
    headers: { 'www-authenticate': 'Bearer realm="posthorn"' },
  })
}
