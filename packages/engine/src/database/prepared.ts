import { createHash } from 'node:crypto'
import type { Statement } from './sql-tag.ts'

/** A statement made once from a definition; its values are given by name at each run. */
export interface Prepared {
  readonly name: string
  readonly text: string
  readonly params: readonly string[]
}

/**
 * Builds a statement: `p('ids')` writes the parameter's number. The prepared statement is named by
 * its text, so that two definitions can never meet under one name on one connection.
 */
export function prepare(build: (p: (param: string) => string) => string): Prepared {
  const params: string[] = []
  const text = build((param) => {
    if (!params.includes(param)) params.push(param)
    return `$${params.indexOf(param) + 1}`
  })
  const name = `posthorn_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return { name, text, params }
}

/** The statement with its values. A missing one is a mistake of ours, not a null. */
export function bind(prepared: Prepared, args: Readonly<Record<string, unknown>>): Statement {
  const values = prepared.params.map((param) => {
    if (!(param in args)) throw new TypeError(`parameter ${param} is missing`)
    return args[param]
  })
  const { name, text } = prepared
  return name === '' ? { text, values } : { name, text, values }
}

/**
 * A list that the planner cannot look into. A plan made for a thousand ids would rather read a table
 * of some ten thousand rows whole, and join what it found by comparing each with each; the plan for a
 * list of unknown length looks every id up in the index.
 */
export function opaqueArray(param: string, type: string): string {
  return `(select ${param}::${type}[])::${type}[]`
}

/**
 * Always true; its transaction's commit then does not wait for the disk. For notes that a crash of
 * Postgres itself may lose: a lease that is gone only means that another relay may claim, and the
 * former holder's fence no longer fits. In a sub-select, so that it is evaluated once.
 */
export const ASYNC_COMMIT = `(select set_config('synchronous_commit', 'off', true)) = 'off'`
