import fc from 'fast-check'

/** A schema of the API's description, as far as a request is made from it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** Text that has no limit of its own. */
const FREE_CHARACTERS = 4_000
const FREE_ITEMS = 200
const FREE_KEYS = 40

/** Values that a schema cannot describe, by the name of the field. */
const KNOWN: Readonly<Record<string, unknown>> = {
  currency: 'EUR',
  amount: 1_000,
  channel: 'email',
  url: 'https://worst.example/hook',
  timezone: 'Europe/Berlin',
}

/** The largest value that a schema allows, within reason. */
export function makeLargest(schema: Schema, name = '', depth = 0): unknown {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
  if (known !== undefined && schema.enum === undefined) return known
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return longest(choices.map((choice) => makeLargest(choice, name, depth)))
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return longest(schema.enum)
  const type = Array.isArray(schema.type)
    ? schema.type.find((each) => each !== 'null')
    : schema.type
  switch (type) {
    case 'string':
      return makeText(schema)
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 1_000, 1_000)
    case 'boolean':
      return true
    case 'array': {
      const most = Math.min(schema.maxItems ?? FREE_ITEMS, Math.ceil(FREE_ITEMS / 20 ** depth))
      const length = Math.max(schema.minItems ?? 0, most)
      return Array.from({ length }, () => makeLargest(schema.items ?? {}, name, depth + 1))
    }
    default:
      return makeObject(schema, depth)
  }
}

function makeObject({ properties = {}, additionalProperties }: Schema, depth: number): unknown {
  const named = Object.entries(properties).map(([name, each]) => [
    name,
    makeLargest(each, name, depth),
  ])
  const isFree = typeof additionalProperties === 'object'
  const free = typeof additionalProperties === 'object' ? additionalProperties : {}
  const others = Array.from({ length: isFree ? FREE_KEYS : 0 }, (_, n) => [
    `key_${n}`,
    free.type === undefined && !free.anyOf ? 'x'.repeat(400) : makeLargest(free, '', depth + 1),
  ])
  return Object.fromEntries([...named, ...others])
}

const FORMATS: Readonly<Record<string, (() => string) | undefined>> = {
  uuid: () => crypto.randomUUID(),
  'date-time': () => new Date().toISOString(),
  date: () => new Date().toISOString().slice(0, 10),
  email: () => `${crypto.randomUUID()}@worst.example`,
  uri: () => 'https://worst.example/hook',
}

function makeText({ format, pattern, minLength = 0, maxLength }: Schema): string {
  const known = format === undefined ? undefined : FORMATS[format]
  if (known) return known()
  if (pattern !== undefined) {
    const texts = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), 20)
    const fitting = texts.filter(
      (text) => text.length >= minLength && text.length <= (maxLength ?? Infinity),
    )
    return String(longest(fitting.length > 0 ? fitting : texts))
  }
  const length = Math.max(minLength, Math.min(maxLength ?? FREE_CHARACTERS, FREE_CHARACTERS))
  // Names are often unique.
  return crypto.randomUUID().padEnd(length, 'x').slice(0, length)
}

function longest(values: readonly unknown[]): unknown {
  const sized = values.map((value) => ({ value, size: JSON.stringify(value)?.length ?? 0 }))
  return sized.toSorted((one, other) => other.size - one.size)[0]?.value
}
