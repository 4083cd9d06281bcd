import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Set as setFormat } from 'typebox/format'
import { Settings } from 'typebox/system'
import { closeSchema } from './close-schema.ts'
import { isDateTime } from './date-time.ts'
import { fieldErrors } from './field-errors.ts'
import { problem, type FieldError, type ProblemError } from './problem.ts'
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
