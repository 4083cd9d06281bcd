import type { Endpoint } from './webhook.ts'

export type Filter = NonNullable<Endpoint['filter']>
export type Condition = Filter['conditions'][number]

/** The comparisons of a condition, in people's words. */
export const COMPARISONS = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  exists: 'is there',
  moreThan: 'is more than',
  atLeast: 'is at least',
  lessThan: 'is less than',
  atMost: 'is at most',
} as const

export type Comparison = keyof typeof COMPARISONS

const NAMES = Object.keys(COMPARISONS) as Comparison[]

/** A condition as a row of the editor. */
export interface Row {
  readonly path: string
  readonly comparison: Comparison
  /** As typed; several with commas between. */
  readonly value: string
}

export function rowOf(condition: Condition): Row {
  const comparison = NAMES.find((name) => name in condition) ?? 'equals'
  const value = (condition as Record<string, unknown>)[comparison]
  const values = Array.isArray(value) ? value : [value]
  return { path: condition.path, comparison, value: values.map(String).join(', ') }
}

export function conditionOf({ path, comparison, value }: Row): Condition {
  return { path, [comparison]: valueOf(comparison, value) } as Condition
}

export function sentenceOfCondition(condition: Condition): string {
  const { path, comparison, value } = rowOf(condition)
  if (comparison === 'exists') return `${path} ${value === 'true' ? 'is there' : 'is not there'}`
  return `${path} ${COMPARISONS[comparison]} ${value}`
}

function valueOf(comparison: Comparison, text: string): unknown {
  if (comparison === 'exists') return text.trim() !== 'false'
  if (comparison === 'in') return text.split(',').map((word) => scalarOf(word.trim()))
  if (comparison === 'equals' || comparison === 'notEquals') return scalarOf(text.trim())
  return Number(text)
}

/** Numbers, true, false and null are what they look like; a text in quotes stays a text. */
function scalarOf(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  return /^"(.*)"$/.exec(text)?.[1] ?? text
}
