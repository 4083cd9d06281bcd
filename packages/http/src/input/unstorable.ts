import type { FieldError } from '../problem/problem.ts'

/** Deeper than what is written by hand, and far from what overflows a stack. */
const DEEPEST = 64
const MOST_ERRORS = 20

/** What Postgres cannot store, or no program can work with, field by field; empty if the input is valid. */
export function unstorable(value: unknown): FieldError[] {
  const errors: FieldError[] = []
  visit(value, [], errors)
  return errors
}

function visit(value: unknown, path: readonly string[], errors: FieldError[]): void {
  if (errors.length >= MOST_ERRORS) return
  if (typeof value === 'string') {
    const reason = reasonAgainst(value)
    if (reason !== undefined) errors.push({ field: nameOf(path), reason })
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) errors.push({ field: nameOf(path), reason: 'is too large' })
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= DEEPEST) {
      errors.push({ field: path[0] ?? 'body', reason: `is nested deeper than ${DEEPEST} levels` })
    } else {
      visitFields(value, path, errors)
    }
  }
}

function visitFields(value: object, path: readonly string[], errors: FieldError[]): void {
  // By their places: a list of half a million numbers is no reason to make a text for each.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && errors.length < MOST_ERRORS; i += 1) {
      if (!isHarmless(value[i])) visit(value[i], [...path, String(i)], errors)
    }
    return
  }
  for (const name of Object.keys(value)) {
    const reason = reasonAgainst(name)
    if (reason !== undefined)
      errors.push({ field: nameOf(path), reason: `has a name that ${reason}` })
    const field = (value as Record<string, unknown>)[name]
    // Most fields are harmless: the path to them is not worth an array.
    if (isHarmless(field)) continue
    visit(field, [...path, name], errors)
    if (errors.length >= MOST_ERRORS) return
  }
}

function isHarmless(value: unknown): boolean {
  if (typeof value === 'string') return reasonAgainst(value) === undefined
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null
}

function reasonAgainst(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000'
  // Half of a surrogate pair: not a character, and no JSON to Postgres.
  return text.isWellFormed() ? undefined : 'contains half a character'
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'body' : path.join('.').toWellFormed().replaceAll('\0', '')
}
