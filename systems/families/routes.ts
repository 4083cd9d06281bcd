import { costLimitPlugin } from '@escape.tech/graphql-armor-cost-limit'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { CommitUnknownError, ConflictError } from '@posthorn/domain'
import type { Log } from '@posthorn/engine'
import {
  callerOf,
  invalid,
  may,
  problem,
  problemOf,
  rawBodyOf,
  requirePermission,
  type App,
  type Caller,
  type ProblemError,
} from '@posthorn/http'
import type { FastifyRequest, FastifySchema } from 'fastify'
import {
  OperationTypeNode,
  getOperationAST,
  type GraphQLError,
  type ValidationContext,
} from 'graphql'
import { createGraphQLError, createYoga, maskError, type Plugin } from 'graphql-yoga'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { FamilyCommands } from './commands.ts'
import { familySchema, type GraphqlContext } from './schema.ts'

/** The largest useful request has a few hundred bytes and about as many tokens. */
const MOST_BYTES = 64 * 1024
const MOST_TOKENS = 1_000
const MOST_LEVELS = 8
/** A whole family costs about 30. */
const MOST_COST = 250

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
  { description: 'As the specification of GraphQL has it; codes as of any problem' },
)
const content = {
  'application/json': { schema: GraphqlAnswer },
  [RESPONSE_TYPE]: { schema: GraphqlAnswer },
}
/** What comes before GraphQL (the token, the body, the rate) is refused with a problem, as anywhere. */
const ANSWERS: FastifySchema['response'] = {
  200: { description: 'Done, or refused by the family: see `errors` of the payload', content },
  '4XX': { description: 'Request refused', content },
  '5XX': { description: 'Server error', content },
}

export interface GraphqlOptions {
  readonly pool: Pool
  readonly commands: FamilyCommands
  readonly log: Log
}

/** GraphQL at `/graphql`, for callers with a token, as the access hook sees to before any of this runs. */
export function familyRoutes(app: App, { pool, commands, log }: GraphqlOptions): void {
  const yoga = createYoga<RequestContext>({
    schema: familySchema,
    plugins: [
      limitTokens,
      guardMutations,
      maxDepthPlugin({ n: MOST_LEVELS, ...asValidationError }),
      costLimitPlugin({ maxCost: MOST_COST, ...asValidationError }),
    ],
    batching: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    logging: false,
    maskedErrors: { maskError: (error) => showError(error, log) },
  })

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
      const context = { caller, actor: { sub, org }, seesAll, db: pool, commands }
      const response = await yoga.fetch(
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

/** Thrown, as is their default, it would be an error of ours. */
const asValidationError = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => context?.reportError(error),
  ],
}

interface RequestContext extends GraphqlContext {
  readonly caller: Caller
}

/** Who may only read may send queries, and no mutation. */
const guardMutations: Plugin<RequestContext> = {
  onExecute({ args, setResultAndStopExecution }) {
    const { document, operationName, contextValue } = args
    if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.MUTATION) {
      return
    }
    try {
      requirePermission(contextValue.caller, 'write')
    } catch (refusal) {
      const { code, status, message } = problemOf(refusal)
      const extensions = { code, http: { status } }
      setResultAndStopExecution({ errors: [createGraphQLError(message, { extensions })] })
    }
  },
}

/** Before validation: that takes the square of what a document repeats. */
const limitTokens: Plugin = {
  onParse({ parseFn, setParseFn }) {
    setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MOST_TOKENS }))
  },
}

/**
 * What the caller sees of an error: those of GraphQL itself as they are, all others as the problem
 * that any route would answer, with its status.
 */
function showError(error: unknown, log: Log): Error {
  // What it leaves alone was said by GraphQL about the document.
  if (maskError(error, '', false) === error) return error as GraphQLError
  const { originalError: cause = error, nodes, path } = error as Partial<GraphQLError>
  const { code, status, headers, message } = problemAbout(cause)
  if (status >= 500)
    log.error({ err: cause, code }, 'GraphQL field failed; the client gets its code')
  const extensions = { code, http: { status, headers } }
  return createGraphQLError(message, { nodes: nodes ?? null, path: path ?? null, extensions })
}

function problemAbout(cause: unknown): ProblemError {
  if (cause instanceof ConflictError) {
    const detail = 'Too many changes of the family at once. Please try again.'
    return problem('CONFLICT', { detail, retryAfterSeconds: 1, cause })
  }
  if (cause instanceof CommitUnknownError) {
    const detail = 'The database did not answer: look whether it was done before you try again.'
    return problem('DATABASE_UNAVAILABLE', { detail, retryAfterSeconds: 2, cause })
  }
  return problemOf(cause)
}
