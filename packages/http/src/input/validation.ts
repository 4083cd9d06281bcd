import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Set as setFormat } from 'typebox/format'
import { Settings } from 'typebox/system'
import type { TLocalizedValidationError } from 'typebox/error'
import { problem, type FieldError, type ProblemError } from '../problem/problem.ts'
import { unstorable } from './unstorable.ts'

interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/** A form with more mistakes than these is not a form. */
const MOST_ERRORS = 100
/** Finding every mistake takes about 1 ms for a thousand values: past this, the answer does not say where. */
const MOST_VALUES = 20_000

/** Validates by TypeBox: bodies as they are, addresses and headers by what their text means. */
export function addValidation(app: FastifyInstance): void {
  Settings.Set({ maxErrors: MOST_ERRORS })
  setFormat('date-time', isDateTime)
  app.addHook('onRoute', ({ schema }) => {
    if (schema?.body !== undefined) schema.body = closeSchema(schema.body)
    if (schema?.querystring !== undefined) schema.querystring = closeSchema(schema.querystring)
  })
  app.setValidatorCompiler(compile as FastifySchemaCompiler<unknown>)
  app.addHook('preValidation', (request, _reply, done) => {
    if (!hasFields(request.query) && !hasFields(request.params)) return done()
    const errors = [...unstorable(request.params), ...unstorable(request.query)]
    done(errors.length > 0 ? invalid(errors) : undefined)
  })
}

/** `VALIDATION_FAILED` with its fields, for what no schema can say. */
export function invalid(errors: readonly FieldError[]): ProblemError {
  const detail = errors.map(({ field, reason }) => `${field} ${reason}`).join('; ')
  return problem('VALIDATION_FAILED', { detail: clip(`${detail}.`), errors })
}

const compile: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  // With the first request: most routes of a process are never called.
  let validator: Validator | undefined
  const isText = httpPart !== 'body'
  const hasDefaults = JSON.stringify(schema).includes('"default":')
  return (value: unknown) => {
    validator ??= Compile(schema)
    const given = isText ? fromText(schema, value) : value
    const whole = hasDefaults ? validator.Default(given) : given
    if (validator.Check(whole)) return { value: whole }
    if (value === null && !isText)
      return { error: invalid([{ field: 'body', reason: 'is required' }]) }
    if (countValues(whole, MOST_VALUES) >= MOST_VALUES) {
      return {
        error: invalid([{ field: httpPart, reason: 'is not valid and too large to say where' }]),
      }
    }
    return { error: invalid(fieldErrors(validator.Errors(whole), httpPart)) }
  }
}

function hasFields(value: unknown): boolean {
  for (const _ in value as object) return true
  return false
}

/** How many values there are in a value, at most `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const field of Object.values(value)) {
    count += countValues(field, limit - count)
    if (count >= limit) break
  }
  return count
}

function clip(text: string): string {
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000).toWellFormed()}…`
}

/**
 * What the text of a query, a path or a header means by its schema. Text that does not look like
 * its type stays text, and is refused by the validation that follows.
 */
function fromText(schema: unknown, value: unknown): unknown {
  const { type, properties, items } = schema as Shape
  if (type === 'object' && typeof value === 'object' && value !== null) {
    const read = { ...value } as Record<string, unknown>
    for (const [name, shape] of Object.entries(properties ?? {})) {
      if (Object.hasOwn(read, name)) read[name] = fromText(shape, read[name])
    }
    return read
  }
  if (type === 'array') {
    const list = Array.isArray(value) ? value : [value]
    return items ? list.map((item) => fromText(items, item)) : list
  }
  if (typeof value !== 'string') return value
  if (type === 'integer' || type === 'number') {
    return /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value
  }
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

type Schema = Record<string, unknown>

const LISTS = ['anyOf', 'oneOf', 'prefixItems']
const MAPS = ['properties', 'patternProperties', '$defs']
const SINGLES = ['items', 'additionalProperties']

/**
 * A copy of a schema in which no object takes fields that it does not name: a misspelt optional
 * field would otherwise be ignored in silence. `additionalProperties: true` leaves one open.
 */
function closeSchema(schema: unknown): unknown {
  if (!isSchema(schema)) return schema
  // With what TypeBox keeps out of sight: it needs to know its types again.
  const copy: Schema = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  for (const key of LISTS) {
    if (Array.isArray(copy[key])) copy[key] = copy[key].map(closeSchema)
  }
  for (const key of MAPS) {
    const map = copy[key]
    if (isSchema(map)) {
      copy[key] = Object.fromEntries(
        Object.entries(map).map(([name, one]) => [name, closeSchema(one)]),
      )
    }
  }
  for (const key of SINGLES) {
    if (copy[key] !== undefined) copy[key] = closeSchema(copy[key])
  }
  if (isOpen(copy)) {
    // The parts of an intersection know only their own fields: all of them together are closed.
    if (Array.isArray(copy['allOf'])) copy['unevaluatedProperties'] = false
    else if (isSchema(copy['properties'])) copy['additionalProperties'] = false
  }
  return copy
}

function isOpen(schema: Schema): boolean {
  const said = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']
  return said.every((key) => schema[key] === undefined)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const RFC_3339 =
  /^((\d{4})-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):[0-5]\d)$/

/** Postgres knows no offsets of 16 hours and more. */
const MOST_HOURS_OFFSET = 15

/**
 * Whether a text is a time of RFC 3339 that JavaScript and Postgres both take: not one of the year
 * 0, of the 30th of February, with a leap second or an offset that no clock has.
 */
function isDateTime(text: string): boolean {
  const [, date = '', year, hours = '0'] = RFC_3339.exec(text) ?? []
  if (year === undefined || year === '0000' || Number(hours) > MOST_HOURS_OFFSET) return false
  const day = new Date(`${date}T00:00:00Z`)
  // A day that its month does not have is read as one of the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

/** One entry a field, from the findings of TypeBox; `part` names what is wrong as a whole. */
function fieldErrors(findings: readonly TLocalizedValidationError[], part: string): FieldError[] {
  const unions = findings.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const isInUnion = ({ schemaPath }: TLocalizedValidationError) =>
    unions.some((union) => schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`))
  const errors = new Map<string, FieldError>()
  for (const finding of findings) {
    if (isInUnion(finding)) continue
    for (const error of errorsOf(finding, findings)) {
      const field = error.field === '' ? part : error.field
      if (!errors.has(field)) errors.set(field, { field, reason: error.reason })
    }
  }
  return [...errors.values()]
}

function errorsOf(
  finding: TLocalizedValidationError,
  all: readonly TLocalizedValidationError[],
): FieldError[] {
  const field = nameOf(finding.instancePath)
  // The other keywords say what is wrong by themselves.
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check
  switch (finding.keyword) {
    case 'required':
      return finding.params.requiredProperties.map((name) => ({
        field: below(field, name),
        reason: 'is required',
      }))
    case 'additionalProperties':
      return finding.params.additionalProperties.map((name) => unknownField(below(field, name)))
    case 'unevaluatedProperties':
      return finding.params.unevaluatedProperties.map((name) =>
        unknownField(below(field, String(name))),
      )
    case 'boolean':
      return [unknownField(field)]
    case 'anyOf':
    case 'oneOf':
      return [{ field, reason: choice(finding, all) }]
    case 'enum':
      return [{ field, reason: oneOf(finding.params.allowedValues) }]
    case 'const':
      return [{ field, reason: oneOf([finding.params.allowedValue]) }]
    default:
      return [{ field, reason: finding.message }]
  }
}

/** What a union would have taken, if its branches are plain values and types. */
function choice(
  union: TLocalizedValidationError,
  all: readonly TLocalizedValidationError[],
): string {
  const branches = all.filter(({ schemaPath }) =>
    schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`),
  )
  const words = branches.map((branch) => {
    if (branch.instancePath !== union.instancePath) return undefined
    if (branch.keyword === 'const') return [branch.params.allowedValue]
    if (branch.keyword === 'enum') return branch.params.allowedValues
    return branch.keyword === 'type' ? [branch.params.type].flat() : undefined
  })
  return words.every((word) => word !== undefined)
    ? oneOf(words.flat())
    : 'has none of the allowed forms'
}

function oneOf(values: readonly unknown[]): string {
  const names = [...new Set(values.map(String))]
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(', ')}`
}

function unknownField(field: string): FieldError {
  return { field, reason: 'is not known here' }
}

function below(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}

/** `/items/0/sku` as `items.0.sku`. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}
