import { callerOf, invalid, may, rawBodyOf, type App } from '@posthorn/http'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { GraphqlOptions } from './graphql.ts'

const schema = {
  summary: "Page that an invitation's link opens, unless you have your own",
  tags: ['families'],
  querystring: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) }),
}

/** Says how to accept and decline: a page cannot do it for people, since it does not know who they are. */
export function invitationPage(app: App): void {
  app.get('/invitations', { schema, config: { access: 'public' } }, async (request, reply) => {
    // Neither caches nor the next page's Referer may learn the token.
    return reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .type('text/html')
      .send(pageFor(request.query.token ?? ''))
  })
}

function pageFor(token: string): string {
  const input = `(input: { token: "${token}" })`
  const acceptance = `mutation { acceptInvitation${input} { family { name } errors { code message } } }`
  const refusal = `mutation { declineInvitation${input} { errors { code message } } }`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>You are invited</title>
    <style>body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem } pre { overflow-x: auto; padding: 1rem; border: 1px solid }</style>
  </head>
  <body>
    <h1>You are invited to a family</h1>
    <p>Sign in, and accept with this request to <code>/graphql</code>:</p>
    <pre>${escapeHtml(acceptance)}</pre>
    <p>Or decline:</p>
    <pre>${escapeHtml(refusal)}</pre>
    <p>An application of your own puts its page here by FAMILIES_INVITATION_URL.</p>
  </body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The largest useful request has a few hundred bytes. */
const MOST_BYTES = 64 * 1024

/** Statuses follow the newer media type; the older one answers 200 to everything. */
const RESPONSE_TYPE = 'application/graphql-response+json'

const GraphqlAnswer = Type.Object(
  {
    data: Type.Optional(Type.Unknown()),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            message: Type.String(),
            extensions: Type.Optional(
              Type.Object({ code: Type.Optional(Type.String()) }, { additionalProperties: true }),
            ),
          },
          { additionalProperties: true },
        ),
      ),
    ),
  },
  { description: 'As GraphQL specifies; codes as in other problems' },
)
const content = {
  'application/json': { schema: GraphqlAnswer },
  [RESPONSE_TYPE]: { schema: GraphqlAnswer },
}
/** What comes before GraphQL (the token, the body, the rate) is refused with a problem, as anywhere. */
const ANSWERS: FastifySchema['response'] = {
  200: { description: 'Done, or refused: see `errors` in the payload', content },
  '4XX': { description: 'Request refused', content },
  '5XX': { description: 'Server error', content },
}

/** GraphQL at `/graphql`, for callers with a token, as the access hook sees to before any of this runs. */
export function familyRoutes(app: App, options: GraphqlOptions): void {
  const { pool, commands } = options
  // With the first request: five hundred modules, which most commands and processes never need.
  let loaded: ReturnType<typeof load> | undefined
  const load = async () => (await import('./graphql.ts')).createGraphql(options)

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: MOST_BYTES,
    // A query reads by POST too; mutations ask for more, when they are known to be some.
    config: { rawBody: true, access: 'read' },
    schema: {
      summary: 'Families and their invitations, by GraphQL',
      tags: ['families'],
      response: ANSWERS,
    },
    async handler(request, reply) {
      checkQuery(request.query as Readonly<Record<string, unknown>>)
      const caller = callerOf(request)
      const { sub, org } = caller
      const seesAll = may(caller, 'administer')
      const context = {
        caller,
        actor: { sub, org },
        seesAll,
        db: pool,
        commands,
        answer: { bytes: 0 },
      }
      const graphql = await (loaded ??= load())
      const response = await graphql.fetch(
        new URL(request.url, 'http://localhost'),
        requestOf(request),
        context,
      )
      const { status, headers } = response
      const wanted = request.headers.accept?.includes(RESPONSE_TYPE)
      return reply
        .code(status)
        .headers(Object.fromEntries(headers))
        .type(wanted ? RESPONSE_TYPE : 'application/json; charset=utf-8')
        .send(await response.text())
    },
  })
}

/** In an address they are text, which Yoga would fail to parse with an error of ours. */
function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const wrong = ['variables', 'extensions'].filter((name) => {
    return query[name] !== undefined && !isJson(query[name])
  })
  if (wrong.length > 0) throw invalid(wrong.map((field) => ({ field, reason: 'must be JSON' })))
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}

function requestOf(request: FastifyRequest): RequestInit {
  const { method } = request
  const headers = { accept: RESPONSE_TYPE, 'content-type': 'application/json' }
  return method === 'POST'
    ? { method, headers, body: rawBodyOf(request).toString() }
    : { method, headers }
}
