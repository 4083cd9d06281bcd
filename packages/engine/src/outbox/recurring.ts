import { Cron } from 'croner'
import { toMs, type Duration } from '../duration.ts'

/** One time at which a recurring message is due. */
export interface Occurrence {
  /** As the definition calls it. */
  readonly name: string
  /** The time it was due, by the business clock: not the time at which it was enqueued. */
  readonly at: Date
}

/** When a message recurs: by the calendar of a time zone, or after equal lengths of time. */
export type RecurringRule =
  | {
      /** Five fields, or six with seconds in front: `0 6 * * MON-FRI`. */
      readonly cron: string
      /** Whose clocks the fields are read by, e.g. `Europe/Zurich`. Default `UTC`. */
      readonly timeZone?: string
      readonly every?: never
    }
  | {
      /** Counted from 1970, in UTC: `1h` is every full hour. At least a second. */
      readonly every: Duration
      readonly cron?: never
      readonly timeZone?: never
    }

/** A message that an outbox gives itself again and again, once for each time across all relays. */
export type Recurring<Row, New = Partial<Row>> = RecurringRule & {
  /**
   * What becomes of the times at which no relay ran: `latest` (default) makes up for the last of them,
   * `all` for each, `skip` for none that is more than a minute ago.
   */
  readonly missed?: 'latest' | 'all' | 'skip'
  /** The row to enqueue. Runs in the transaction that moves the schedule on. */
  message(occurrence: Occurrence): New | Promise<New>
}

/** How late an occurrence may be before `skip` leaves it out: clocks and restarts take a moment. */
const SKIPPED_AFTER_MS = 60_000

/** Occurrences that are made up for in one transaction. */
const AT_ONCE = 100

/** The rule as one line: relays compare it, people read it. */
export function ruleText(rule: RecurringRule): string {
  return rule.cron === undefined
    ? `every ${rule.every}`
    : `cron ${rule.cron} ${rule.timeZone ?? 'UTC'}`
}

/** The first time after `at`; undefined if there is none. Throws for a pattern or zone that is wrong. */
export function nextAfter(rule: RecurringRule, at: Date): Date | undefined {
  if (rule.cron !== undefined) return cronOf(rule).nextRun(at) ?? undefined
  const ms = toMs(rule.every)
  return new Date((Math.floor(at.getTime() / ms) + 1) * ms)
}

function lastUpTo(rule: RecurringRule, at: Date): Date | undefined {
  if (rule.cron === undefined) {
    const ms = toMs(rule.every)
    return new Date(Math.floor(at.getTime() / ms) * ms)
  }
  // What it answers is before the reference, which it reads by the second.
  const reference = new Date((Math.floor(at.getTime() / 1_000) + 1) * 1_000)
  return cronOf(rule).previousRuns(1, reference)[0]
}

function cronOf({ cron, timeZone = 'UTC' }: RecurringRule & { cron: string }): Cron {
  return new Cron(cron, { timezone: timeZone, mode: '5-or-6-parts', paused: true })
}

/** What is due of a recurring message, and when it is due next. */
export interface DueOccurrences {
  readonly at: readonly Date[]
  /** Not later than now where there are more than one transaction should make up for. */
  readonly next: Date | undefined
}

/** The occurrences from `first` on, itself one of them, that are to be enqueued now. */
export function dueOccurrences<Row>(
  recurring: Recurring<Row>,
  { first, now }: { first: Date; now: Date },
): DueOccurrences {
  if (first > now) return { at: [], next: first }
  if (recurring.missed === 'all') {
    const at: Date[] = []
    let next: Date | undefined = first
    while (next && next <= now && at.length < AT_ONCE) {
      at.push(next)
      next = nextAfter(recurring, next)
    }
    return { at, next }
  }
  const found = lastUpTo(recurring, now)
  const latest = found && found > first ? found : first
  const isSkipped =
    recurring.missed === 'skip' && now.getTime() - latest.getTime() > SKIPPED_AFTER_MS
  return { at: isSkipped ? [] : [latest], next: nextAfter(recurring, now) }
}
