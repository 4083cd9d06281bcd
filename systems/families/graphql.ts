import { costLimitPlugin } from '@escape.tech/graphql-armor-cost-limit'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { CommitUnknownError, ConflictError } from '@posthorn/domain'
import type { Log } from '@posthorn/engine'
import {
  problem,
  problemOf,
  requirePermission,
  type Caller,
  type ProblemError,
} from '@posthorn/http'
import {
  OperationTypeNode,
  getOperationAST,
  type GraphQLError,
  type ValidationContext,
} from 'graphql'
import {
  createGraphQLError,
  createYoga,
  maskError,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga'
import type { Pool } from 'pg'
import type { FamilyCommands } from './commands.ts'
import { limitIntrospection } from './graphql-limits.ts'
import { familySchema, type GraphqlContext } from './schema.ts'

/** The largest useful request has about as many tokens as bytes: a few hundred. */
const MOST_TOKENS = 1_000
const MOST_LEVELS = 8
/** A whole family costs about 30. */
const MOST_COST = 250

export interface GraphqlOptions {
  readonly pool: Pool
  readonly commands: FamilyCommands
  readonly log: Log
  /** Tells nobody the schema. */
  readonly production: boolean
}

/** What parses, checks and executes a request, within limits. */
export function createGraphql({
  log,
  production,
}: Pick<GraphqlOptions, 'log' | 'production'>): YogaServerInstance<RequestContext, object> {
  return createYoga<RequestContext>({
    schema: familySchema,
    plugins: [
      limitTokens,
      guardMutations,
      guardSchema(production),
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

function guardSchema(production: boolean): Plugin {
  const rule = limitIntrospection({ production })
  return { onValidate: ({ addValidationRule }) => addValidationRule(rule) }
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
