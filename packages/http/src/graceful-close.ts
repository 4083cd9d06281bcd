import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the app begins to close: long-running work ends by it. */
    closing: AbortSignal
  }
}

/**
 * The newest response on each connection. By connection, since that is what ends for certain, and
 * cheaper than a hook before each answer.
 */
export type LatestResponses = Map<Socket, ServerResponse>

/** What a client may need to send its next request on a connection that it believes to be open. */
const GRACE_MS = 250

/**
 * Closes without dropping a request: those under way are answered, and so is the next one of every
 * connection that was open before, with `connection: close`. Connections that are made now are answered
 * by a 503. After `drainMs` what is still open is cut off.
 */
export function addClosing(
  app: FastifyInstance,
  { drainMs, latest }: { drainMs: number; latest: LatestResponses },
): void {
  const closing = new AbortController()
  app.decorate('closing', closing.signal)
  const late = new WeakSet<Socket>()
  let isOver = false
  app.server.on('connection', (socket) => {
    // A client that connected again now would be reset when the server closes.
    if (closing.signal.aborted) late.add(socket)
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (closing.signal.aborted) reply.header('connection', 'close')
    if (isOver || late.has(raw.socket)) {
      return done(problem('SHUTTING_DOWN', { retryAfterSeconds: 1 }))
    }
    if (!latest.has(raw.socket)) raw.socket.once('close', () => latest.delete(raw.socket))
    latest.set(raw.socket, reply.raw)
    done()
  })
  app.addHook('preClose', async () => {
    closing.abort()
    for (const response of latest.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    if (app.server.listening && latest.size > 0) await setTimeout(GRACE_MS)
    isOver = true
    const cut = globalThis.setTimeout(() => app.server.closeAllConnections(), drainMs)
    app.server.once('close', () => clearTimeout(cut))
    cut.unref()
  })
}
