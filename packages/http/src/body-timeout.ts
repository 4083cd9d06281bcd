import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import { problem } from './problem.ts'

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
