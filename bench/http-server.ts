import { createApp, createVerifier, signToken } from '@posthorn/http'
import { fastify } from 'fastify'

/** A child process of `http.ts`: serves one route and says where, until its parent lets go of it. */
export interface Serving {
  readonly url: string
  readonly token: string
}

const secret = 'a secret of the benchmark, known to it alone'

async function posthorn() {
  const app = await createApp({
    title: 'bench',
    version: '1',
    production: true,
    verify: createVerifier({ secret }),
    // As a server runs: limits counted, requests timed and logged where they are slow or fail.
    rateLimit: { max: 1e9, windowMs: 60_000 },
    log: { level: 'info', stream: { write: () => undefined } },
    onResponse: () => undefined,
  })
  app.get('/hello', async () => ({ hello: 'world' }))
  return app
}

async function bare() {
  const app = fastify()
  app.get('/hello', async () => ({ hello: 'world' }))
  return app
}

const app = process.argv[2] === 'bare' ? await bare() : await posthorn()
const address = await app.listen({ port: 0, host: '127.0.0.1' })
const token = await signToken({ secret, sub: 'bench', org: 'bench', expiresIn: '1d' })
process.send?.({ url: `${address}/hello`, token } satisfies Serving)
process.on('message', () => process.send?.(process.cpuUsage()))
process.once('disconnect', () => process.exit())
