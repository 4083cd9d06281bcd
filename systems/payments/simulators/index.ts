import { Type } from 'typebox'
import { defineSimulator, type Simulator } from '@posthorn/simulators'
import { Secrets } from './secrets.ts'

const learn = {
  summary: 'Set the secrets with which the merchant checks signatures',
  body: Type.Object({
    secrets: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
    }),
  }),
  response: { 204: Type.Null() },
}

/**
 * A merchant that takes webhooks at `/sim/merchant/hooks` and below, and says of each whether its
 * signatures are right. The secrets it received stay known after `DELETE`: a merchant forgets what
 * happened, not its settings.
 */
export function merchant(): Simulator {
  return defineSimulator({
    name: 'merchant',
    about: 'A customer that takes webhooks and checks their signatures.',
    receivers: simulatedReceivers,
    open(world) {
      const secrets = new Secrets()
      return {
        control(app) {
          app.post<{ Body: { secrets: string[] } }>(
            '/secrets',
            { schema: learn },
            async (request, reply) => {
              secrets.add(request.body.secrets)
              return reply.code(204).send(null)
            },
          )
        },
        routes(app) {
          // With every answer, those of faults too: what was asked to fail was signed all the same.
          app.addHook('onSend', async (request) => {
            const verified = secrets.verify(request.headers, world.rawBody(request))
            world.note(request, { verified })
          })
          app.post('/hooks', async () => ({ received: true }))
          app.post('/hooks/*', async () => ({ received: true }))
        },
      }
    },
  })
}

const PATH = '/sim/merchant/hooks'
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'])

/** Whether a URL is the simulated merchant of the server at `base`, however its host is written. */
function isSimulated(url: URL, base: string): boolean {
  const { protocol, port, hostname, pathname } = url
  // Asked of every webhook: the path alone answers nearly always.
  if (pathname !== PATH && !pathname.startsWith(`${PATH}/`)) return false
  const server = new URL(base)
  const isHere =
    hostname === server.hostname || (LOOPBACK.has(hostname) && LOOPBACK.has(server.hostname))
  return isHere && protocol === server.protocol && port === server.port
}

/** Introductions remembered; one that is forgotten is made again. */
const MOST = 10_000

/** The simulated merchant as a receiver of webhooks that the server itself plays. */
export function simulatedReceivers(baseUrl: () => string) {
  const includes = (url: URL) => isSimulated(url, baseUrl())
  return { includes, introduce: introductionTo(includes, baseUrl) }
}

/**
 * Tells the simulated merchant the secrets of its endpoints, as a person would type them into a real
 * one's settings. A merchant that is away verifies nothing; that is all.
 */
function introductionTo(includes: (url: URL) => boolean, baseUrl: () => string) {
  const known = new Set<string>()
  return async (url: string, secrets: readonly string[]): Promise<void> => {
    if (!includes(new URL(url))) return
    const fresh = secrets.filter((secret) => !known.has(secret))
    if (fresh.length === 0) return
    if (known.size > MOST) known.clear()
    try {
      const response = await fetch(`${baseUrl()}/sim/merchant/secrets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secrets: fresh }),
        signal: AbortSignal.timeout(2_000),
      })
      await response.body?.cancel()
      if (response.ok) for (const secret of fresh) known.add(secret)
    } catch {
      // Not up yet: it gets the secrets at the next delivery.
    }
  }
}
