import {
  defineOutbox,
  exponential,
  type Change,
  type Outbox,
  type Transaction,
} from '@posthorn/engine'
import { raiseAlert } from '@posthorn/operate'
import { SAGA_CODES, type SagaCode } from '../errors.ts'
import { failTurns } from './turns.sql.ts'

/** A row of `sagas.saga_turn`: it is this saga's turn to run, from now or from a time on. */
export interface TurnRow {
  id: string
  saga_id: string
  turn: number
  status: string
  attempts: number
  due_at: Date
  lost_claims: number
  error: string | null
  error_code: string | null
  finished_at: Date | null
  created_at: Date
}

/** What a turn says to the orchestrator. */
export interface Turn {
  readonly sagaId: string
  readonly turn: number
  /** Another attempt began this turn and did not end it: its first step may have taken effect. */
  readonly again: boolean
}

/**
 * The outbox of turns. To run a saga is to deliver its turn: claims, leases, lost claims, wake-ups,
 * pause and statistics are those of every outbox. The turn is over when the saga waits or has
 * ended; a turn that is delivered twice finds that its number is no longer the saga's.
 */
export const sagaTurns: Outbox<TurnRow> = defineOutbox<TurnRow>({
  name: 'sagas.turns',
  table: 'sagas.saga_turn',
  states: { ready: 'READY', sent: 'DONE', dead: 'DEAD' },
  columns: {
    idType: 'text',
    dueAt: 'due_at',
    createdAt: 'created_at',
    finishedAt: 'finished_at',
    error: 'error',
    errorCode: 'error_code',
  },
  label: ['saga_id'],
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 100, unheard: '1s', lease: '30s', atOnce: 400 },
  // Counted is only what the database failed us in: the steps' own policies are the sagas' end.
  retry: exponential('100ms', { attempts: 1_000_000, max: '30s' }),
  retention: { after: '1h', archive: '0d' },
  destination: { transport: 'sagas', topic: 'turns' },
  message: (row) => ({
    id: row.id,
    type: 'saga.turn',
    payload: {
      sagaId: row.saga_id,
      turn: row.turn,
      again: row.lost_claims > 0 || row.attempts > 0,
    } satisfies Turn,
  }),
  audit: { record: 'failures', actor: 'ORCHESTRATOR', settled: endFatalSagas },
})

/** A turn is dead when it killed its orchestrator again and again: so is its saga, for a person to look at. */
async function endFatalSagas(tx: Transaction, changes: readonly Change<TurnRow>[]): Promise<void> {
  const dead = changes.filter(({ to }) => to === 'DEAD').map(({ row }) => row)
  if (dead.length === 0) return
  for (const { id, tenant } of await failTurns(tx, dead)) {
    await raiseAlert(tx, {
      source: 'sagas',
      subject: id,
      ...(tenant !== null && { tenant }),
      code: 'SAGA_FATAL' satisfies SagaCode,
      detail: SAGA_CODES.SAGA_FATAL,
    })
  }
}
