import { createHash } from 'node:crypto'
import type { State } from '../outbox/definition.ts'
import type { Statement } from '../enqueue/sql-tag.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'

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

/** A state as it stands in SQL text: the planner sees it, so the partial index is used. */
export function literal(state: State): string {
  return typeof state === 'number' ? String(state) : `'${state}'`
}

/**
 * Always true; its transaction's commit then does not wait for the disk. For notes that a crash of
 * Postgres itself may lose: a lease that is gone only means that another relay may claim, and the
 * former holder's fence no longer fits. In a sub-select, so that it is evaluated once.
 */
export const ASYNC_COMMIT = `(select set_config('synchronous_commit', 'off', true)) = 'off'`

/** Whose message it is, to be returned beside its id; nothing where the table does not say. */
export function tenantOf({ columns }: ResolvedDefinition): string {
  return columns.tenant ? `, m.${columns.tenant}::text as tenant` : ''
}

/** Its column in the engine's own tables, in a list of columns. */
export function tenantColumn({ columns }: ResolvedDefinition): string {
  return columns.tenant ? ', tenant' : ''
}

/** `status = 0`, or `status in ('pending', 'failed')`. */
export function anyOf(column: string, states: readonly State[]): string {
  const words = [...new Set(states)].map(literal)
  return words.length === 1 ? `${column} = ${words[0]}` : `${column} in (${words.join(', ')})`
}
