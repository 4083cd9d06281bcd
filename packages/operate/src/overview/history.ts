import { fromRow, type RowOf } from '../from-row.ts'
import { selectHistory } from './overview.sql.ts'
import type { Queryable } from '@posthorn/engine'

/** Longer histories are given in steps of ten minutes. */
const MOST_SINGLE_MINUTES = 180

const MOST_MINUTES = 7 * 24 * 60

/** What one stretch of time was like for an outbox. */
export interface HistoryPoint {
  /** Its beginning. */
  readonly at: Date
  /** How many of its seconds are over: of the present one not all. */
  readonly seconds: number
  readonly delivered: number
  /** Attempts that were made and did not succeed. */
  readonly failed: number
  /** Messages that were claimed and not tried. */
  readonly postponed: number
  readonly dead: number
  /** Outcomes discarded because the relay had lost its claim. */
  readonly lost: number
  /** The most that waited and was due, and the longest wait; undefined without a sample. */
  readonly waiting: number | undefined
  readonly due: number | undefined
  /** Of what waited, the most that was to be tried again. */
  readonly retrying: number | undefined
  readonly oldestDueSeconds: number | undefined
  /** Real time since the oldest that was not delivered was written. */
  readonly oldestUndeliveredSeconds: number | undefined
}

export interface History {
  readonly stretchSeconds: number
  /** By the name of the outbox, the oldest first, the present stretch last. */
  readonly outboxes: Readonly<Record<string, readonly HistoryPoint[]>>
}

/**
 * The last minutes of outboxes, up to seven days, in stretches of one minute or ten. It is made of
 * what relays wrote down once a minute and reads no transitions, so it costs the same however many
 * there are.
 */
export async function readHistory(
  db: Queryable,
  outboxes: readonly string[],
  { minutes: wanted = 60 }: { minutes?: number } = {},
): Promise<History> {
  const minutes = Math.min(Math.max(Math.trunc(wanted), 1), MOST_MINUTES)
  const stretchMinutes = minutes > MOST_SINGLE_MINUTES ? 10 : 1
  type Row = RowOf<HistoryPoint & { outbox: string }>
  const { rows } = await db.query<Row>(selectHistory({ outboxes, minutes, stretchMinutes }))
  const points = Map.groupBy(rows, ({ outbox }) => outbox)
  return {
    stretchSeconds: stretchMinutes * 60,
    outboxes: Object.fromEntries(
      outboxes.map((outbox) => [
        outbox,
        (points.get(outbox) ?? []).map(({ outbox: _outbox, ...row }) => fromRow<HistoryPoint>(row)),
      ]),
    ),
  }
}
