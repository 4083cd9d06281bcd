type Schema = Record<string, unknown>

const LISTS = ['anyOf', 'oneOf', 'prefixItems']
const MAPS = ['properties', 'patternProperties', '$defs']
const SINGLES = ['items', 'additionalProperties']

/**
 * A copy of a schema in which no object takes fields that it does not name: a misspelt optional
 * field would otherwise be ignored in silence. `additionalProperties: true` leaves one open.
 */
export function closeSchema(schema: unknown): unknown {
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
