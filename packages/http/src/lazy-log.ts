import type { FastifyBaseLogger, FastifyLogFn } from 'fastify'

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
