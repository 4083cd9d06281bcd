import type { Queryable } from '@posthorn/engine'
import { callerOf, pageOf, PageQuery } from '@posthorn/http'
import { Id } from '@posthorn/system'
import { Type, type TProperties, type TSchema } from 'typebox'
import { problem } from '../problems.ts'
import { findRun } from './runs/queries.ts'
import type { Run } from './runs/run.ts'

/*
 * What requests about reconciliation have in common.
 */

export const PATH = '/api/v1/reconciliations'
export const tags = ['reconciliation']
export const runParams = Type.Object({ id: Id })
export const RecordId = Type.String({
  pattern: '^[1-9]\\d{0,8}$',
  description: 'Line number of the record',
})
export const recordParams = Type.Object({ id: Id, recordId: RecordId })
const { limit, cursor } = PageQuery.properties
export const LinePage = { limit, cursor }
/** A list of what belongs to a run. */
export const listOf = <Item extends TSchema, Filter extends TProperties>(
  item: Item,
  filter: Filter,
) => ({
  tags,
  params: runParams,
  querystring: Type.Object({ ...LinePage, ...filter }),
  response: { 200: pageOf(item) },
})

/** Where a page ended: a line of the file. */
export const Line = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
/** Why something is done, in a person's words. */
export const Note = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'Reason, in your own words',
})
/** Sums are text: they may be larger than a number can say. */
export const Amounts = Type.Record(Type.String(), Type.String(), {
  description: 'Amount by currency, in minor units',
})

/** Whose files and payments: reconciliation is the organisation's, whichever member works on it. */
export interface Owner {
  readonly org: string
}

/** A run of an owner: another organisation's runs are not found. */
export interface RunKey extends Owner {
  readonly id: string
}

/** A request about one run. */
export type RunRequest = Parameters<typeof callerOf>[0] & {
  readonly params: { readonly id: string }
}

export function keyOf(request: RunRequest): RunKey {
  return { org: callerOf(request).org, id: request.params.id }
}

export async function ownRun(db: Queryable, request: RunRequest): Promise<Run> {
  return requireFound(await findRun(db, keyOf(request)), 'reconciliation')
}

/** What a route found, or 404. */
export function requireFound<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw problem('NOT_FOUND', { detail: `There is no such ${what}.` })
  return thing
}
