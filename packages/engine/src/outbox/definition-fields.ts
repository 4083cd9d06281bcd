import { toMs, type Duration } from '../duration.ts'
import { DefinitionError } from '../errors.ts'
import { isIdentifier } from '../enqueue/sql-tag.ts'

/** Longest table name that leaves room for `_p20260316`, `_default` and the names of indexes. */
const MAX_TABLE = 45

/** The schema and the bare name of a definition's table; throws a `DefinitionError` for a wrong one. */
export function tableField(table: string): { schema: string; name: string } {
  const [schema, name] = table.split('.')
  if (!isIdentifier(table) || schema === undefined || name === undefined) {
    const problem = 'must be a plain lower-case name with its schema, like "sagas.consumer_inbox"'
    throw new DefinitionError(table, 'table', problem)
  }
  if (name.length > MAX_TABLE) {
    throw new DefinitionError(table, 'table', `must have at most ${MAX_TABLE} characters`)
  }
  return { schema, name }
}

/** The milliseconds of a definition's duration; throws a `DefinitionError` for one that is wrong. */
export function durationField(
  table: string,
  field: string,
  range: { value: Duration; atLeast: Duration },
): number {
  let ms: number
  try {
    ms = toMs(range.value)
  } catch {
    throw new DefinitionError(table, field, `"${range.value}" is not a duration like "30s" or "6h"`)
  }
  if (ms < toMs(range.atLeast))
    throw new DefinitionError(table, field, `must be at least ${range.atLeast}`)
  return ms
}
