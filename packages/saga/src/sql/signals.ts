import { sql, type Transaction } from '@posthorn/engine'
import type { SagaStatus } from '../instance.ts'
import { SIGNAL_PREFIX } from '../step-builder.ts'

export interface SignalledSaga {
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
