import { addCount, type Counts } from './attempt/counts.ts'
import { factsOf, triesOf } from './settle/decide.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import type { ErrorCode } from '../errors.ts'
import type { Settlement } from './settle/settlement.ts'

/** What became of the messages since the last heartbeat. */
export interface Tally {
  delivered: number
  failed: number
  dead: number
  lost: number
  /** Deliveries by the bucket of their latency. */
  latency: Counts
  /** Attempts that failed, by their code. */
  codes: Counts
}

export function newTally(): Tally {
  return { delivered: 0, failed: 0, dead: 0, lost: 0, latency: {}, codes: {} }
}

/** How far the clocks of the database are ahead of this process's, as of the last heartbeat. */
export interface ClockOffsets {
  readonly realMs: number
  readonly businessMs: number
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

/** What a breaker only postponed was not tried: that is no failure. */
export function isPostponed({ decision }: Settlement): boolean {
  return decision.failure?.code === ('BREAKER_OPEN' satisfies ErrorCode)
}

/** Adds what became of a batch; returns what this batch alone was. */
export function countInto(
  tally: Tally,
  settlements: readonly Settlement[],
  { outbox, clocks }: { outbox: Outbox; clocks: ClockOffsets },
): Pick<Tally, 'delivered' | 'failed' | 'dead'> {
  const batch = { delivered: 0, failed: 0, dead: 0 }
  for (const settlement of settlements) {
    const { row, decision } = settlement
    if (decision.role === 'sent') {
      batch.delivered += 1
      const ms = latencyOf(outbox, row, clocks)
      if (ms !== undefined) addCount(tally.latency, String(latencyBucket(ms)))
      continue
    }
    const isDead = decision.role === 'dead' || decision.role === 'quarantined'
    if (isDead) batch.dead += 1
    else if (isPostponed(settlement)) continue
    else batch.failed += 1
    addCount(tally.codes, decision.failure?.code ?? 'UNKNOWN')
  }
  tally.delivered += batch.delivered
  tally.failed += batch.failed
  tally.dead += batch.dead
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
