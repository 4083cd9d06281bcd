import type { TLocalizedValidationError } from 'typebox/error'
import type { FieldError } from '../problem/problem.ts'

/** One entry a field, from the findings of TypeBox; `part` names what is wrong as a whole. */
export function fieldErrors(
  findings: readonly TLocalizedValidationError[],
  part: string,
): FieldError[] {
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
