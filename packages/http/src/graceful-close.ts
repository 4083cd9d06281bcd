import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
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
/** While such requests keep coming, further ones are waited for, so often at the most. */
const MOST_GRACES = 4
const LOOK_MS = 5

/**
 * Closes without dropping a request: those under way are answered, and so is the next one of every
 * connection that was open before, with `connection: close`. Connections that are made now are answered
 * by a 503 until the server listens no more; each that was made before that is heard first. After
 * `drainMs` what is still open is cut off.
 */
export function addClosing(
  app: FastifyInstance,
  { drainMs, latest }: { drainMs: number; latest: LatestResponses },
): void {
  const closing = new AbortController()
  app.decorate('closing', closing.signal)
  const late = new WeakSet<Socket>()
  /** Connections whose first request has not come yet. */
  const silent = new Set<Socket>()
  let isOver = false
  let furtherRequests = 0
  app.server.on('connection', (socket) => {
    if (closing.signal.aborted) late.add(socket)
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    silent.delete(raw.socket)
    if (closing.signal.aborted) reply.header('connection', 'close')
    if (isOver || late.has(raw.socket)) {
      return done(problem('SHUTTING_DOWN', { retryAfterSeconds: 1 }))
    }
    if (closing.signal.aborted) furtherRequests += 1
    if (!latest.has(raw.socket)) raw.socket.once('close', () => latest.delete(raw.socket))
    latest.set(raw.socket, reply.raw)
    done()
  })
  app.addHook('preClose', async () => {
    closing.abort()
    for (const response of latest.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    if (app.server.listening) {
      await awaitNextRequests()
      isOver = true
      await stopListening()
    }
    const cut = globalThis.setTimeout(() => app.server.closeAllConnections(), drainMs)
    app.server.once('close', () => clearTimeout(cut))
    cut.unref()
  })

  async function awaitNextRequests(): Promise<void> {
    for (let graces = 0; latest.size > 0 && graces < MOST_GRACES; graces += 1) {
      const before = furtherRequests
      await setTimeout(GRACE_MS)
      if (furtherRequests === before) return
    }
  }

  /**
   * Fastify closes idle connections together with the listening one, and takes for idle what was just
   * made, or has a request that is not read yet: both would be reset. So the listening one is closed
   * first, in the moment after all that wait were accepted, and the others are read before they go.
   */
  async function stopListening(): Promise<void> {
    await setImmediate()
    Server.prototype.close.call(app.server)
    const until = performance.now() + GRACE_MS
    while (silent.size > 0 && performance.now() < until) await setTimeout(LOOK_MS)
    await setImmediate()
  }
}
