import type { State } from '../outbox/definition.ts'
import { run } from '../database/pool-handle.ts'
import {
  MOST_COUNTED,
  SMALL_TABLE,
  finishedStates,
  selectLive,
  selectStats,
  type LiveCount,
  type StatsRow,
} from './stats.sql.ts'
import { selectLogStats, type LogStatsRow } from '../relay/log/log-view.sql.ts'
import { type CheckedDefinition, inSql } from '../outbox/resolved-definition.ts'
import type { Queryable } from '../database/transaction.ts'
import type { OpenBreaker } from '../relay/attempt/breaker.ts'

/** How an outbox is doing at this moment. */
export interface OutboxStats {
  readonly name: string
  /** Every word its table has for a state. */
  readonly states: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /**
   * The table is large: what is finished is estimated, and what waits, is claimed or dead is counted
   * up to 5,000 by each of its indexes and estimated beyond.
   */
  readonly approximate: boolean
  /** Messages that wait and are due by the business clock, behind others of their key or not. */
  readonly due: number
  /** Messages that wait for their next attempt after one that failed. */
  readonly retrying: number
  /** Messages that were claimed and not tried: a breaker is open, the destination is busy, a limit is used up. */
  readonly postponed: number
  /** Messages that are for later and were not claimed yet. */
  readonly scheduled: number
  /** How long the message that waits longest has been due, by the business clock; 0 if none is. */
  readonly oldestDueSeconds: number
  /**
   * Real time since the oldest message was written that is due, tried or claimed and not delivered;
   * 0 if there is none. In an outage it grows while all messages wait for their next attempt.
   */
  readonly oldestUndeliveredSeconds: number
  /** Since when the one that has been dead longest is; undefined if none is dead. */
  readonly deadSince: Date | undefined
  /** Messages delivered in the last 60 s, by the second. */
  readonly perSecond: number
  /** Attempts in the last 60 s, delivered or not, by the second. */
  readonly attemptsPerSecond: number
  /** Which part of the attempts of the last 60 s failed, from 0 to 1; 0 if there were none. */
  readonly failureRate: number
  /** Relays heard of in the last 15 s. */
  readonly relays: number
  readonly alive: readonly AliveRelay[]
  readonly paused: boolean
  /** Since when messages are due and none is claimed; undefined if the outbox moves. */
  readonly stalledSince: Date | undefined
  /** Keys that wait behind a failed message until it is due again. */
  readonly heldKeys: number
  /** Keys that wait behind a dead message until an operator acts. */
  readonly blockedKeys: number
  /** Messages that were set aside, in an outbox that never gives up; they count in their state too. */
  readonly quarantined: number
}

/** A relay of an outbox, and how fast it works on it, as of its last heartbeat. */
export interface AliveRelay {
  readonly name: string
  /** What is deployed, if the relay was told. */
  readonly version: string | undefined
  readonly startedAt: Date
  readonly seenAt: Date
  /** Destinations that it does not try at the moment. */
  readonly breakers: readonly OpenBreaker[]
  /** Messages settled in the last minute. */
  readonly settledPerMinute: number
  /** Messages claimed and not settled. */
  readonly inFlight: number
  /** 95 % of the last minute's claims took no longer; undefined without a claim that found messages. */
  readonly claimMs: number | undefined
  /** The same of what writes outcomes. */
  readonly settleMs: number | undefined
  /** The longest that its event loop was blocked in the last minute. */
  readonly lagMs: number
}

/** Reads all of it by one statement that stays cheap with millions of finished rows. */
export async function outboxStats(db: Queryable, outbox: CheckedDefinition): Promise<OutboxStats> {
  const [row] = await run<StatsRow>(db, { ...selectStats(inSql(outbox)), name: '' }, {})
  if (!row) throw new TypeError('the statement returned no row')
  const live = await liveOf(db, outbox, row)
  const log = outbox.log === undefined ? undefined : await logOf(db, outbox)
  const attempts = row.delivered + row.failed
  return {
    name: outbox.name,
    states: statesOf(outbox).map(String),
    counts: addCounts(countsOf(outbox, row, live.counts), log?.counts),
    approximate: row.finished === null || log?.approximate === true,
    due: live.due + (log?.due ?? 0),
    retrying: live.retrying,
    postponed: live.postponed,
    scheduled: live.scheduled + (log?.scheduled ?? 0),
    oldestDueSeconds: Math.max(row.oldest_due, log?.oldestDueSeconds ?? 0),
    // A table that keeps no time of writing has the time since it was due, and so has the log.
    oldestUndeliveredSeconds: Math.max(live.oldest ?? row.oldest_due, log?.oldestDueSeconds ?? 0),
    deadSince: row.dead_since ?? undefined,
    perSecond: row.delivered / 60,
    attemptsPerSecond: attempts / 60,
    failureRate: attempts === 0 ? 0 : row.failed / attempts,
    relays: row.alive.length,
    alive: row.alive.map(({ relay, version, pace, ...each }) => ({
      name: relay,
      version: version ?? undefined,
      startedAt: new Date(each.started_at),
      seenAt: new Date(each.seen_at),
      breakers: each.breakers,
      settledPerMinute: pace.settled ?? 0,
      inFlight: pace.inFlight ?? 0,
      claimMs: pace.claimMs,
      settleMs: pace.settleMs,
      lagMs: each.lag_ms,
    })),
    paused: row.paused,
    stalledSince: row.stalled_since ?? undefined,
    heldKeys: row.held_keys,
    blockedKeys: row.blocked_keys,
    quarantined: sum(Object.values(row.quarantined ?? {})),
  }
}

/** What the log adds: what waits in it, and the rest, which has gone by. */
async function logOf(db: Queryable, outbox: CheckedDefinition) {
  const text = selectLogStats(inSql(outbox), SMALL_TABLE)
  const { rows } = await db.query<LogStatsRow>({ text, values: [] })
  const [row] = rows
  if (!row) throw new TypeError('the statement returned no row')
  const waiting = row.is_cut ? Math.max(row.waiting, Math.round(row.distance)) : row.waiting
  const due = row.waiting === 0 ? 0 : Math.round((row.due / row.waiting) * waiting)
  const { ready, sent } = outbox.states
  return {
    counts: {
      [String(ready)]: waiting,
      [String(sent)]: Math.max(0, Math.round(row.rows) - waiting),
    } as Record<string, number>,
    approximate: row.is_cut || row.is_estimate,
    due,
    scheduled: Math.max(0, waiting - due),
    oldestDueSeconds: row.oldest_due,
  }
}

function addCounts(counts: Record<string, number>, more: Record<string, number> = {}) {
  return Object.fromEntries(
    Object.entries(counts).map(([state, n]) => [state, n + (more[state] ?? 0)]),
  )
}

interface Live {
  readonly counts: Record<string, number>
  readonly due: number
  readonly retrying: number
  readonly postponed: number
  readonly scheduled: number
  readonly oldest: number | undefined
}

/** What the indexes find; where they find too much, the whole of a small table, or an estimate. */
async function liveOf(db: Queryable, outbox: CheckedDefinition, row: StatsRow): Promise<Live> {
  const groups = [...Map.groupBy(row.live, ({ index, waits }) => (waits ? '' : index)).values()]
  if (row.finished !== null && groups.some(isCut)) {
    return addUp(await run<LiveCount>(db, { ...selectLive(inSql(outbox)), name: '' }, {}))
  }
  return addUp(groups.flatMap((group) => (isCut(group) ? extrapolate(row, group) : group)))
}

/** Whether one of the indexes had more than was looked at. */
function isCut(group: readonly LiveCount[]): boolean {
  const found = Map.groupBy(group, ({ index }) => index)
  return [...found.values()].some((each) => sum(each.map(({ n }) => n)) > MOST_COUNTED)
}

/** The part that was counted stands for the whole, whose size is known from elsewhere. */
function extrapolate(row: StatsRow, group: readonly LiveCount[]): LiveCount[] {
  const seen = sum(group.map(({ n }) => n))
  const indexes = new Set(group.map(({ index }) => index))
  const indexed = sum([...indexes].map((index) => row.indexed[index] ?? 0))
  const whole = (group[0]?.waits ? row.sampled : null) ?? indexed
  const factor = Math.max(whole / seen, 1)
  return group.map((each) => ({
    ...each,
    n: Math.round(each.n * factor),
    due: Math.round(each.due * factor),
    retrying: Math.round(each.retrying * factor),
    postponed: Math.round(each.postponed * factor),
  }))
}

function addUp(found: readonly LiveCount[]): Live {
  const counts: Record<string, number> = {}
  for (const { state, n } of found) counts[state] = (counts[state] ?? 0) + n
  const due = sum(found.map((each) => each.due))
  const retrying = sum(found.map((each) => each.retrying))
  const postponed = sum(found.map((each) => each.postponed))
  const waiting = sum(found.filter(({ waits }) => waits).map(({ n }) => n))
  const ages = found.flatMap(({ oldest }) => oldest ?? [])
  return {
    counts,
    due,
    retrying,
    postponed,
    scheduled: Math.max(0, waiting - due - retrying - postponed),
    oldest: ages.length === 0 ? undefined : Math.max(0, ...ages),
  }
}

function statesOf({ states, attempting }: CheckedDefinition): State[] {
  const { ready, claimed, retry, failing, sent, confirmed, dead, cancelled } = states
  const words = [ready, claimed, attempting, retry, failing, sent, confirmed, dead, cancelled]
  return [...new Set(words.filter((word) => word !== undefined))]
}

/** A count for every word. */
function countsOf(
  outbox: CheckedDefinition,
  row: StatsRow,
  live: Live['counts'],
): Record<string, number> {
  const { quarantined } = row
  const finished = row.finished ?? estimate(outbox, row, live)
  const countOf = (word: string) =>
    (live[word] ?? 0) + (quarantined?.[word] ?? 0) + (finished[word] ?? 0)
  return Object.fromEntries(statesOf(outbox).map((word) => [String(word), countOf(String(word))]))
}

/**
 * What is finished in a table too large to count: the last state has what the others leave over,
 * and those have the part of the table that ANALYZE saw.
 */
function estimate(
  outbox: CheckedDefinition,
  { rows, shares }: StatsRow,
  live: Live['counts'],
): Record<string, number> {
  const last = String(outbox.states.confirmed ?? outbox.states.sent)
  const counts = Object.fromEntries(
    finishedStates(inSql(outbox))
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
