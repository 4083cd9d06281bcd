import type { Asked } from './client-process.ts'
import type { Operation } from './description.ts'
import { makeLargest } from './schema.ts'

/** A request that may cost its server much, and what is hostile about it. */
export interface Candidate {
  readonly what: string
  readonly asked: Omit<Asked, 'headers'> & { readonly type?: string }
}

/** As large as a body of JSON may be. */
const BODY_BYTES = 1_000_000
/** Of a file: larger ones are read as streams. */
const FILE_BYTES = 4_000_000
/** What a line of headers has room for. */
const QUERY_CHARACTERS = 8_000

/** Every request that is tried for an operation; `urls` are its path with things that exist. */
export function makeCandidates(operation: Operation, urls: readonly string[]): Candidate[] {
  const { method } = operation
  return urls.flatMap((url) => {
    const queries = makeQueries(operation).map(([what, query]) => ({
      what,
      asked: { method, url: query === '' ? url : `${url}?${query}` },
    }))
    if (method === 'GET' || method === 'DELETE') return queries
    return makeBodies(operation).map(({ what, ...sent }) => ({
      what,
      asked: { method, url: sent.query === undefined ? url : `${url}?${sent.query}`, ...sent },
    }))
  })
}

/** Texts that patterns, parsers and searches may be slow with. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a long text': 'x'.repeat(QUERY_CHARACTERS),
  'wild cards': '%_'.repeat(QUERY_CHARACTERS / 6),
  brackets: '([{'.repeat(QUERY_CHARACTERS / 9),
  'a dot and an @ in turn': 'a.@'.repeat(QUERY_CHARACTERS / 6),
  spaces: `${' '.repeat(QUERY_CHARACTERS / 3)}x`,
  'deep JSON': '['.repeat(QUERY_CHARACTERS / 3),
  digits: '9'.repeat(QUERY_CHARACTERS),
}

function makeQueries({ parameters }: Operation): [what: string, query: string][] {
  const named = parameters.filter((parameter) => parameter.in === 'query')
  const queryOf = (values: Readonly<Record<string, string>>) =>
    new URLSearchParams(values).toString()
  const limit: Record<string, string> = named.some(({ name }) => name === 'limit')
    ? { limit: '200' }
    : {}
  const texts = named.filter(({ schema = {} }) => schema.type === 'string' && !schema.format)
  return [
    ['as it is', ''],
    ['a full page', queryOf(limit)],
    ['every parameter as large as it may be', queryOf(largestOf(named))],
    ['a page of all times', queryOf({ ...limit, ...allTimes(named) })],
    ...texts.flatMap(({ name }) =>
      Object.entries(HOSTILE).map(([what, text]): [string, string] => [
        `${name}: ${what}`,
        queryOf({ ...limit, [name]: text.slice(0, QUERY_CHARACTERS) }),
      ]),
    ),
    ...named
      .slice(0, 1)
      .map(({ name }): [string, string] => [
        `${name} many times`,
        Array.from({ length: 900 }, (_, n) => `${name}=${n}`).join('&'),
      ]),
  ]
}

function largestOf(named: Operation['parameters']): Record<string, string> {
  return Object.fromEntries(
    named
      .filter(({ name }) => name !== 'cursor')
      .map(({ name, schema = {} }) => [
        name,
        name === 'limit' ? '200' : String(makeLargest(schema, name)).slice(0, 1_000),
      ]),
  )
}

/** From the beginning to the end of times, by whatever names a list has for them. */
function allTimes(named: Operation['parameters']): Record<string, string> {
  const times = named.filter(({ schema = {} }) => schema.format?.startsWith('date'))
  return Object.fromEntries(
    times.map(({ name, schema = {} }) => {
      const isStart = /from|since|after/i.test(name)
      const time = isStart ? '1970-01-01T00:00:00Z' : '2999-01-01T00:00:00Z'
      return [name, schema.format === 'date' ? time.slice(0, 10) : time]
    }),
  )
}

interface Body {
  readonly what: string
  readonly body: string
  readonly type: string
  readonly query?: string
}

function makeBodies({ path, body }: Operation): Body[] {
  if (path.endsWith('/graphql')) return makeGraphql()
  const json = (what: string, text: string) => ({ what, body: text, type: 'application/json' })
  const largest = body === undefined ? {} : (makeLargest(body) as object)
  const fields = Object.keys(body?.properties ?? {})
  const inEach = (value: string) =>
    `{${fields.map((name) => `${JSON.stringify(name)}:${value}`).join()}}`
  const share = Math.floor(BODY_BYTES / Math.max(1, fields.length)) - 100
  return [
    json('as large as the schema allows', JSON.stringify(largest)),
    json('deep arrays', '['.repeat(BODY_BYTES)),
    json('deep objects', '{"a":'.repeat(BODY_BYTES / 5)),
    json('deep values', inEach(`${'['.repeat(share / 2)}${']'.repeat(share / 2)}`)),
    json('many items', inEach(`[${'0,'.repeat(share / 2)}0]`)),
    json('many objects', inEach(`[${'{},'.repeat(share / 3)}0]`)),
    json(
      'many keys',
      inEach(`{${Array.from({ length: share / 12 }, (_, n) => `"k${n.toString(36)}":0`).join()}}`),
    ),
    json('long texts', inEach(`"${'x'.repeat(share)}"`)),
    json('long spaces', inEach(`"${' '.repeat(share)}x"`)),
    json('long numbers', inEach('9'.repeat(share))),
    ...(body === undefined ? makeFiles() : []),
  ]
}

const FILE_TYPES = { csv: 'text/csv', xml: 'application/xml', sta: 'text/plain' } as const

/** What readers of files may be slow with. */
function makeFiles(): Body[] {
  const csv = 'external_transaction_id,amount,currency,date\n'
  const file = (what: string, name: keyof typeof FILE_TYPES, body: string) => ({
    ...{ what, type: FILE_TYPES[name], body: body.slice(0, FILE_BYTES) },
    query: `filename=worst.${name}`,
  })
  return [
    file('many lines', 'csv', csv + 'x,10.00,EUR,2026-03-01\n'.repeat(180_000)),
    file('an open quote', 'csv', `${csv}"${'x'.repeat(FILE_BYTES)}`),
    file('quotes', 'csv', csv + '""'.repeat(FILE_BYTES / 2)),
    file('separators', 'csv', csv + ','.repeat(FILE_BYTES)),
    file('empty lines', 'csv', csv + '\n'.repeat(FILE_BYTES)),
    file('deep elements', 'xml', '<a>'.repeat(FILE_BYTES / 3)),
    file('many attributes', 'xml', `<a ${'b="c" '.repeat(FILE_BYTES / 6)}/>`),
    file('an open element', 'xml', `<${'a'.repeat(FILE_BYTES)}`),
    file('many fields', 'sta', ':20:X\r\n'.repeat(FILE_BYTES / 7)),
    file('one line', 'sta', `:20:${'X'.repeat(FILE_BYTES)}`),
  ]
}

function makeGraphql(): Body[] {
  const query = (what: string, text: string): Body => ({
    ...{ what, type: 'application/json' },
    body: JSON.stringify({ query: text.slice(0, BODY_BYTES) }),
  })
  const many = (part: (n: number) => string, count: number) =>
    Array.from({ length: count }, (_, n) => part(n)).join(' ')
  const types = 'fields { name type { name fields { name type { name } } } }'
  return [
    query('introspection', `{ __schema { types { name ${types} } } }`),
    query('many aliases', `{ ${many((n) => `a${n}: __typename`, 60_000)} }`),
    query('aliases of types', `{ ${many((n) => `a${n}: __schema { types { name } }`, 2_000)} }`),
    query('a deep selection', '{ a '.repeat(200_000)),
    query('a deep value', `{ family(id: ${'['.repeat(300_000)}) { id } }`),
    query('many directives', `{ __typename ${'@skip(if: false) '.repeat(50_000)} }`),
    query(
      'many fragments',
      `{ ...f0 } ${many((n) => `fragment f${n} on Query { ...f${n + 1} }`, 20_000)}`,
    ),
    query(
      'fragments in fragments',
      `{ ...a } fragment a on Query { ...b ...b } fragment b on Query { ...a }`,
    ),
    query('many variables', `query (${many((n) => `$v${n}: Int`, 60_000)}) { __typename }`),
    query('a long comment', `#${'x'.repeat(900_000)}\n{ __typename }`),
  ]
}
