import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { HTTP_PROBLEMS } from './errors.ts'
import { keyHeader } from './idempotency-key.ts'
import { Problem, linkCreated } from './openapi.ts'
import { problem } from './problem/problem.ts'
import { bearer, sampleApp } from './testing/sample-app.ts'

interface Operation {
  readonly security?: unknown[]
  readonly tags?: string[]
  readonly parameters?: { name: string; in: string; required: boolean; schema: object }[]
  readonly requestBody?: { content: Record<string, { schema: Record<string, unknown> }> }
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}
interface Document {
  readonly openapi: string
  readonly info: { title: string; version: string }
  readonly servers?: { url: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, unknown>
    readonly securitySchemes: Record<string, unknown>
  }
  readonly security: unknown[]
}

const readDocument = async (options = {}): Promise<Document> => {
  const app = await sampleApp(options)
  return (await app.inject({ url: '/openapi.json' })).json()
}
const operations = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

test('every route is described, with its problems and who may call it', async () => {
  const document = await readDocument({ baseUrl: 'https://api.example' })
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Sample', version: '1.2.3' },
    servers: [{ url: 'https://api.example' }],
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  })
  expect(Object.keys(document.paths).toSorted()).toEqual(
    ['/anything', '/broken', '/me', '/open', '/ops', '/refused', '/signed', '/things', '/verified']
      .concat('/things/{id}')
      .toSorted(),
  )
  for (const { path, operation } of operations(document)) {
    const isPublic = ['/open', '/signed', '/verified'].includes(path)
    expect(operation.security).toEqual(isPublic ? [] : undefined)
    const statuses = Object.keys(operation.responses)
    expect(statuses).toEqual(expect.arrayContaining(['4XX', '5XX']))
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    const schema = { $ref: '#/components/schemas/Problem' }
    for (const status of ['4XX', '5XX']) {
      expect(operation.responses[status]?.content).toEqual({
        'application/problem+json': { schema },
      })
    }
  }
})

test('the form of a problem is described once, and every reference leads to it', async () => {
  const document = await readDocument()
  const text = JSON.stringify(document)
  expect(text.split('Stable error code; use this in programs')).toHaveLength(2)
  expect(document.components.schemas).toEqual({ Problem: JSON.parse(JSON.stringify(Problem)) })
  const references = text.matchAll(/"\$ref":"([^"]+)"/g)
  expect(new Set([...references].map(([, to]) => to))).toEqual(
    new Set(['#/components/schemas/Problem']),
  )
})

test('what has a default need not be sent, and unknown fields are refused', async () => {
  const document = await readDocument()
  const limit = document.paths['/things']?.['get']?.parameters?.find(({ name }) => name === 'limit')
  expect(limit).toMatchObject({ in: 'query', required: false, schema: { default: 50 } })
  const body = document.paths['/things']?.['post']?.requestBody?.content['application/json']?.schema
  expect(body).toMatchObject({
    type: 'object',
    required: ['name', 'amount'],
    additionalProperties: false,
  })
  expect(document.paths['/things']?.['get']?.tags).toEqual(['things'])
})

test('a body that may be null may be left out', async () => {
  const app = await sampleApp()
  const body = Type.Union([Type.Object({ reason: Type.Optional(Type.String()) }), Type.Null()])
  app.post('/maybe', { schema: { body } }, () => ({}))
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<Document>()
  expect(paths['/maybe']?.['post']?.requestBody).toMatchObject({ required: false })
  expect(paths['/things']?.['post']?.requestBody).toMatchObject({ required: true })
})

test('every problem has the form that is described', () => {
  const form = Compile(Problem)
  for (const code of Object.keys(HTTP_PROBLEMS)) {
    const body: unknown = JSON.parse(JSON.stringify(problem(code as keyof typeof HTTP_PROBLEMS)))
    expect(form.Check(body)).toBe(true)
  }
})

test('the page to read loads nothing from elsewhere', async () => {
  const app = await sampleApp()
  const page = await app.inject({ url: '/docs/api' })
  expect(page.headers['content-type']).toMatch(/^text\/html/)
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source)
  expect(sources.length).toBeGreaterThan(3)
  expect(sources.filter((source) => !source?.startsWith('/docs/api/static/'))).toEqual([])
  // The policy that stands in its header lets no script in the page itself run.
  expect(page.body).not.toMatch(/<script>/)
  expect(page.headers['content-security-policy']).not.toContain('http')
  for (const url of sources) {
    expect((await app.inject({ url: url ?? '' })).statusCode).toBe(200)
  }
  const settings = await app.inject({ url: '/docs/api/static/swagger-initializer.js' })
  expect(settings.body).not.toMatch(/https?:\/\/(?!stackoverflow)/)
})

test('the document is the same each time, so that types can be generated from it', async () => {
  const app = await sampleApp()
  const headers = await bearer()
  const [one, two] = [
    await app.inject({ url: '/openapi.json' }),
    await app.inject({ url: '/openapi.json', headers }),
  ]
  expect(one.body).toBe(two.body)
})

test('no route is hidden from the description but pages for everyone', async () => {
  const started = async (url: string, config: object) => {
    const app = await sampleApp()
    app.get(url, { schema: { hide: true }, config }, () => 'page')
    return app.ready().then(
      () => 'ready',
      (error: Error) => error.message,
    )
  }
  expect(await started('/page', { access: 'public' })).toBe('ready')
  expect(await started('/api/v1/secret', { access: 'public' })).toContain('is hidden')
  expect(await started('/page', {})).toContain('/page is hidden, and not a page for everyone')
})

const created = { content: { 'application/json': { schema: { properties: { id: {} } } } } }
const done = { responses: { 200: {} } }

function thingsWith(answer: object = created) {
  return {
    paths: {
      '/things': { get: done, post: { responses: { 201: answer, '4XX': {} } } },
      '/things/{id}': { get: done, delete: done },
      '/things/{id}/parts': { post: done },
      '/things/{id}/parts/{part}': { get: done },
      '/things-of-others/{id}': { get: done },
    },
  }
}

test('what creates something is linked to the routes that take its id', () => {
  const id = '$response.body#/id'
  const to = (path: string) => ({
    operationRef: `#/paths/~1things~1{id}${path}`,
    parameters: { id },
  })
  expect(linkCreated(thingsWith()).paths['/things'].post.responses[201]).toEqual({
    ...created,
    links: { get: to('/get'), delete: to('/delete'), 'post-parts': to('~1parts/post') },
  })
})

test('an answer without an id is linked to nothing', () => {
  expect(linkCreated(thingsWith({}))).toEqual(thingsWith({}))
})

test('what only a handler checks is described as well, and validated by the handler alone', async () => {
  const app = await sampleApp()
  const documented = { anyOf: [{ required: ['one'] }, { required: ['other'] }] }
  const word = Type.Optional(Type.String({ documented: { pattern: '^a' } }))
  const body = Type.Object({ one: word, other: word }, { documented })
  app.post('/either', { schema: { body, headers: keyHeader(true) } }, async () => 'fine')
  const document: Document = (await app.inject({ url: '/openapi.json' })).json()
  const operation = document.paths['/either']?.['post']
  expect(operation?.requestBody?.content['application/json']?.schema).toMatchObject({
    anyOf: [{ required: ['one'] }, { required: ['other'] }],
    properties: { one: { pattern: '^a' } },
  })
  expect(operation?.parameters).toMatchObject([{ name: 'idempotency-key', required: true }])
  expect(JSON.stringify(document)).not.toContain('documented')
  const answer = await app.inject({
    ...{ method: 'POST', url: '/either', payload: { one: 'b' }, headers: await bearer() },
  })
  expect(answer.statusCode).toBe(200)
})
