import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { defaultAccess, type Access } from './access/access.ts'
import { PERMISSIONS } from './access/permissions.ts'
import { PROBLEM_TYPE } from './problem/problem.ts'

/** The body of every error, RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Stable error code; use this in programs' }),
    detail: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), reason: Type.String() }))),
  },
  { additionalProperties: true, description: 'Problem details (RFC 9457)' },
)

export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Where the API is reached from outside. */
  readonly baseUrl?: string
}

/** `/openapi.json` from the routes' schemas, and `/docs/api` to read it, served from this machine only. */
export async function addOpenApi(app: FastifyInstance, api: ApiDescription): Promise<void> {
  const { title, version, description = '', baseUrl } = api
  refuseHidden(app)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      ...(baseUrl !== undefined && { servers: [{ url: baseUrl }] }),
      components: {
        schemas: { Problem },
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
      security: [{ bearer: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: describeRoute(
        schema,
        route.config?.access ?? defaultAccess([route.method].flat().at(-1) ?? 'POST'),
      ),
      url,
    }),
  })
  await app.register(async (open) => {
    open.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    // Half a megabyte, the same for all: written out once, since strangers may ask for it, too.
    let text: string | undefined
    open.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
      text ??= JSON.stringify(linkCreated(describeBodies(app.swagger())))
      return reply.type('application/json; charset=utf-8').send(text)
    })
    await open.register(swaggerUi, { routePrefix: '/docs/api', uiConfig: { showExtensions: true } })
  })
}

/**
 * Lets no route be hidden from the description but pages for everyone: clients go by the description, and so
 * do the tests of who may call what.
 */
function refuseHidden(app: FastifyInstance): void {
  const hidden: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide === true) hidden.push(route)
  })
  // Not before: hooks of a scope may still change who may call it.
  app.addHook('onReady', async () => {
    for (const { method, url, config } of hidden) {
      if (config?.access === 'public' && !url.startsWith('/api/')) continue
      throw new Error(`${[method].flat().join()} ${url} is hidden, and not a page for everyone`)
    }
  })
}

/** A route's schema with the answers that every route can give, beside its own. */
function describeRoute(schema: FastifySchema | undefined, access: Access): FastifySchema {
  const content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } }
  const responses = describe(schema?.response) as Record<string, { content?: object }> | undefined
  const own = (status: string) => responses?.[status]?.content
  return {
    ...schema,
    ...(schema?.querystring !== undefined && { querystring: asSent(schema.querystring) }),
    ...(schema?.body !== undefined && { body: asSent(schema.body) }),
    ...(schema?.headers !== undefined && { headers: describe(schema.headers) }),
    ...(access === 'public'
      ? { security: [] }
      : { 'x-permission': { name: access, roles: PERMISSIONS[access].roles } }),
    response: {
      ...(responses ?? { 200: { description: 'Done', content: { '*/*': { schema: {} } } } }),
      '4XX': { description: 'Request refused', content: { ...own('4XX'), ...content } },
      '5XX': { description: 'Server error', content: { ...own('5XX'), ...content } },
    },
  }
}

/** A body that may be null may be left out; the library calls every body required. */
function describeBodies<Whole extends { readonly paths?: object }>(document: Whole): Whole {
  const operations = Object.values(document.paths ?? {}).flatMap((path: object) =>
    Object.values(path),
  ) as { requestBody?: { required?: boolean; content: Record<string, { schema?: Nullable }> } }[]
  for (const { requestBody } of operations) {
    const forms = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schema?.anyOf)
    if (requestBody && forms.some((form) => form?.type === 'null')) requestBody.required = false
  }
  return document
}

interface Nullable {
  readonly anyOf?: readonly { readonly type?: string }[]
}

/** A schema as clients see it: what has a default is there for the handler, but need not be sent. */
function asSent(schema: unknown): unknown {
  const described = describe(schema) as {
    properties?: Record<string, { default?: unknown }>
    required?: string[]
  }
  const { properties = {}, required } = described
  if (!required) return described
  return {
    ...described,
    required: required.filter((name) => properties[name]?.default === undefined),
  }
}

/**
 * With the keywords under `documented`, which are for clients alone: the handler checks the same, since its
 * answer names the code or the field.
 */
function describe(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(describe)
  if (typeof schema !== 'object' || schema === null) return schema
  const { documented, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, describe(value)]),
  )
  return { ...rest, ...(documented as object | undefined) }
}

/** What of a described API links are made from and put into. */
interface Document {
  readonly paths?: Readonly<Record<string, Path | undefined>>
}
type Path = Readonly<Record<string, Operation | undefined>>
interface Operation {
  readonly responses?: Readonly<Record<string, Answer | undefined>>
}
interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema?: Described }>>
  links?: Record<string, object>
}
interface Described {
  readonly properties?: Readonly<Record<string, unknown>>
}

const CREATED = ['201', '202']
const METHODS = ['get', 'put', 'post', 'patch', 'delete']

/**
 * Says of every route that creates something which routes take its id: `POST /things` is linked to
 * `/things/{id}` and all below it. Clients that read links, fuzzers among them, find their way by it.
 */
export function linkCreated<Api extends object>(document: Api): Api {
  const { paths = {} } = document as Document
  for (const [path, { post } = {}] of Object.entries(paths)) {
    const created = CREATED.flatMap((status) => post?.responses?.[status] ?? []).filter(hasId)
    if (created.length === 0) continue
    const links = linksBelow(path, paths)
    if (Object.keys(links).length > 0) for (const answer of created) answer.links = links
  }
  return document
}

function hasId({ content = {} }: Answer): boolean {
  return Object.values(content).some(({ schema }) => schema?.properties?.['id'] !== undefined)
}

/** By method and the rest of the path, as `get` or `post-refunds`. */
function linksBelow(path: string, paths: NonNullable<Document['paths']>): Record<string, object> {
  const below = `${path}/{id}`
  const links: Record<string, object> = {}
  for (const [to, operations = {}] of Object.entries(paths)) {
    const rest = to.slice(below.length)
    // What takes a second id needs more than the answer has.
    if (!to.startsWith(below) || !/^(\/[\w-]+)*$/.test(rest)) continue
    for (const method of METHODS.filter((each) => operations[each] !== undefined)) {
      links[`${method}${rest.replaceAll('/', '-')}`] = {
        operationRef: `#/paths/${to.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
        parameters: { id: '$response.body#/id' },
      }
    }
  }
  return links
}
