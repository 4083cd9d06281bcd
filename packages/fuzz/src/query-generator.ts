import fc, { type GeneratorValue } from 'fast-check'
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql'

/** What a client sends to `/graphql`. */
export interface GraphqlRequest {
  readonly query: string
  readonly variables?: unknown
  readonly operationName?: string
}

/** Makes up one request: mostly what the schema allows, with something wrong here and there. */
export function makeRequest(schema: GraphQLSchema, draw: GeneratorValue): GraphqlRequest {
  const maker = new RequestMaker(schema, draw)
  return maker.make()
}

/** Texts in the places of values: empty, odd, long, and what breaks parsers and queries. */
const TEXTS = ['', 'Addams', '\0', '\ud800', "'; drop table x; --", 'x'.repeat(5_000), '💥']
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057'

class RequestMaker {
  readonly #schema: GraphQLSchema
  readonly #draw: GeneratorValue
  readonly #declared: string[] = []
  readonly #variables: Record<string, unknown> = {}
  readonly #fragments: string[] = []

  constructor(schema: GraphQLSchema, draw: GeneratorValue) {
    this.#schema = schema
    this.#draw = draw
  }

  make(): GraphqlRequest {
    const operation = this.#isOneIn(3) ? 'mutation' : 'query'
    const root =
      operation === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType()
    if (!root) throw new Error(`the schema has no ${operation}`)
    const body = this.#selectFrom(root, 0)
    const declared = this.#declared.length === 0 ? '' : `(${this.#declared.join(', ')})`
    const query = [`${operation} Made${declared} ${body}`, ...this.#fragments].join('\n')
    return {
      query: this.#isOneIn(20) ? this.#damage(query) : query,
      variables: this.#isOneIn(15) ? this.#pick([null, [], 'x', 7, {}]) : this.#variables,
      ...(this.#isOneIn(10) && { operationName: this.#pick(['Made', 'Other', '']) }),
    }
  }

  #selectFrom(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields())
    const count = 1 + this.#upTo(this.#isOneIn(12) ? 60 : 4)
    const chosen = Array.from({ length: count }, () => this.#field(this.#pick(fields), depth))
    if (this.#isOneIn(5)) chosen.push('__typename')
    if (this.#isOneIn(12)) chosen.push('noSuchField')
    if (this.#isOneIn(8)) chosen.push(`... on ${type.name} { __typename }`)
    if (this.#isOneIn(8)) chosen.push(this.#spread(type, depth))
    return `{ ${chosen.join(' ')} }`
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const alias = this.#isOneIn(2) ? `a${this.#upTo(500)}: ` : ''
    const given = field.args.filter(() => !this.#isOneIn(10))
    const args = given.map(({ name, type }) => `${name}: ${this.#argument(type)}`)
    if (this.#isOneIn(20)) args.push('noSuchArgument: 1')
    const directive = this.#isOneIn(10)
      ? ` @${this.#pick(['skip', 'include', 'no'])}(if: true)`
      : ''
    const type = getNamedType(field.type)
    // Deeper than is allowed, now and then.
    const isLeaf = !isObjectType(type) || depth > 11 || this.#isOneIn(25)
    const inside = isLeaf ? '' : ` ${this.#selectFrom(type, depth + 1)}`
    return `${alias}${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${directive}${inside}`
  }

  /** A fragment that may name itself, or another that names it. */
  #spread(type: GraphQLObjectType, depth: number): string {
    const name = `F${this.#fragments.length}`
    const other = this.#isOneIn(3) ? ` ...F${this.#upTo(3)}` : ''
    const inside = depth > 8 ? '__typename' : this.#field(this.#pick(fieldsOf(type)), depth + 1)
    this.#fragments.push(`fragment ${name} on ${type.name} { ${inside}${other} }`)
    return `...${name} ...${name}`
  }

  #argument(type: GraphQLInputType): string {
    if (!this.#isOneIn(3)) return this.#literal(type, 0)
    const name = `v${this.#declared.length}`
    const declared = this.#isOneIn(10) ? 'Int' : String(type)
    this.#declared.push(`$${name}: ${declared}`)
    if (!this.#isOneIn(10)) this.#variables[name] = this.#value(type, 0)
    return `$${name}`
  }

  #literal(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.#literal(type.ofType, depth)
    if (this.#isOneIn(15)) return this.#pick(['null', '[]', '{}', 'true', '1e400', 'NO_SUCH_VALUE'])
    if (isListType(type)) {
      const count = this.#isOneIn(10) ? 300 : this.#upTo(3)
      return `[${Array(count).fill(this.#literal(type.ofType, depth)).join(' ')}]`
    }
    if (isEnumType(type)) return this.#pick(type.getValues()).name
    if (!isInputObjectType(type) || depth > 5) return JSON.stringify(this.#scalar())
    const fields = Object.values(type.getFields()).filter(() => !this.#isOneIn(12))
    const given = fields.map((field) => `${field.name}: ${this.#literal(field.type, depth + 1)}`)
    return `{ ${given.join(', ')} }`
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.#value(type.ofType, depth)
    if (this.#isOneIn(10)) return this.#pick([null, [], {}, true, 1e300, -1, [[[[]]]]])
    if (isListType(type)) return Array(this.#isOneIn(10) ? 2_000 : 2).fill(this.#scalar())
    if (isEnumType(type)) return this.#pick(type.getValues()).name
    if (!isInputObjectType(type) || depth > 5) return this.#scalar()
    const fields = Object.values(type.getFields()).filter(() => !this.#isOneIn(12))
    const given = fields.map((field) => [field.name, this.#value(field.type, depth + 1)])
    return Object.fromEntries(given)
  }

  #scalar(): unknown {
    return this.#isOneIn(3) ? UUID : this.#pick([...TEXTS, 7, 2 ** 40, -0.5, 'a@b.test'])
  }

  #damage(query: string): string {
    const at = this.#upTo(query.length)
    return `${query.slice(0, at)}${this.#pick(['', '}', '{', '"', '...', '\0', '"""'])}${query.slice(at + this.#upTo(3))}`
  }

  #isOneIn(count: number): boolean {
    return this.#upTo(count - 1) === 0
  }

  #upTo(most: number): number {
    return this.#draw(fc.nat, { max: most })
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[this.#upTo(values.length - 1)] as Value
  }
}

function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields())
}

const repeat = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ')

/** Requests that are small to send and dear to answer. */
export const BOMBS: Readonly<Record<string, unknown>> = {
  'a thousand levels': { query: `${'{ families { nodes '.repeat(500)}{ id }${' } }'.repeat(500)}` },
  'ten thousand aliases': { query: `{ ${repeat(10_000, (n) => `a${n}: __typename`)} }` },
  'three hundred aliases': { query: `{ ${repeat(300, (n) => `a${n}: __typename`)} }` },
  'fragments that double': {
    query: `{ ...F0 } ${repeat(60, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F60 on Query { __typename }`,
  },
  'fragments in a circle': {
    query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A ...A }',
  },
  'one field many times over': { query: `{ ${repeat(900, () => '__typename')} }` },
  'overlapping fields': {
    query: `{ ${repeat(90, () => '...{ __schema { types { name } } }')} }`,
  },
  'aliases inside a schema': {
    query: `{ __schema { types { ${repeat(20, (n) => `a${n}: fields { type { ...T } }`)} } } } fragment T on __Type { ${repeat(20, (n) => `b${n}: fields { name description }`)} }`,
  },
  'a schema inside a schema': {
    query: `{ __schema { types ${'{ fields { type '.repeat(20)}{ name }${' } }'.repeat(20)} } }`,
  },
  directives: { query: `{ __typename ${repeat(300, () => '@skip(if: false)')} }` },
  'a batch': Array.from({ length: 1_000 }, () => ({ query: '{ __typename }' })),
  'a list of numbers': { query: '{ __typename }', variables: { list: Array(20_000).fill(0) } },
  'deep variables': {
    query: '{ __typename }',
    variables: { deep: JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as unknown },
  },
  'a query of nothing': { query: '' },
  'no query': {},
  'a number': 7,
}

/** An answer that takes longer does not come. */
const PATIENCE_MS = 30_000

/**
 * Sends requests made up from the schema that a server tells, and those that are small to send and
 * dear to answer; throws at the first 5xx, at what is no answer of GraphQL, and where none comes.
 * Returns how many were sent.
 */
export async function fuzzGraphql(
  { url, token }: { readonly url: string; readonly token: string },
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<number> {
  let sent = 0
  const send = async (body: unknown) => {
    sent += 1
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const answer = (await response.json()) as Record<string, unknown>
    const isAnswer = ['errors', 'data', 'code'].some((name) => name in answer)
    if (response.status < 500 && isAnswer) return answer
    throw new Error(`${response.status} ${JSON.stringify(answer)} to ${JSON.stringify(body)}`)
  }
  const { data } = await send({ query: getIntrospectionQuery({ descriptions: false }) })
  const schema = buildClientSchema(data as IntrospectionQuery)
  for (const bomb of Object.values(BOMBS)) await send(bomb)
  const property = fc.asyncProperty(fc.gen(), async (draw) => {
    await send(makeRequest(schema, draw))
  })
  await fc.assert(property, { seed, numRuns: runs })
  return sent
}
