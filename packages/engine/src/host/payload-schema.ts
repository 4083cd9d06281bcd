import { DefinitionError, PosthornError } from '../errors.ts'

/** What checks a payload: a Standard Schema (zod, valibot, ArkType), or what TypeBox's `Compile` made. */
export type PayloadSchema<Payload = unknown> = StandardSchema<Payload> | CompiledSchema<Payload>

/** The part of the Standard Schema interface that is used here. */
interface StandardSchema<Payload> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<Payload> | Promise<Checked<Payload>>
    /** Never there at run time: what the schema takes and what it gives. */
    readonly types?: { readonly input: unknown; readonly output: Payload } | undefined
  }
}

/** The part of TypeBox's validator that is used here. It gives back what it was given. */
interface CompiledSchema<Payload> {
  Check(value: unknown): value is Payload
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

type Checked<Payload> =
  | { readonly value: Payload; readonly issues?: undefined }
  | { readonly issues: readonly PayloadIssue[] }

interface PayloadIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type Schemas<Events extends object> = {
  readonly [Type in keyof Events]?: PayloadSchema<Events[Type]>
}

export type AnySchemas = Readonly<Record<string, PayloadSchema>>

/** Payloads by type as the schemas give them: what is stored, and what handlers get. */
export type Payloads<Given extends AnySchemas> = {
  [Type in keyof Given]: OutputOf<Given[Type]>
}

/** Payloads by type as the schemas take them: what `enqueue` is given. */
export type Inputs<Given extends AnySchemas> = {
  [Type in keyof Given]: InputOf<Given[Type]>
}

type OutputOf<Schema> = Schema extends PayloadSchema<infer Payload> ? Payload : never

type InputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined }
}
  ? unknown extends Input
    ? OutputOf<Schema>
    : Input
  : OutputOf<Schema>

/** `Fits`, unless a payload has a type that JSON does not give back. */
export type Storable<Events extends object, Fits> = [Unstorable<Events>] extends [never]
  ? Fits
  : { readonly payloads: 'A payload is stored as JSON: use text or a number, not Date or bigint' }

export type StorablePayloads<Events extends object> = Storable<Events, unknown>

/** Types of values inside `Value`, up to six levels deep, that JSON refuses or gives back as text. */
type Unstorable<Value, Depth extends readonly 0[] = []> = Depth['length'] extends 6
  ? never
  : unknown extends Value
    ? never
    : Value extends Date | bigint
      ? Value
      : Value extends string | number | boolean | null | undefined
        ? never
        : Value extends readonly (infer Element)[]
          ? Unstorable<Element, [...Depth, 0]>
          : Value extends object
            ? { [Name in keyof Value]-?: Unstorable<Value[Name], [...Depth, 0]> }[keyof Value]
            : never

/** Problems that an error names; a thousand would explain no more than ten. */
const MOST_ISSUES = 10

/** Refuses what is no schema when the outbox is defined, not when its first message is enqueued. */
export function checkSchemas(outbox: string, schemas: unknown): void {
  if (schemas === undefined) return
  if (typeof schemas !== 'object' || schemas === null) {
    throw new DefinitionError(outbox, 'schemas', 'must be an object: a schema for each type')
  }
  for (const [type, schema] of Object.entries(schemas)) {
    if (isStandard(schema) || isCompiled(schema)) continue
    throw new DefinitionError(
      outbox,
      `schemas.${type}`,
      'is no schema: give one of zod, valibot or ArkType, or of TypeBox what Compile() of it returns',
    )
  }
}

/** The payload as its type's schema gives it back; throws `PAYLOAD_INVALID` before anything is stored. */
export async function checkPayload<Events extends object>(
  outbox: string,
  schemas: Schemas<Events> | undefined,
  { type, payload }: { type: string; payload: unknown },
): Promise<unknown> {
  if (payload === undefined) {
    throw new PosthornError('PAYLOAD_INVALID', `outbox ${outbox}: ${type} has no payload`)
  }
  const schema = schemas?.[type as keyof Events]
  if (!schema) return payload
  const checked = await check(schema, payload)
  if (checked.issues === undefined) return checked.value
  const problems = checked.issues.slice(0, MOST_ISSUES).map(describe).join('; ')
  throw new PosthornError('PAYLOAD_INVALID', `outbox ${outbox}: ${type}: ${problems}`)
}

function check(
  schema: PayloadSchema,
  payload: unknown,
): Checked<unknown> | Promise<Checked<unknown>> {
  if (isStandard(schema)) return schema['~standard'].validate(payload)
  if (schema.Check(payload)) return { value: payload }
  const issues = schema.Errors(payload).map(({ instancePath, message }) => ({
    message,
    path: instancePath.split('/').slice(1),
  }))
  return { issues }
}

function isStandard(schema: unknown): schema is StandardSchema<unknown> {
  const standard = (schema as Partial<StandardSchema<unknown>> | null | undefined)?.['~standard']
  return typeof standard?.validate === 'function'
}

function isCompiled(schema: unknown): schema is CompiledSchema<unknown> {
  const { Check, Errors } = (schema ?? {}) as Partial<CompiledSchema<unknown>>
  return typeof Check === 'function' && typeof Errors === 'function'
}

function describe({ path = [], message }: PayloadIssue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return place === '' ? message : `${place}: ${message}`
}
