import { Value } from 'typebox/value'
import { Type, type Static, type TObject, type TSchema } from 'typebox'

/** What a setting may say beyond its type. */
export interface SettingOptions {
  /** For the reference: one sentence. */
  readonly description: string
  /** Not shown anywhere, not even in the message that says it is wrong. */
  readonly secret?: true
  /** Has a default in development; production must name it. */
  readonly production?: 'required'
  /** Production must name it only where another setting has this value. */
  readonly when?: readonly [name: string, value: string]
  /** Production must name it, or this other one. */
  readonly unless?: string
}

export type SettingsSchema = TObject

/** A setting that is a whole number: its bounds, and what it is where it is not set. */
export function wholeNumber(
  description: string,
  [minimum, maximum, usual]: readonly [minimum: number, maximum: number, usual: number],
) {
  return Type.Integer({ description, minimum, maximum, default: usual })
}

/** A setting that is a text, and may be left out. */
export function optionalText(
  description: string,
  options: { readonly pattern?: string; readonly minLength?: number; readonly secret?: true } = {},
) {
  return Type.Optional(Type.String({ description, ...options }))
}

/** The settings that are right, and a sentence for each that is not. */
export interface SettingsRead<Values> {
  readonly values: Values
  readonly mistakes: readonly string[]
}

export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly production: boolean
}

/**
 * Reads the variables that a schema names. An empty one counts as absent, since shells and compose
 * files write `NAME=` for nothing. Every mistake is found, not only the first.
 */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  { env, production }: SettingsSource,
): SettingsRead<Static<Schema>> {
  const mistakes: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const text = env[name] === '' ? undefined : env[name]
    const isWanted = production && isChosen(schema, field, env)
    const value = text === undefined ? defaultOf(field, isWanted) : convert(field, text)
    if (value === undefined) {
      const { unless } = optionsOf(field)
      const isInPlace = unless !== undefined && (!production || Boolean(env[unless]))
      const names = unless === undefined ? name : `${unless} or ${name}`
      if (isInPlace || (unless === undefined && !isRequired(schema, name))) continue
      mistakes.push(`${names} is missing: ${describeWanted(field)}`)
    } else if (Value.Check(field, value)) values[name] = value
    else mistakes.push(`${name} must be ${describeWanted(field)}${quoteValue(field, text)}`)
  }
  return { values: values as Static<Schema>, mistakes }
}

/** Only what is plainly a number or a yes or no becomes one: "4600.5" is no port, "on" no boolean. */
function convert(field: TSchema, text: string): unknown {
  const value = text.trim()
  const { type } = field as { readonly type?: unknown }
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'number' && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value)
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

function defaultOf(field: TSchema, isWanted: boolean): unknown {
  const { default: value, production: rule } = optionsOf(field)
  return isWanted && rule === 'required' ? undefined : value
}

/** Whether what a setting depends on is as it says. */
function isChosen(schema: SettingsSchema, field: TSchema, env: SettingsSource['env']): boolean {
  const { when } = optionsOf(field)
  if (!when) return true
  const [name, value] = when
  const other = schema.properties[name]
  return (env[name] || (other && optionsOf(other).default)) === value
}

function isRequired(schema: SettingsSchema, name: string): boolean {
  return schema.required?.includes(name) ?? false
}

function describeWanted(field: TSchema): string {
  return optionsOf(field).description ?? 'as the reference says'
}

function quoteValue(field: TSchema, text: string | undefined): string {
  return optionsOf(field).secret || text === undefined ? '' : `, not "${text.slice(0, 100)}"`
}

function optionsOf(field: TSchema): Partial<SettingOptions> & { readonly default?: unknown } {
  return field
}
