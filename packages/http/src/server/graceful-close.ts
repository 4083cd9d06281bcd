import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { problem } from '../problem/problem.ts'

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
/** While clients keep asking or connecting they are answered, so long at the most. */
const MOST_GRACE_MS = 2_000
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
  /** When a client last connected, asked or left while the app closes. */
  let activeAt = 0
  const noteActivity = () => {
    if (closing.signal.aborted) activeAt = performance.now()
  }
  app.server.on('connection', (socket) => {
    noteActivity()
    if (closing.signal.aborted) late.add(socket)
    silent.add(socket)
    socket.once('close', () => {
      noteActivity()
      silent.delete(socket)
    })
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    silent.delete(raw.socket)
    noteActivity()
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
    if (app.server.listening) {
      await awaitQuiet()
      isOver = true
      await stopListening()
    }
    const cut = globalThis.setTimeout(() => app.server.closeAllConnections(), drainMs)
    app.server.once('close', () => clearTimeout(cut))
    cut.unref()
  })

  /**
   * Every client with an open connection may be about to ask, and one that was just answered by
   * `connection: close` is about to connect again: closed now, the kernel would reset what has come.
   */
  async function awaitQuiet(): Promise<void> {
    const begunAt = performance.now()
    if (latest.size > 0) activeAt = begunAt
    for (;;) {
      // A process that was busy has not heard yet of those that came meanwhile.
      await setImmediate()
      const now = performance.now()
      const quietAt = Math.min(activeAt + GRACE_MS, begunAt + MOST_GRACE_MS)
      if (now >= quietAt) return
      await setTimeout(quietAt - now)
    }
  }

  /**
   * Fastify closes idle connections together with the listening one, and takes for idle what was just
   * made, or has a request that is not read yet: both would be reset. So the listening one is closed
   * first, in the moment after those that wait were accepted, and the others are read before they go.
   */
  async function stopListening(): Promise<void> {
    Server.prototype.close.call(app.server)
    const until = performance.now() + GRACE_MS
    while (silent.size > 0 && performance.now() < until) await setTimeout(LOOK_MS)
    await setImmediate()
  }
}
