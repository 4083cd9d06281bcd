import { addCount, type Counts } from './attempt/counts.ts'
import { factsOf, triesOf } from './settle/decide.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { resultOf, type Result, type Settlement } from './settle/settlement.ts'
import type { ClockOffsets } from './session/session.ts'

/** What became of the messages since the last heartbeat. */
export interface Tally {
  delivered: number
  /** Attempts that were made and did not succeed. */
  failed: number
  /** Messages that were claimed and not tried: a breaker is open, the destination is busy, a key waits. */
  postponed: number
  dead: number
  lost: number
  /** Deliveries by the bucket of their latency. */
  latency: Counts
  /** Attempts that failed, by their code. */
  codes: Counts
}

export function newTally(): Tally {
  return { delivered: 0, failed: 0, postponed: 0, dead: 0, lost: 0, latency: {}, codes: {} }
}

/**
 * Milliseconds from a message's commit to now; from when it was due, if it was scheduled and this was
 * its first attempt. Undefined where its row does not say.
 */
export function latencyOf(
  outbox: Outbox,
  row: OutboxRow,
  { realMs, businessMs }: ClockOffsets,
): number | undefined {
  const createdAt = timeOf(row, outbox.columns.createdAt)
  if (createdAt === undefined) return undefined
  const dueAt = timeOf(row, outbox.columns.dueAt)
  const now = Date.now()
  const sinceDue = dueAt === undefined ? undefined : now + businessMs - dueAt
  const since = now + realMs - createdAt
  const isFirst = triesOf(outbox, factsOf(outbox, row)) === 1
  // Some tables keep the business clock in both columns.
  const wait = isFirst && sinceDue !== undefined && sinceDue < since ? sinceDue : since
  return Math.max(wait, 0)
}

function timeOf(row: OutboxRow, column: string | undefined): number | undefined {
  const value = column === undefined ? undefined : row[column]
  return value instanceof Date ? value.getTime() : undefined
}

/** Adds what became of a batch; returns what this batch alone was. */
export function countInto(
  tally: Tally,
  settlements: readonly Settlement[],
  { outbox, clocks }: { outbox: Outbox; clocks: ClockOffsets },
): Pick<Tally, Result> {
  const batch = { delivered: 0, failed: 0, postponed: 0, dead: 0 }
  for (const settlement of settlements) {
    const { row, decision } = settlement
    const result = resultOf(settlement)
    batch[result] += 1
    tally[result] += 1
    if (result === 'delivered') {
      const ms = latencyOf(outbox, row, clocks)
      if (ms !== undefined) addCount(tally.latency, String(latencyBucket(ms)))
    } else if (result !== 'postponed') addCount(tally.codes, decision.failure?.code ?? 'UNKNOWN')
  }
  return batch
}

/** A bucket for every factor of √2: bucket n ends at 2^(n/2) milliseconds, the last one has no end. */
const LAST_BUCKET = 60

export function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.min(Math.ceil(2 * Math.log2(ms)), LAST_BUCKET)
}

/**
 * The latency that a part (from 0 to 1) of the deliveries did not exceed, taken to be even within its
 * bucket; undefined without a delivery.
 */
export function percentile(
  counts: Readonly<Record<string, number>>,
  part: number,
): number | undefined {
  const buckets = Object.entries(counts)
    .map(([bucket, n]) => ({ bucket: Number(bucket), n }))
    .toSorted((one, other) => one.bucket - other.bucket)
  const wanted = part * buckets.reduce((total, { n }) => total + n, 0)
  let passed = 0
  for (const { bucket, n } of buckets) {
    if (passed + n >= wanted) {
      const from = bucket === 0 ? 0 : 2 ** ((bucket - 1) / 2)
      return from + (2 ** (bucket / 2) - from) * ((wanted - passed) / n)
    }
    passed += n
  }
  return undefined
}
