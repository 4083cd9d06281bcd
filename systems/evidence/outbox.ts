import {
  defineOutbox,
  fixed,
  type Change,
  type Duration,
  type Outbox,
  type Outcome,
  type Transaction,
} from '@posthorn/engine'
import { failArtifacts, insertAudits } from './rows/queries.ts'
import type { FileOutboxRow, RowState } from './rows/row.ts'

export const TRANSPORT = 'kafka'
export const TOPIC = 'evidence.requests'
/** The consumer group of the evidence worker. */
export const GROUP = 'evidence-worker'

export type Mover = 'PUBLISHER' | 'EVIDENCE_WORKER'

/** An outcome that says whose it is; the publisher's own do not. */
export type Moved = Outcome & { readonly by?: Mover }

export interface RowsOptions {
  /** Rows of one merchant that are published and without an outcome; 0 for no bound. */
  readonly perMerchant: number
  /** After this long a publisher that is not heard of is taken for gone. Default `30s`. */
  readonly lease?: Duration
}

export type RowsOutbox = Outbox<FileOutboxRow>

/** What an event says of its row; the publisher reads no more. */
const READS = ['file_job_id', 'org_id', 'case_id', 'created_at'] as const

type Published = Pick<FileOutboxRow, 'id' | 'event_id' | 'retry_count' | (typeof READS)[number]>

/** One row of a CSV on its way to the evidence worker, which confirms what became of it. */
export function rowsOutbox({ perMerchant, lease = '30s' }: RowsOptions): RowsOutbox {
  return defineOutbox<FileOutboxRow>({
    name: 'evidence.rows',
    table: 'evidence.file_outbox_row',
    states: {
      ready: 'PENDING',
      sent: 'PUBLISHED',
      confirmed: 'SUCCESS',
      retry: 'FAILED',
      dead: 'ERROR',
    },
    columns: {
      dueAt: 'next_retry_at',
      createdAt: 'created_at',
      sentAt: 'published_at',
      tenant: 'org_id',
      attemptId: 'event_id',
      error: 'error_message',
      errorCode: 'error_code',
      ref: { partition: 'kafka_partition', offset: 'kafka_offset' },
    },
    label: ['case_id'],
    counter: { column: 'retry_count', bumps: 'on-retry-claim' },
    // While one batch is on its way to Kafka, others are claimed and settled.
    claim: { batch: 100, every: '2m', lease, atOnce: 400 },
    fair: { by: 'org_id', ...(perMerchant > 0 && { atOnce: perMerchant }) },
    confirm: { within: '30m' },
    retry: fixed('6h', { attempts: 3 }),
    destination: { transport: TRANSPORT, topic: TOPIC, options: { group: GROUP } },
    reads: READS,
    message: (row: Published) => ({
      id: row.event_id ?? row.id,
      type: 'evidence.requested',
      key: row.case_id,
      tenant: row.org_id,
      occurredAt: row.created_at,
      payload: {
        eventId: row.event_id,
        fileJobId: row.file_job_id,
        rowId: row.id,
        caseId: row.case_id,
        retryCount: row.retry_count,
      },
    }),
    audit: { actor: 'PUBLISHER', settled: writeAudit },
  })
}

async function writeAudit(
  tx: Transaction,
  changes: readonly Change<FileOutboxRow>[],
): Promise<void> {
  const made = changes.map((change) => ({ id: change.row.id, moves: movesOf(change) }))
  // The last move of one row may be the same as another's: all that came before it is written first.
  await insertMoves(
    tx,
    made.flatMap(({ id, moves }) => moves.slice(0, -1).map((move) => ({ id, move }))),
  )
  await insertMoves(
    tx,
    made.flatMap(({ id, moves }) => moves.slice(-1).map((move) => ({ id, move }))),
  )
  const dead = changes.filter(({ to }) => to === 'ERROR').map(({ row }) => row.id)
  if (dead.length > 0) await failArtifacts(tx, dead)
}

interface MadeMove {
  readonly id: string
  readonly move: Move
}

/** A batch nearly always moves as one: a statement for each move, and not for each row. */
async function insertMoves(tx: Transaction, made: readonly MadeMove[]): Promise<void> {
  const groups = Map.groupBy(made, ({ move }) => Object.values(move).join(' '))
  for (const [first, ...others] of groups.values()) {
    if (first)
      await insertAudits(
        tx,
        first.move,
        [first, ...others].map(({ id }) => id),
      )
  }
}

/** What a row of `evidence.file_outbox_row_audit` says of its row. */
export interface Move {
  readonly from: RowState
  readonly to: RowState
  readonly retryCount: number
  readonly errorCode: string | null
  readonly by: Mover
}

/**
 * The moves that a change stands for. A publish that failed is none. An outcome may overtake the note
 * that its event was published, if the publisher died over it; that it was published is certain.
 */
function movesOf({ row, from, to, outcome }: Change<FileOutboxRow>): Move[] {
  const { by = 'PUBLISHER' }: Moved = outcome
  const last: Move = {
    from: from as RowState,
    to: to as RowState,
    retryCount: row.retry_count,
    errorCode: 'failure' in outcome ? outcome.failure.code : null,
    by,
  }
  if (by === 'PUBLISHER') return from === to && outcome.kind !== 'delivered' ? [] : [last]
  if (from === 'PUBLISHED') return [last]
  const published: Move = { ...last, to: 'PUBLISHED', errorCode: null, by: 'PUBLISHER' }
  return [published, { ...last, from: 'PUBLISHED' }]
}
