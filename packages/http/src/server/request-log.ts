import { LineLimit } from '@posthorn/engine/internal'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyBaseLogger,
  FastifyLogFn,
} from 'fastify'

/** Slower than this is worth a line. */
const SLOW_MS = 1_000

/** Paths that no log line may show, for pino's `redact`. */
export const REDACTED = [
  ...['authorization', 'cookie', 'password', 'secret', 'token', 'accessToken', 'signature'].flatMap(
    (name) => [name, `*.${name}`],
  ),
  ...['authorization', 'cookie', 'set-cookie', 'x-webhook-signature', 'idempotency-key'].flatMap(
    (name) => [`headers["${name}"]`, `*.headers["${name}"]`],
  ),
]

/** A request as a log line shows it: never its query, which may hold what is not for logs. */
export function describeRequest(request: FastifyRequest) {
  return {
    id: request.id,
    method: request.method,
    route: request.routeOptions?.config?.url,
    path: request.url.split('?')[0],
    org: request.caller?.org,
    ip: request.ip,
  }
}

export interface Answered {
  /** The pattern, `/api/v1/payments/:id`; undefined where there is no route. */
  readonly route: string | undefined
  readonly method: string
  readonly status: number
  readonly ms: number
}

/** A line for each request that was slow or failed here, for all of them at debug; and metrics. */
export function addRequestLog(
  app: FastifyInstance,
  onResponse: ((answered: Answered) => void) | undefined,
): void {
  const report = (request: FastifyRequest, answered: Answered) => {
    try {
      onResponse?.(answered)
    } catch (error) {
      // Thrown on from here it would end the process.
      request.log.error({ err: error }, 'response hook failed; the answer was sent')
    }
  }
  const lines = new LineLimit()
  const isWorthALine = ({ route, status, ms }: Answered) =>
    (status >= 500 || ms >= SLOW_MS) &&
    lines.allows(`${route} ${status}`, (more) => app.log.info({ route, status, more }, 'answered'))
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode >= 500 || reply.elapsedTime >= SLOW_MS || onResponse || isVerbose(app)) {
      const answered = describeAnswer(request, reply)
      report(request, answered)
      const line = { ...answered, org: request.caller?.org }
      if (isWorthALine(answered)) request.log.info(line, 'answered')
      else if (isVerbose(app)) request.log.debug(line, 'answered')
    }
    done()
  })
}

function isVerbose({ log }: FastifyInstance): boolean {
  return log.level === 'debug' || log.level === 'trace'
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply): Answered {
  const { method } = request
  const route = request.routeOptions.config.url
  return { route, method, status: reply.statusCode, ms: reply.elapsedTime }
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * The same log, except that a child (each request gets one) comes into being with its first line.
 * Most requests write none, and making one is not free: its fields are written out and searched
 * for secrets.
 */
export function withLazyChildren(log: FastifyBaseLogger): FastifyBaseLogger {
  return new LazyLog(() => log)
}

class LazyLog implements FastifyBaseLogger {
  private readonly make: () => FastifyBaseLogger
  private made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.make = make
    this.made = undefined
  }

  get level() {
    return this.log().level
  }

  get fatal() {
    return this.write('fatal')
  }

  get error() {
    return this.write('error')
  }

  get warn() {
    return this.write('warn')
  }

  get info() {
    return this.write('info')
  }

  get debug() {
    return this.write('debug')
  }

  get trace() {
    return this.write('trace')
  }

  get silent() {
    return this.write('silent')
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return new LazyLog(() => this.log().child(...args))
  }

  private log(): FastifyBaseLogger {
    return (this.made ??= this.make())
  }

  private write(level: Level): FastifyLogFn {
    const log = this.log()
    return log[level].bind(log)
  }
}
