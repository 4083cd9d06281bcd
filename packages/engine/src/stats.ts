import type { State } from './definition.ts'
import { run } from './session.ts'
import type { StatsRow } from './sql/stats.ts'
import { finishedStates, selectStats } from './sql/stats.ts'
import type { Shape } from './statements.ts'
import type { Queryable } from './transaction.ts'

/** How an outbox is doing at this moment. */
export interface OutboxStats {
  readonly name: string
  /** Every word its table has for a state. */
  readonly states: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /** The table is large: what waits, is claimed or dead is counted, what is finished is estimated. */
  readonly approximate: boolean
  /** How long the message that waits longest has been due, by the business clock; 0 if none is. */
  readonly oldestDueSeconds: number
  /** Messages delivered in the last 60 s, by the second. */
  readonly perSecond: number
  /** Which part of the attempts of the last 60 s failed, from 0 to 1; 0 if there were none. */
  readonly failureRate: number
  /** Relays heard of in the last 15 s. */
  readonly relays: number
  readonly paused: boolean
  /** Keys that wait behind a failed message until it is due again. */
  readonly heldKeys: number
  /** Keys that wait behind a dead message until an operator acts. */
  readonly blockedKeys: number
  /** Messages that were set aside, in an outbox that never gives up; they count in their state too. */
  readonly quarantined: number
}

/** Reads all of it by one statement that stays cheap with millions of finished rows. */
export async function outboxStats(db: Queryable, outbox: Shape): Promise<OutboxStats> {
  const [row] = await run<StatsRow>(db, { ...selectStats(outbox), name: '' }, {})
  if (!row) throw new TypeError('the statement has one row')
  const attempts = row.delivered + row.failed
  return {
    name: outbox.name,
    states: statesOf(outbox).map(String),
    counts: countsOf(outbox, row),
    approximate: row.finished === null,
    oldestDueSeconds: row.oldest_due,
    perSecond: row.delivered / 60,
    failureRate: attempts === 0 ? 0 : row.failed / attempts,
    relays: row.relays,
    paused: row.paused,
    heldKeys: row.held_keys,
    blockedKeys: row.blocked_keys,
    quarantined: sum(Object.values(row.quarantined ?? {})),
  }
}

function statesOf({ states }: Shape): State[] {
  const { ready, claimed, retry, failing, sent, confirmed, dead, cancelled } = states
  const words = [ready, claimed, retry, failing, sent, confirmed, dead, cancelled]
  return [...new Set(words.filter((word) => word !== undefined))]
}

/** A count for every word. */
function countsOf(outbox: Shape, row: StatsRow): Record<string, number> {
  const { live, quarantined } = row
  const finished = row.finished ?? estimated(outbox, row)
  const countOf = (word: string) =>
    (live[word] ?? 0) + (quarantined?.[word] ?? 0) + (finished[word] ?? 0)
  return Object.fromEntries(statesOf(outbox).map((word) => [String(word), countOf(String(word))]))
}

/**
 * What is finished in a table too large to count: the last state has what the others leave over,
 * and those have the part of the table that ANALYZE saw.
 */
function estimated(outbox: Shape, { rows, live, shares }: StatsRow): Record<string, number> {
  const last = String(outbox.states.confirmed ?? outbox.states.sent)
  const counts = Object.fromEntries(
    finishedStates(outbox)
      .map(String)
      .filter((word) => word !== last)
      .map((word) => [word, Math.round((shares?.[word] ?? 0) * rows)]),
  )
  const others = sum(Object.values(live)) + sum(Object.values(counts))
  return { ...counts, [last]: Math.max(0, Math.round(rows) - others) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
