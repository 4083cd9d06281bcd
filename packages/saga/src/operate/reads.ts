import { PosthornError, type Queryable } from '@posthorn/engine'
import { allowedActions, directionOf, stepsAtHand, type SagaActionName } from './actions.ts'
import { unitAt, type Fork } from '../define/step.ts'
import type { SagaStatus } from '../run/instance.ts'
import { isUuid } from '../outbox/event-outbox.ts'
import { selectStanding } from './control.sql.ts'
import {
  selectActions,
  selectEvents,
  selectReplies,
  selectSaga,
  selectSagas,
  selectSteps,
  type SagaActionDetails,
  type SagaEventDetails,
  type SagaReplyDetails,
  type SagaSummary,
  type StepBranch,
  type StepDetails,
  type SagaHead,
  type Stored,
  type StoredStep,
} from './reads.sql.ts'

export interface SagaDetails extends SagaSummary {
  readonly input: object
  /** The steps that are tried, waited at or undone; several where they run side by side. */
  readonly atHand: readonly string[]
  readonly steps: readonly StepDetails[]
  readonly events: readonly SagaEventDetails[]
  readonly replies: readonly SagaReplyDetails[]
  readonly actions: readonly SagaActionDetails[]
  /** What an operator may do to it now. */
  readonly allows: readonly SagaActionName[]
}

export interface SagaListOptions {
  /** Default `newest` first. */
  readonly sort?: 'newest' | 'oldest'
  readonly name?: string
  readonly status?: SagaStatus
  readonly tenant?: string
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** From 1 to 500. Default 50. */
  readonly limit?: number
}

export interface SagaPage {
  readonly items: readonly SagaSummary[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** Sagas, newest first, a page at a time. Throws `CURSOR_INVALID` for a cursor that is none. */
export async function listSagas(db: Queryable, options: SagaListOptions = {}): Promise<SagaPage> {
  const { name, status, tenant, cursor, limit: wanted = 50, sort = 'newest' } = options
  const before = cursor === undefined ? null : fromCursor(cursor, sort)
  // No text of Postgres has a zero byte in it: nothing can match.
  if ([name, status, tenant].some((value) => value?.includes('\0'))) {
    return { items: [], nextCursor: undefined }
  }
  const limit = Math.min(Math.max(Math.trunc(wanted), 1), 500)
  const rows = await selectSagas(db, {
    name: name ?? null,
    status: status ?? null,
    tenant: tenant ?? null,
    before,
    sort,
    // One more than asked for tells whether there is another page.
    limit: limit + 1,
  })
  const items = rows.slice(0, limit).map((row) => present<SagaSummary>(row))
  const last = items.at(-1)
  return { items, nextCursor: last && rows.length > limit ? toCursor(last.id, sort) : undefined }
}

/** A saga with its steps, events and replies; undefined if there is none of that id. */
export async function getSaga(db: Queryable, id: string): Promise<SagaDetails | undefined> {
  if (!isUuid(id)) return undefined
  const head = await selectSaga(db, id)
  if (!head) return undefined
  const { forks = [], ...saga } = present<SagaHead>(head)
  const steps = await selectSteps(db, id)
  const events = await selectEvents(db, id)
  const replies = await selectReplies(db, id)
  const actions = await selectActions(db, id)
  const standing = await selectStanding(db, id)
  const atHand = standing && directionOf(standing) ? stepsAtHand(standing) : []
  const isRunning = (name: string) => saga.status === 'RUNNING' && atHand.includes(name)
  return {
    ...saga,
    step: atHand[0],
    atHand,
    steps: steps.map((row, position): StepDetails => {
      const step = present<StoredStep>(row)
      // A step that is tried for the first time has no record yet.
      const status = step.status === 'PENDING' && isRunning(step.name) ? 'RUNNING' : step.status
      return { ...step, status, branch: branchAt(forks, position) }
    }),
    events: events.map((event) => present<SagaEventDetails>(event)),
    replies,
    actions: actions.map((action) => present<SagaActionDetails>(action)),
    allows: standing ? allowedActions(standing) : [],
  }
}

function branchAt(forks: readonly Fork[], position: number): StepBranch | undefined {
  const { from, branches } = unitAt(forks, position)
  const name = branches.find((branch) => position >= branch.from && position < branch.to)?.name
  const fork = forks.findIndex(({ at }) => at === from) + 1
  return name === undefined ? undefined : { fork, name }
}

function present<Type extends object>(row: Stored<Type>): Type {
  const fields = Object.entries(row).map(([key, value]) => [key, value ?? undefined])
  return Object.fromEntries(fields) as Type
}

/** A cursor of the unusual order says so, and is none of the other. */
function toCursor(id: string, sort: 'newest' | 'oldest'): string {
  return Buffer.from(sort === 'newest' ? id : `${id} ${sort}`).toString('base64url')
}

function fromCursor(cursor: string, wanted: 'newest' | 'oldest'): string {
  const [id = '', sort = 'newest', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isUuid(id) || sort !== wanted || rest.length > 0) throw new PosthornError('CURSOR_INVALID')
  return id
}
