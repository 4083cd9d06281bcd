import type { SagaStatus, StepStatus } from '../run/instance.ts'
import type { SagaActionName } from './actions.ts'
import { sql, type Failure, type Queryable } from '@posthorn/engine'
import { directionOf } from '@posthorn/engine/internal'
import type { Fork } from '../define/step.ts'
import { SIGNAL_PREFIX } from '../define/saga.ts'

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
  /** `signal`: sent by `signal`, with its name as the type. */
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

/** What a row says with null, the API leaves out. */
export type Stored<Type> = {
  [Key in keyof Type]: undefined extends Type[Key]
    ? Exclude<Type[Key], undefined> | null
    : Type[Key]
}

const SUMMARY = sql`
  s.id, s.name, s.version, s.tenant, s.status,
  case when s.finished_at is null or s.status = 'FAILED' then s.step_names[s.position + 1] end as step,
  case case when s.status = 'FAILED' then s.resumes_as else s.status end
       when 'RUNNING' then 'forward' when 'COMPENSATING' then 'back' end as direction,
  case when s.asleep and s.waits_for is not null then s.waits_for else '{}' end as "waitsFor",
  case when s.asleep then s.due_at end as "dueAt",
  s.cancelled_at as "cancelledAt", s.deadline_at as "deadlineAt",
  case when s.error_code is not null
       then json_build_object('code', s.error_code, 'message', coalesce(s.error, s.error_code)) end as error,
  case when s.held_code is not null
       then json_build_object('code', s.held_code, 'message', s.held_error) end as held,
  s.created_at as "createdAt", s.updated_at as "updatedAt", s.finished_at as "finishedAt"`

export interface SagaListing {
  readonly name: string | null
  readonly status: string | null
  readonly tenant: string | null
  /** The id behind which the page begins, in the order of `sort`. */
  readonly before: string | null
  readonly sort: 'newest' | 'oldest'
  readonly limit: number
}

/** Newest first: ids are UUIDv7. */
export async function selectSagas(
  db: Queryable,
  { name, status, tenant, before, sort, limit }: SagaListing,
): Promise<Stored<SagaSummary>[]> {
  const { beyond, order } = directionOf(sort === 'newest' ? '-id' : 'id')
  const { rows } = await db.query<Stored<SagaSummary>>(sql`
    select ${SUMMARY}
      from sagas.saga as s
     where (${name}::text is null or s.name = ${name})
       and (${status}::text is null or s.status = ${status})
       and (${tenant}::text is null or s.tenant = ${tenant})
       and (${before}::uuid is null or s.id ${beyond} ${before}::uuid)
     order by s.id ${order}
     limit ${limit}`)
  return rows
}

export type SagaHead = SagaSummary & {
  readonly input: object
  readonly forks: readonly Fork[] | undefined
}

/** A step without what follows from the saga's forks. */
export type StoredStep = Omit<StepDetails, 'branch'>

export async function selectSaga(db: Queryable, id: string): Promise<Stored<SagaHead> | undefined> {
  const { rows } = await db.query<Stored<SagaHead>>(sql`
    select ${SUMMARY}, s.input, s.forks from sagas.saga as s where s.id = ${id}`)
  return rows[0]
}

/** Every step of the saga, also those that have not begun. */
export async function selectSteps(db: Queryable, id: string): Promise<Stored<StoredStep>[]> {
  const { rows } = await db.query<Stored<StoredStep>>(sql`
    select step.name, t.output, t.skipped, t.updated_at as "updatedAt", t.undone_at as "undoneAt",
           coalesce(t.attempts, 0) as attempts, coalesce(t.undo_attempts, 0) as "undoAttempts",
           coalesce(t.status, 'PENDING') as status,
           case when t.status in ('WAITING', 'RETRYING', 'UNDOING') then t.due_at end as "dueAt",
           coalesce(t.timed_out, false) as "timedOut",
           t.started_at as "startedAt", t.ended_at as "endedAt", t.undo_started_at as "undoStartedAt",
           case when t.error_code is not null
                then json_build_object('code', t.error_code, 'message', coalesce(t.error, t.error_code)) end as error
      from sagas.saga as s
     cross join unnest(s.step_names) with ordinality as step (name, n)
      left join sagas.saga_step as t on t.saga_id = s.id and t.position = step.n - 1
     where s.id = ${id}
     order by step.n`)
  return rows
}

/** Also those that were archived: a saga has its events for as long as it is kept itself. */
export async function selectEvents(db: Queryable, id: string): Promise<Stored<SagaEventDetails>[]> {
  const { rows } = await db.query<Stored<SagaEventDetails>>(sql`
    select id, step, event_type as type, topic, payload, status,
           created_at as "createdAt", sent_at as "sentAt"
      from (select id, seq, step, event_type, topic, payload, status, created_at, sent_at
              from sagas.saga_outbox
             where saga_id = ${id}
             union all
            select e.id, e.seq, e.step, e.event_type, e.topic, e.payload, e.status, e.created_at,
                   e.sent_at
              from posthorn.archive as a
             cross join jsonb_to_record(a.row_data)
                     as e (id uuid, seq bigint, step text, event_type text, topic text,
                           payload jsonb, status text, created_at timestamptz, sent_at timestamptz)
             where a.outbox = 'sagas.events' and a.row_data ->> 'saga_id' = ${id}::text) as event
     order by seq`)
  return rows
}

export async function selectReplies(db: Queryable, id: string): Promise<SagaReplyDetails[]> {
  const { rows } = await db.query<SagaReplyDetails>(sql`
    select event_id as id, payload, status, received_at as "receivedAt",
           case when starts_with(event_type, ${SIGNAL_PREFIX}) then 'signal' else 'reply' end as kind,
           case when starts_with(event_type, ${SIGNAL_PREFIX})
                then substr(event_type, length(${SIGNAL_PREFIX}) + 1) else event_type end as type
      from sagas.saga_reply where saga_id = ${id} order by received_at, event_id`)
  return rows
}

/** What operators did to it, first one first. */
export async function selectActions(
  db: Queryable,
  id: string,
): Promise<Stored<SagaActionDetails>[]> {
  const { rows } = await db.query<Stored<SagaActionDetails>>(sql`
    select action, step, was, actor as by, reason, at
      from sagas.saga_action as a where a.saga_id = ${id} order by a.id`)
  return rows
}
