import { Type, type Static } from 'typebox'

/*
 * Which events an endpoint gets, by what is in them. Data, not code: a list of conditions, each a
 * JSON Pointer into the body and a comparison. Nothing loops, nothing is compiled, and what is
 * bounded here bounds what an event costs.
 */

// A page of 200 endpoints with the largest filters is 4 MB.
const Scalar = Type.Union([
  Type.String({ maxLength: 100 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
])

/** At most eight steps into the body. */
const Path = Type.String({
  maxLength: 200,
  pattern: '^(/([^~/]|~[01])*){1,8}$',
  description: 'JSON Pointer into the body, such as /data/amount',
})

const strict = { additionalProperties: false }

const Condition = Type.Union([
  Type.Object({ path: Path, equals: Scalar }, strict),
  Type.Object({ path: Path, notEquals: Scalar }, strict),
  Type.Object({ path: Path, in: Type.Array(Scalar, { minItems: 1, maxItems: 20 }) }, strict),
  Type.Object({ path: Path, exists: Type.Boolean() }, strict),
  Type.Object({ path: Path, lessThan: Type.Number() }, strict),
  Type.Object({ path: Path, atMost: Type.Number() }, strict),
  Type.Object({ path: Path, moreThan: Type.Number() }, strict),
  Type.Object({ path: Path, atLeast: Type.Number() }, strict),
])

export const Filter = Type.Object(
  {
    match: Type.Union([Type.Literal('all'), Type.Literal('any')], {
      description: 'Whether all conditions must hold, or any one',
    }),
    conditions: Type.Array(Condition, { minItems: 1, maxItems: 10 }),
  },
  strict,
)

export type Filter = Static<typeof Filter>
type Condition = Static<typeof Condition>

/** Whether an endpoint with this filter gets a body. */
export function matchesFilter({ match, conditions }: Filter, body: unknown): boolean {
  const holdsHere = (condition: Condition) => holds(condition, body)
  return match === 'all' ? conditions.every(holdsHere) : conditions.some(holdsHere)
}

/** What is at the place of each condition, and whether it holds: for a person who tries a filter. */
export function explainFilter({ conditions }: Filter, body: unknown) {
  return conditions.map((condition) => {
    const found = valueAt(body, condition.path)
    return {
      path: condition.path,
      holds: holds(condition, body),
      ...(found !== undefined && { found }),
    }
  })
}

/** A comparison of numbers holds for numbers alone; what is not there equals nothing. */
function holds(condition: Condition, body: unknown): boolean {
  const found = valueAt(body, condition.path)
  if ('equals' in condition) return found === condition.equals
  if ('notEquals' in condition) return found !== condition.notEquals
  if ('in' in condition) return condition.in.some((value) => value === found)
  if ('exists' in condition) return (found !== undefined) === condition.exists
  if (typeof found !== 'number') return false
  if ('lessThan' in condition) return found < condition.lessThan
  if ('atMost' in condition) return found <= condition.atMost
  if ('moreThan' in condition) return found > condition.moreThan
  return found >= condition.atLeast
}

/** RFC 6901; undefined where there is nothing. */
function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const part of path.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
