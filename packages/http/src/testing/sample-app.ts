import { Type } from 'typebox'
import { afterEach } from 'vitest'
import { createApp, type App, type AppOptions } from '../app.ts'
import { rawBodyOf } from '../input/body.ts'
import { callerOf, type Role } from '../access/caller.ts'
import { PageQuery, pageOf } from '../paging.ts'
import { defineProblems } from '../problem/problem.ts'
import { createVerifier, signToken } from '../access/token.ts'

export const SECRET = 'a secret that only the tests of http know'

const problem = defineProblems({ OUT_OF_STOCK: { status: 422, title: 'Nothing is left' } })

const Thing = Type.Object({ id: Type.String(), name: Type.String() })
const NewThing = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 40 }),
  amount: Type.Integer({ minimum: 1 }),
  kind: Type.Optional(Type.Union([Type.Literal('small'), Type.Literal('large')])),
  parts: Type.Optional(
    Type.Array(Type.Object({ sku: Type.String(), note: Type.Optional(Type.String()) }), {
      maxItems: 50_000,
    }),
  ),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  times: Type.Integer({ default: 3 }),
})

const started: App[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.close()))
})

/** An app with a route of every kind; closed after the test. */
export async function sampleApp(options: Partial<AppOptions> = {}): Promise<App> {
  const app = await createApp({
    title: 'Sample',
    version: '1.2.3',
    production: false,
    verify: createVerifier({ secret: SECRET }),
    rateLimit: false,
    ...options,
  })
  started.push(app)
  addRoutes(app)
  return app
}

export function tokenOf(caller: { sub?: string; org?: string; role?: Role } = {}): Promise<string> {
  return signToken({ secret: SECRET, sub: 'ada', org: 'acme', ...caller })
}

export async function bearer(caller?: Parameters<typeof tokenOf>[0]) {
  return { authorization: `Bearer ${await tokenOf(caller)}` }
}

function addRoutes(app: App): void {
  app.get('/open', { config: { access: 'public' } }, () => ({ open: true }))
  app.get('/me', (request) => callerOf(request))
  app.get('/ops', { config: { access: 'operate' } }, () => ({ ops: true }))
  const list = {
    tags: ['things'],
    querystring: PageQuery,
    response: { 200: pageOf(Thing) },
  }
  app.get('/things', { schema: list }, () => ({ items: [], nextCursor: null }))
  const one = {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    response: { 200: Thing },
  }
  app.get('/things/:id', { schema: one }, ({ params }) => ({ id: params.id, name: 'one' }))
  const create = { body: NewThing, response: { 201: Type.Unknown() } }
  app.post('/things', { schema: create }, (request, reply) => reply.code(201).send(request.body))
  app.put('/anything', (request) => ({ got: request.body ?? null, query: request.query }))
  app.post('/signed', { config: { access: 'public', rawBody: true } }, (request) => ({
    bytes: rawBodyOf(request).toString('hex'),
  }))
  const verifySignature = ({ headers }: { headers: Record<string, unknown> }, bytes: Buffer) => {
    if (headers['x-signature'] !== String(bytes.length)) throw problem('UNAUTHENTICATED')
  }
  app.post(
    '/verified',
    {
      bodyLimit: 8 * 1_048_576,
      config: { access: 'public', rateLimit: 'refusals', signed: verifySignature },
    },
    (request) => ({ bytes: rawBodyOf(request).length, got: request.body ?? null }),
  )
  app.get('/refused', () => {
    throw problem('OUT_OF_STOCK', {
      detail: 'Sku 7 is gone.',
      retryAfterSeconds: 1.2,
      extensions: { sku: 7, status: 'not this' },
    })
  })
  app.get('/broken', () => {
    throw new Error('the password is hunter2')
  })
}
