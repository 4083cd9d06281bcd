import { problem } from '@posthorn/http'
import {
  Kind,
  defaultFieldResolver,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql'
import { createGraphQLError } from 'graphql-yoga'

const ENTRANCES: ReadonlySet<string> = new Set(['__schema', '__type'])

/**
 * Refuses introspection in production, and elsewhere aliases and repeats in it. The limits of depth
 * and cost leave it out, since the query of code generators is deeper than any other. Without aliases
 * the rules of GraphQL bound its answer by three lists inside each other, here 140 kB. With them a
 * request of 1.7 kB was answered by 74 MB.
 */
export function limitIntrospection({ production }: { production: boolean }): ValidationRule {
  return (context) => {
    const refuse = (text: string, node: FieldNode) =>
      context.reportError(createGraphQLError(text, { nodes: [node] }))
    return {
      SelectionSet({ selections }) {
        const isInside = context.getParentType()?.name.startsWith('__') === true
        const seen = new Set<string>()
        for (const field of selections) {
          if (field.kind !== Kind.FIELD) continue
          const name = field.name.value
          if (!isInside && !ENTRANCES.has(name)) continue
          if (production) refuse('Introspection is off in production.', field)
          else if (field.alias)
            refuse(`Introspection takes no alias: "${field.alias.value}".`, field)
          else if (seen.has(name)) refuse(`Introspection takes a field once: "${name}".`, field)
          seen.add(name)
        }
      },
    }
  }
}

/** Counts the answer to one request as it is made. */
export interface AnswerBudget {
  bytes: number
}

type FieldCall = Parameters<GraphQLFieldResolver<unknown, { readonly answer: AnswerBudget }>>

const MOST_ANSWER_BYTES = 2 * 1024 * 1024

/** Numbers, dates, and what JSON puts around a value. */
const OTHER_BYTES = 24

/**
 * Makes the fields of a schema count what they answer, roughly, and refuse more than
 * `MOST_ANSWER_BYTES` before it is all in memory. Fields of introspection are GraphQL's own and are
 * not counted: see above.
 */
export function limitAnswers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap()).filter(isOwnObject)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve = defaultFieldResolver } = field
      field.resolve = (...given) => {
        const [, , { answer }, { path }] = given as FieldCall
        const value: unknown = resolve(...given)
        const size = typeof value === 'string' ? value.length : OTHER_BYTES
        answer.bytes += size + String(path.key).length
        if (answer.bytes > MOST_ANSWER_BYTES) throw problem('ANSWER_TOO_LARGE')
        return value
      }
    }
  }
  return schema
}

/** Not by `isObjectType`: it takes no type of another copy of the package, which tests load. */
function isOwnObject(type: GraphQLNamedType): type is GraphQLObjectType {
  return 'getFields' in type && 'isTypeOf' in type && !type.name.startsWith('__')
}
