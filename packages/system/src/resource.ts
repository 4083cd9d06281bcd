import {
  Type,
  type Static,
  type TInteger,
  type TNull,
  type TObject,
  type TSchema,
  type TString,
  type TUnion,
} from 'typebox'

/*
 * A noun is declared once, as the schema of what the API shows. The type of its row and the function
 * that makes the one of the other are derived: `createdAt` is the column `created_at`, a time is a
 * Date in the row, and a bigint is text there.
 */

/** The type of the column, where it is not that of the JSON. Only the compiler sees it. */
interface Stored<InRow> {
  readonly '~row': InRow
}

export type TTime = TString & Stored<Date>
type TBigInt = TInteger & Stored<string>

export function time(options: Parameters<typeof Type.String>[0] = {}): TTime {
  return Type.String(options) as TTime
}

export function bigint(options: Parameters<typeof Type.Integer>[0] = {}): TBigInt {
  return Type.Integer(options) as TBigInt
}

export function nullable<Schema extends TSchema>(
  schema: Schema,
  options: Parameters<typeof Type.Union>[1] = {},
): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], options)
}

export const Id = Type.String({ format: 'uuid' })
export const NullableText = nullable(Type.String())

type Column<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Column<Rest>}`
    : `_${Lowercase<First>}${Column<Rest>}`
  : Name

type Value<Schema> =
  Schema extends Stored<infer Kept>
    ? Kept
    : Schema extends TUnion<[infer Some extends TSchema, TNull]>
      ? Value<Some> | null
      : Schema extends TSchema
        ? Static<Schema>
        : never

/** The row behind a resource; `Left` are fields that are not columns. */
export type RowOf<Schema extends TObject, Left extends keyof Schema['properties'] = never> = {
  readonly [Name in Exclude<keyof Schema['properties'], Left> as Column<Name>]: Value<
    Schema['properties'][Name]
  >
}

type Made<Schema extends TObject, Row> = {
  readonly [Name in keyof Static<Schema>]?: (row: Row) => Static<Schema>[Name]
}

/**
 * What makes the resource of a row, or of an object whose fields have the names of the resource. `made` says how
 * other fields are made. What is undefined is null, unless the schema lets it be left out.
 */
export function resource<Schema extends TObject, Row extends object = RowOf<Schema>>(
  schema: Schema,
  made: Readonly<Record<string, (row: Row) => unknown>> & Made<Schema, NoInfer<Row>> = {},
): (row: Row) => Static<Schema> {
  const required = new Set<string>(schema.required)
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const make: ((row: Row) => unknown) | undefined = made[name]
    const toJson = writerOf(field)
    const read = (row: Row) => {
      const values = row as Readonly<Record<string, unknown>>
      return toJson(name in values ? values[name] : values[column])
    }
    return [name, make ?? read] as const
  })
  return (row) => {
    const values = fields.map(([name, read]) => [name, read(row)] as const)
    return Object.fromEntries(
      values.map(([name, value]) => [name, required.has(name) ? (value ?? null) : value]),
    ) as Static<Schema>
  }
}

/** What writes a value as its schema has it: nested objects by their own fields, times as text. */
function writerOf(schema: TSchema): (value: unknown) => unknown {
  const { anyOf, items } = schema as { anyOf?: readonly TSchema[]; items?: TSchema }
  const [nested, ...others] = [schema, ...(anyOf ?? [])].filter((each) => 'properties' in each)
  const isNumber = isInteger(schema)
  const each = items && writerOf(items)
  const object = nested && others.length === 0 && resource<TObject, object>(nested as TObject)
  return (value) => {
    if (value instanceof Date) return value.toISOString()
    if (isNumber && typeof value === 'string') return Number(value)
    if (each && Array.isArray(value)) return value.map(each)
    return object && typeof value === 'object' && value !== null ? object(value) : value
  }
}

/** A number, or null: where text is allowed too, text is not a number that Postgres wrote. */
function isInteger(schema: TSchema): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: readonly TSchema[] }
  if (anyOf === undefined) return type === 'integer'
  return anyOf.some(isInteger) && anyOf.every((each) => isInteger(each) || 'null' === typeOf(each))
}

function typeOf(schema: TSchema): string | undefined {
  return (schema as { type?: string }).type
}
