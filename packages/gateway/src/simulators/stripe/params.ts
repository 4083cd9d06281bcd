import { invalid } from './answers.ts'
import type { Books } from './books.ts'
import { nowSeconds } from './objects.ts'

/** Parameters as Stripe writes them: `metadata[key]=a&expand[]=b` is nested. */
export interface Params {
  readonly [name: string]: string | readonly string[] | Params
}

/** Reads a form or a query; names with brackets become objects, those that end in `[]` lists. */
export function parseParams(text: string): Params {
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    const isList = /\[\d*\]$/.test(name)
    const last = isList && /^\d+$/.test(path.at(-1) ?? '') ? path.slice(0, -1) : path
    put(root, last, isList ? [value] : value)
  }
  return root as Params
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length > 0) {
    const inner = (into[name] ??= Object.create(null)) as Record<string, unknown>
    return put(inner, rest, value)
  }
  const before = into[name]
  into[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
}

/** Stripe refuses what it does not know. */
export function checkKnown(params: Params, known: readonly string[]): void {
  for (const name of Object.keys(params)) {
    if (known.includes(name) || name === 'expand') continue
    throw invalid(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name })
  }
}

export function textOf(params: Params, name: string): string | undefined {
  const value = params[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalid(`Invalid string: ${name}`, { param: name })
  return value === '' ? undefined : value
}

export function requireText(params: Params, name: string): string {
  const value = textOf(params, name)
  if (value !== undefined) return value
  const message = `Missing required param: ${name}.`
  throw invalid(message, { code: 'parameter_missing', param: name })
}

export function integerOf(params: Params, name: string): number | undefined {
  const value = textOf(params, name)
  if (value === undefined) return undefined
  if (!/^-?\d{1,12}$/.test(value)) {
    throw invalid(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: name })
  }
  return Number(value)
}

export function booleanOf(params: Params, name: string): boolean {
  const value = textOf(params, name)
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw invalid(`Invalid boolean: ${value}`, { param: name })
}

/** One of the words; the first one where it is left out. */
export function choiceOf<Word extends string>(
  params: Params,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const value = textOf(params, name) ?? words[0]
  const word = words.find((each) => each === value)
  if (word !== undefined) return word
  throw invalid(`Invalid ${name}: must be one of ${words.join(', ')}`, { param: name })
}

/** At most 50 pairs, names of 40 and values of 500 characters. */
export function metadataOf(params: Params): Record<string, string> {
  const given = params['metadata']
  if (given === undefined || given === '') return {}
  if (typeof given === 'string' || Array.isArray(given)) {
    throw invalid('Invalid hash', { param: 'metadata' })
  }
  const pairs = Object.entries(given as Params)
  if (pairs.length > 50) throw invalid('Metadata can have up to 50 keys', { param: 'metadata' })
  for (const [name, value] of pairs) {
    if (typeof value !== 'string') throw invalid('Invalid string', { param: `metadata[${name}]` })
    if (name.length > 40 || value.length > 500) {
      throw invalid('Metadata keys have up to 40 characters, values up to 500', {
        param: 'metadata',
      })
    }
  }
  return Object.fromEntries(pairs) as Record<string, string>
}

/** How late the search is as a rule. */
const LATE_SECONDS = 60

/** Stripe's search: a copy that is late. */
export class SearchIndex {
  readonly #books: Books
  #caughtUpAt = 0

  constructor(books: Books) {
    this.#books = books
  }

  catchUp(): void {
    this.#caughtUpAt = Date.now()
  }

  /** One condition on one pair of the metadata, which is all that anyone here asks. */
  find(query: string) {
    const [, name, value] = /^metadata\[['"](.+)['"]\]:['"](.+)['"]$/.exec(query) ?? []
    if (name === undefined)
      throw invalid('We were unable to parse your search query.', { param: 'query' })
    const until = Math.max(this.#caughtUpAt / 1_000, nowSeconds() - LATE_SECONDS)
    const data = [...this.#books.intents.values()].filter(
      ({ metadata, created }) => metadata[name] === value && created <= until,
    )
    return {
      ...{ object: 'search_result', url: '/v1/payment_intents/search' },
      ...{ has_more: false, data, next_page: null, total_count: data.length },
    }
  }
}
