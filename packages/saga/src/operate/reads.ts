import { PosthornError, type Failure, type Queryable } from '@posthorn/engine'
import {
  allowedActions,
  directionOf,
  restartSteps,
  stepsAtHand,
  type SagaActionName,
} from './actions.ts'
import { unitAt, type Fork } from './fork.ts'
import type { SagaStatus, StepStatus } from './instance.ts'
import { selectStanding } from './sql/control.ts'
import {
  selectActions,
  selectEvents,
  selectReplies,
  selectSaga,
  selectSagas,
  selectSteps,
  type SagaHead,
  type Stored,
  type StoredStep,
} from './sql/reads.ts'

export interface SagaSummary {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly tenant: string | undefined
  readonly status: SagaStatus
  /** The step that is tried, waited at or undone; undefined once it is over. */
  readonly step: string | undefined
  /** Where it goes, or went when it failed; undefined once it is over. */
  readonly direction: 'forward' | 'back' | undefined
  /** The events it waits for. */
  readonly waitsFor: readonly string[]
  /** When it goes on by itself, by the business clock. */
  readonly dueAt: Date | undefined
  readonly cancelledAt: Date | undefined
  /** By the business clock: if it still runs then, it compensates. */
  readonly deadlineAt: Date | undefined
  readonly error: Failure | undefined
  /** Why no process has taken it that looked at it: none of them knows its definition. */
  readonly held: Failure | undefined
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly finishedAt: Date | undefined
}

export interface StepDetails {
  readonly name: string
  /** Undefined for a step that no other runs beside. */
  readonly branch: StepBranch | undefined
  /** `PENDING`: not begun; `RUNNING`: may be under way for the first time; `SKIPPED`: its condition did not hold. */
  readonly status: StepStatus | 'PENDING'
  readonly output: object | undefined
  /** What an operator passed over: its action, or what undoes it. */
  readonly skipped: 'action' | 'compensation' | undefined
  readonly attempts: number
  readonly undoAttempts: number
  /** Until when it waits, for its time, its reply or its next attempt, by the business clock. */
  readonly dueAt: Date | undefined
  /** Nothing came in time, and it does what it does otherwise. */
  readonly timedOut: boolean
  readonly error: Failure | undefined
  /** Real time: when it was first tried or began to wait, when its action ended, when it was first undone. */
  readonly startedAt: Date | undefined
  readonly endedAt: Date | undefined
  readonly undoStartedAt: Date | undefined
  readonly updatedAt: Date | undefined
  readonly undoneAt: Date | undefined
}

export interface StepBranch {
  /** Which of the saga's forks, from 1 on. */
  readonly fork: number
  readonly name: string
}

export interface SagaEventDetails {
  readonly id: string
  readonly step: string
  readonly type: string
  readonly topic: string
  readonly payload: unknown
  readonly status: string
  readonly createdAt: Date
  readonly sentAt: Date | undefined
}

export interface SagaReplyDetails {
  readonly id: string
  /** `signal`: sent by `signalSaga`, with its name as the type. */
  readonly kind: 'reply' | 'signal'
  readonly type: string
  readonly payload: unknown
  /** `KEPT` until a step uses it, `IGNORED` if the saga had ended before. */
  readonly status: 'KEPT' | 'USED' | 'IGNORED'
  readonly receivedAt: Date
}

/** What an operator did to a saga. */
export interface SagaActionDetails {
  readonly action: SagaActionName
  /** The step that it was about. */
  readonly step: string | undefined
  /** The saga's status before. */
  readonly was: SagaStatus
  readonly by: string
  readonly reason: string | undefined
  readonly at: Date
}

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
  /** The steps that it can be restarted from. */
  readonly restartsFrom: readonly string[]
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
    restartsFrom: standing ? restartSteps(standing) : [],
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

export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
}
