import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { uuid } from '@posthorn/engine'
import {
  LogController,
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type FastifyServerOptions,
  type FastifySerializerCompiler,
} from 'fastify'
import { createAccessHook, createRefusalHook, type Limiters } from './access/access.ts'
import {
  answerClientError,
  createAnswerError,
  watchMethods,
  addSecurityHeaders,
} from './server/answer.ts'
import { addJsonParser } from './input/body.ts'
import { addBodyBudget, type BodyBudget, addBodyTimeout } from './limits/body-limits.ts'
import { addConnectionLimit, createRateLimiter, type RateLimit } from './limits/rate-limit.ts'
import { addShares } from './limits/fair-pool.ts'
import { addCompression } from './server/compression.ts'
import { addClosing, type LatestResponses } from './server/graceful-close.ts'
import {
  withLazyChildren,
  REDACTED,
  addRequestLog,
  describeRequest,
  type Answered,
} from './server/request-log.ts'
import { addOpenApi, type ApiDescription } from './openapi.ts'
import { addRequestTurns, type RequestTurns } from './limits/turns.ts'
import type { SessionReader } from './access/session.ts'
import type { TokenVerifier } from './access/token.ts'
import { addTracing } from './server/tracing.ts'
import { addValidation } from './input/validation.ts'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const USUAL: RateLimit = { max: 600, windowMs: 60_000 }

/** What can stand in a log line and a header as it is. */
const SANE_ID = /^[\w.:@+/=-]{1,128}$/

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface AppOptions extends ApiDescription {
  /** From `createVerifier`. */
  readonly verify: TokenVerifier
  /** Takes the sessions of browsers too. Default: only tokens. */
  readonly readSession?: SessionReader
  /** Tells browsers to insist on https. */
  readonly production: boolean
  /** A pino, settings for one that redacts secrets by itself, or false (the default): silence. */
  readonly log?: FastifyBaseLogger | LogSettings | false
  /** Of a parsed body, in bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** Bytes of bodies in memory at once. Default 32 MiB of one organisation, 128 MiB in all. */
  readonly bodyBudget?: BodyBudget
  /**
   * Per user, or per network for anonymous callers; a user may read five times as often beside it.
   * Default 600 in a minute.
   */
  readonly rateLimit?: RateLimit | false
  /**
   * For all users of one organisation together, who may read five times as often beside it. Default
   * ten times those of one.
   */
  readonly orgRateLimit?: RateLimit | false
  /** Requests that are worked on at once. Default 64 of one organisation, 256 in all. */
  readonly requestTurns?: RequestTurns | false
  /** Connections that one network may have open; proxies are not counted. Default 2,000. */
  readonly maxConnectionsPerNetwork?: number | false
  /**
   * Which proxies may name the client's address: their networks, or how many of them stand in a row
   * before this server. Default none.
   */
  readonly trustProxy?: number | readonly string[]
  /** For the headers, and again for a body that is parsed. Default 30 s. */
  readonly requestTimeoutMs?: number
  /** How long a connection may be silent. Default 65 s; event streams say something every 15 s. */
  readonly connectionTimeoutMs?: number
  /** How long a kept connection waits for its next request. Default 30 s. */
  readonly keepAliveTimeoutMs?: number
  /** What requests under way get at `close()`. Default 10 s. */
  readonly drainMs?: number
  /** Called after each answer, for metrics. */
  readonly onResponse?: (answered: Answered) => void
}

export interface LogSettings {
  readonly level: string
  readonly stream?: { write(line: string): void }
}

/**
 * A Fastify that answers every error with a problem, lets only callers with a token in, and
 * describes itself. Routes say what calling them takes by `config: { access }`; default `read` for
 * GET and `write` for other methods.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { requestTimeoutMs = 30_000, maxConnectionsPerNetwork = 2_000 } = options
  const latest: LatestResponses = new Map()
  const answerError = createAnswerError()
  const app = fastify({
    ...loggerOf(options.log ?? false),
    bodyLimit: options.bodyLimit ?? 1_048_576,
    // As long as a key of a message may be.
    routerOptions: { maxParamLength: 1_000 },
    connectionTimeout: options.connectionTimeoutMs ?? 65_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 30_000,
    trustProxy: trustOf(options.trustProxy),
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: 1_000 },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, latest.get(socket)),
    frameworkErrors: answerError,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler(answerError)
  const methods = watchMethods(app)
  app.setNotFoundHandler((request, reply) =>
    answerError(methods.problemOf(request), request, reply),
  )
  app.decorateRequest('caller', undefined)
  app.decorateRequest('rawBody', undefined)
  app.decorate('streams', new Map<string, number>())
  app.decorate('readSession', options.readSession)
  addSecurityHeaders(app, options.production)
  addClosing(app, { drainMs: options.drainMs ?? 10_000, latest })
  addTracing(app)
  if (maxConnectionsPerNetwork !== false) {
    addConnectionLimit(app, { perNetwork: maxConnectionsPerNetwork, proxies: options.trustProxy })
  }
  const limiters = limitersOf(options)
  app.addHook(
    'onRequest',
    createAccessHook({ verify: options.verify, readSession: options.readSession }, limiters),
  )
  app.addHook('onRequest', methods.refuseOthers)
  if (limiters.callers) app.addHook('onResponse', createRefusalHook(limiters.callers))
  addBodyBudget(app, options.bodyBudget)
  addBodyTimeout(app, requestTimeoutMs)
  if (options.requestTurns !== false) addRequestTurns(app, options.requestTurns)
  addShares(app)
  addJsonParser(app)
  addValidation(app)
  addSerialization(app)
  addCompression(app)
  addRequestLog(app, options.onResponse)
  await addOpenApi(app, options)
  return app
}

/** A page that is followed live reads once a second: ten windows are ten times as many. */
const READS = 5

function limitersOf({ rateLimit = USUAL, orgRateLimit }: AppOptions): Limiters {
  const ofAll = orgRateLimit ?? (rateLimit && { ...rateLimit, max: rateLimit.max * 10 })
  const limiterOf = (limit: RateLimit | false, times: number, of?: string) =>
    limit === false
      ? undefined
      : createRateLimiter({ ...limit, max: limit.max * times, ...(of !== undefined && { of }) })
  return {
    callers: limiterOf(rateLimit, 1),
    reads: limiterOf(rateLimit, READS),
    organisations: limiterOf(ofAll, 1, 'an organisation'),
    organisationReads: limiterOf(ofAll, READS, 'an organisation'),
  }
}

/** The nearest proxy is hop 0. */
function trustOf(
  proxies: AppOptions['trustProxy'],
): NonNullable<FastifyServerOptions['trustProxy']> {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies
  return proxies === undefined ? false : [...proxies]
}

function loggerOf(log: FastifyBaseLogger | LogSettings | false) {
  if (log === false) return { logger: false }
  const made = 'info' in log ? log : redactLog(log)
  return { loggerInstance: withLazyChildren(made) }
}

/** Fastify brings its own pino: this is how to get at it. */
function redactLog(settings: LogSettings): FastifyBaseLogger {
  const serializers = { req: describeRequest }
  return fastify({ logger: { ...settings, redact: REDACTED, serializers } }).log
}

/** The id that the request brings along, if it is a sane one; else a new UUIDv7. */
function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : uuid()
}

/**
 * Writes answers by their schemas, compiled with the first answer of their kind: all of them take
 * the better part of a second of every start, and most are never used.
 */
function addSerialization(app: FastifyInstance): void {
  const compile = SerializerSelector()({}, {}) as FastifySerializerCompiler<unknown>
  app.setSerializerCompiler((route) => {
    let write: ReturnType<typeof compile> | undefined
    return (data) => (write ??= compile(route))(data)
  })
}
