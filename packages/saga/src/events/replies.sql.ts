import { sql, type Transaction } from '@posthorn/engine'
import { inboxId } from '@posthorn/engine/internal'
import type { Reply } from '../define/step.ts'
import { endOvertaken } from '../outbox/turns.sql.ts'
import type { SagaStatus } from '../run/instance.ts'
import { SIGNAL_PREFIX } from '../define/saga.ts'

/** What became of a reply. */
export type ReplyOutcome = 'woke' | 'kept' | 'ignored'

/**
 * Keeps a reply for its saga, and wakes the saga if that is what it waits for; one that failed finds it
 * when an operator resumes it. The saga is locked
 * first: an orchestrator that decides now that it must wait finds one reply more than it has seen.
 */
export async function keepReply(
  tx: Transaction,
  sagaId: string,
  reply: Reply,
): Promise<ReplyOutcome> {
  const { rows } = await tx.query<{ outcome: ReplyOutcome }>(sql`
    with found as (
      select id, coalesce(asleep and status = 'RUNNING' and ${reply.type} = any(waits_for), false) as wakes
        from sagas.saga
       where id = ${sagaId} and status in ('RUNNING', 'COMPENSATING', 'FAILED')
         for update
    ), stored as (
      insert into sagas.saga_reply (saga_id, event_id, event_type, payload, headers, status)
      select ${sagaId}::uuid, ${inboxId(reply.id)}, ${reply.type}, ${JSON.stringify(reply.payload ?? null)}::jsonb,
             ${JSON.stringify(reply.headers)}::jsonb,
             case when exists (select from found) then 'KEPT' else 'IGNORED' end
      -- Two consumers may bring the same event: it is one reply, and wakes once.
      on conflict (saga_id, event_id) do nothing
      returning saga_id
    ), changed as (
      update sagas.saga as s
         set replies = s.replies + 1,
             turn = s.turn + found.wakes::integer,
             asleep = s.asleep and not found.wakes
        from found, stored
       where s.id = found.id
      returning s.id, s.turn, found.wakes
    ), turned as (
      insert into sagas.saga_turn (id, saga_id, turn)
      select id || '/' || turn, id, turn from changed where wakes
    ), overtaken as (${endOvertaken})
    select case when wakes then 'woke' else 'kept' end as outcome from changed`)
  return rows[0]?.outcome ?? 'ignored'
}

interface SignalledSaga {
  readonly name: string
  readonly version: number
  readonly status: SagaStatus
  /** Whether the signal is there already. */
  readonly isKnown: boolean
  /** How many signals wait for the saga. */
  readonly kept: number
}

/** Locks the saga of a signal first: of two that come at once, the second sees the first. */
export async function lockForSignal(
  tx: Transaction,
  { sagaId, id }: { sagaId: string; id: string },
): Promise<SignalledSaga | undefined> {
  await tx.query(sql`select from sagas.saga where id = ${sagaId} for update`)
  const { rows } = await tx.query<SignalledSaga>(sql`
    select s.name, s.version, s.status,
           exists (select from sagas.saga_reply as r
                    where r.saga_id = s.id and r.event_id = ${id}) as "isKnown",
           (select count(*)::integer from sagas.saga_reply as r
             where r.saga_id = s.id and r.status = 'KEPT'
               and starts_with(r.event_type, ${SIGNAL_PREFIX})) as kept
      from sagas.saga as s
     where s.id = ${sagaId}`)
  return rows[0]
}
