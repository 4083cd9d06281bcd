import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { defaultAccess, type Access } from './access.ts'
import { linkCreated } from './links.ts'
import { PERMISSIONS } from './permissions.ts'
import { PROBLEM_TYPE } from './problem.ts'

/** The body of every error, RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Stable; branch on this' }),
    detail: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), reason: Type.String() }))),
  },
  { additionalProperties: true, description: 'What went wrong, RFC 9457' },
)

export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Where the API is reached from outside. */
  readonly baseUrl?: string
}

/** `/openapi.json` from the routes' schemas, and `/docs` to read it, served from this machine only. */
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
    await open.register(swaggerUi, { routePrefix: '/docs', uiConfig: { showExtensions: true } })
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
  const responses = schema?.response as Record<string, { content?: object }> | undefined
  const own = (status: string) => responses?.[status]?.content
  return {
    ...schema,
    ...(schema?.querystring !== undefined && { querystring: asSent(schema.querystring) }),
    ...(schema?.body !== undefined && { body: asSent(schema.body) }),
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
function describeBodies<Document extends { readonly paths?: object }>(
  document: Document,
): Document {
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
  const { properties = {}, required } = schema as {
    properties?: Record<string, { default?: unknown }>
    required?: string[]
  }
  if (!required) return schema
  return {
    ...(schema as object),
    required: required.filter((name) => properties[name]?.default === undefined),
  }
}
