import { LineLimit } from '@posthorn/engine/internal'
import type { FastifyReply, FastifyRequest, FastifyInstance, onRequestHookHandler } from 'fastify'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import { isArriving } from '../limits/body-limits.ts'
import type { HttpProblemCode } from '../errors.ts'
import { problemOf } from '../problem/problem-of.ts'
import { PROBLEM_TYPE, problem, type ProblemError } from '../problem/problem.ts'
import { partyOf } from '../access/caller.ts'

/** Answers every thrown error with a problem; server errors are logged. */
export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function createAnswerError(): AnswerError {
  const hold = createHeldRefusals()
  const lines = new LineLimit()
  return (error, request, reply) => {
    const answer = problemOf(error)
    const { code, message, status } = answer
    const { log } = request.server
    const sum = (more: number) => log.error({ code, more }, `${message} (more of these answers)`)
    if (status >= 500 && lines.allows(code, sum)) request.log.error({ err: error, code }, message)
    clearTimeout(request.bodyTimer)
    if (answer.status === TOO_MANY) hold(request, () => sendProblem(reply, answer))
    else sendProblem(reply, answer)
  }
}

const TOO_MANY = 429

function sendProblem(reply: FastifyReply, answer: ProblemError): void {
  // The body will not be read: only a new connection gets the client and us in step again.
  if (isArriving(reply.request)) reply.header('connection', 'close')
  reply
    .code(answer.status)
    .headers(answer.headers)
    .header('content-type', PROBLEM_TYPE)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(answer))
}

const SOCKET_PROBLEMS: Readonly<Record<string, HttpProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
}

/** Answers what is no HTTP request; there is no request object yet, only a socket. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  response: ServerResponse | undefined,
): void {
  // In the middle of an answer there is no place for another.
  const isAnswering = response?.headersSent === true && !response.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    return void socket.destroy()
  }
  const answer = problem(SOCKET_PROBLEMS[error.code ?? ''] ?? 'BAD_REQUEST')
  const body = JSON.stringify(answer)
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

/** Refusals of one party that are answered at once, each second. */
const AT_ONCE = 20
/** How long the others wait, and how long a refused body may take to come. */
const HELD_MS = 1_000
/** The longest body that is read to its end for the sake of its connection. */
const DISCARDED_BYTES = 1_048_576

/** Refuses a request, at once or later. */
type HoldRefusal = (request: FastifyRequest, refuse: () => void) => void

/**
 * Answers those late who go on asking although they were refused: otherwise each refusal brings the
 * next request, and hundreds of connections keep the event loop busy with refusals alone. A body that
 * is refused is thrown away first, since a connection with an unread one has to be closed, and the
 * next attempt makes a new one: libuv accepts one in each turn of the event loop, so that sixty of
 * them, at turns of 10 ms, keep everybody's next connection waiting for 600 ms.
 */
function createHeldRefusals(now: () => number = Date.now): HoldRefusal {
  let counts = new Map<string, number>()
  let ends = 0
  const isFrequent = (party: string) => {
    if (now() >= ends) {
      counts = new Map()
      ends = now() + HELD_MS
    }
    const refused = (counts.get(party) ?? 0) + 1
    counts.set(party, refused)
    return refused > AT_ONCE
  }
  return (request, refuse) => {
    const isHeld = isFrequent(partyOf(request))
    const isDiscarded = isArriving(request) && isShort(request)
    if (!isHeld && !isDiscarded) return refuse()
    // Others may be worked on meanwhile.
    request.endTurn?.()
    const timer = setTimeout(refuse, HELD_MS)
    if (!isDiscarded) return
    request.raw.resume()
    if (isHeld) return
    finished(request.raw, () => {
      clearTimeout(timer)
      refuse()
    })
  }
}

/** Chunks are not: their length is not known. */
function isShort({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= DISCARDED_BYTES
}

interface Methods {
  /** For a request without a route: the address is unknown, or does not have the method. */
  problemOf(request: FastifyRequest): ProblemError
  /**
   * Refuses a method that an address of its own does not have, where the router found one with a
   * parameter for it: `GET /things/search` is not the thing named "search" if `POST /things/search`
   * exists.
   */
  readonly refuseOthers: onRequestHookHandler
}

/** Knows which addresses there are, and which methods each has; called before the first route. */
export function watchMethods(app: FastifyInstance): Methods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // A page for every address says nothing about which addresses there are.
    if (/^\/?\*$/.test(url)) return
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  return {
    problemOf(request) {
      const path = pathOf(request)
      const here = [...routes.values()].filter(({ pattern }) => pattern.test(path))
      const methods = new Set(here.flatMap((route) => [...route.methods]))
      // A route that has the method answered so itself: there is nothing of that name.
      return methods.size === 0 || methods.has(request.method)
        ? problem('NOT_FOUND', { detail: 'Unknown path.' })
        : notAllowed(methods)
    },
    refuseOthers(request, _reply, done) {
      const { url } = request.routeOptions.config
      if (!url?.includes(':')) return done()
      const own = routes.get(pathOf(request))
      done(own && !own.methods.has(request.method) ? notAllowed(own.methods) : undefined)
    },
  }
}

function notAllowed(methods: ReadonlySet<string>): ProblemError {
  const allow = [...methods].toSorted().join(', ')
  return problem('METHOD_NOT_ALLOWED', { detail: `Allowed: ${allow}.`, headers: { allow } })
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}

function patternOf(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*')
  return new RegExp(`^${source}$`)
}

/** For data: a browser is to show nothing of it, guess nothing about it and keep nothing of it. */
const DATA = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/**
 * For pages: they load only what this server serves; styles may stand in the page, as the dashboard
 * and /docs/api write them.
 */
const PAGES = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    "script-src-attr 'none'",
    "style-src 'self' 'unsafe-inline'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

/**
 * What helmet would set, as data, and to each route only what a browser heeds there: on a small
 * answer a dozen headers cost more than the answer. A route that wants a token cannot be a page,
 * since no browser sends one when it goes to an address.
 */
export function addSecurityHeaders(app: FastifyInstance, production: boolean): void {
  // In development the address is plain http, and a browser would remember this for the host.
  const https = production && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
  const data = { ...DATA, ...https }
  const pages = { ...PAGES, ...https }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(mayBePage(request) ? pages : data).header('x-request-id', request.id)
    done()
  })
}

function mayBePage({ routeOptions }: FastifyRequest): boolean {
  const { url, access } = routeOptions.config
  return url === undefined || access === 'public'
}
