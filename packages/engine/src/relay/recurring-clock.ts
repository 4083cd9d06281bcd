import { backOff } from '../back-off.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import type { Log } from '../log.ts'
import type { Outbox } from '../outbox/define.ts'
import { dueOccurrences, nextAfter, ruleText, type Recurring } from '../outbox/recurring.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import {
  moveRecurring,
  noteRecurringError,
  registerRecurring,
  selectBusinessNow,
  selectNextRecurring,
  takeDueRecurring,
} from '../control/recurring.sql.ts'
import { Alarm } from './alarm.ts'

export interface RecurringClockOptions {
  readonly outbox: Outbox
  readonly handle: PoolHandle
  readonly log: Log
}

/** Transactions of one look; what is left is made up for in the next. */
const MOST_AT_ONCE = 100

/** However far the next one is: relays of other versions must see that it is still looked after. */
const MOST_REST_MS = 240_000

/** What is due and could not be taken is another's at this moment. */
const LEAST_REST_MS = 5

/** After the first failure of one; it doubles with each that follows. */
const AGAIN = { firstMs: 500, mostMs: 60_000 }

/** One that could not be enqueued waits, and the others go on. */
interface Failing {
  readonly failures: number
  readonly notBefore: number
}

/**
 * Enqueues the recurring messages of an outbox when they are due. The row of a schedule is locked, its
 * messages are enqueued and it is moved on in one transaction: whichever relay has it, each time comes
 * once, and a relay that dies in the middle has done nothing.
 */
export class RecurringClock {
  readonly #options: RecurringClockOptions
  readonly #recurring: ReadonlyMap<string, Recurring<OutboxRow>>
  readonly #alarm = new Alarm()
  readonly #failing = new Map<string, Failing>()
  #isRegistered = false
  #failures = 0
  #stopping = false
  #dueAt = Infinity

  constructor(options: RecurringClockOptions) {
    this.#options = options
    this.#recurring = new Map(Object.entries(options.outbox.recurring))
  }

  get outbox(): string {
    return this.#options.outbox.name
  }

  /** What the poll found: it wakes if the next one is due sooner than it thinks. */
  expect(ms: number): void {
    if (performance.now() + ms < this.#dueAt - 100) this.ring()
  }

  /** Wakes it: the business clock may have been moved. */
  ring(): void {
    this.#alarm.ring('ring')
  }

  stop(): void {
    this.#stopping = true
    this.#alarm.stop()
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { outbox, log } = this.#options
    while (!this.#stopping) {
      const heard = this.#alarm.mark()
      try {
        const dueMs = await this.runOnce()
        this.#failures = 0
        this.#dueAt = performance.now() + (dueMs ?? Infinity)
        await this.#alarm.sleep(
          heard,
          Math.max(Math.min(dueMs ?? Infinity, MOST_REST_MS), LEAST_REST_MS),
        )
      } catch (error) {
        this.#failures += 1
        const pauseMs = backOff(this.#failures - 1, AGAIN)
        log.error(
          { outbox: outbox.name, err: error, pauseMs },
          'recurring messages not checked; backing off',
        )
        await this.#alarm.pause(pauseMs)
      }
    }
  }

  /** Enqueues what is due. Returns the milliseconds until there is more; undefined if none is known. */
  async runOnce(): Promise<number | undefined> {
    if (!this.#isRegistered) await this.register()
    for (let taken = 0; taken < MOST_AT_ONCE; taken += 1) {
      if (!(await this.#enqueueNext())) break
    }
    return this.#nextMs()
  }

  /** Notes what there is, with the time each is due first. */
  async register(): Promise<void> {
    const { outbox, handle } = this.#options
    await handle.transaction(async (tx) => {
      const { rows } = await tx.query<{ now: Date }>(selectBusinessNow)
      const now = rows[0]?.now ?? new Date()
      const known = [...this.#recurring].flatMap(([name, rule]) => {
        const nextAt = nextAfter(rule, now)
        return nextAt ? [{ name, rule: ruleText(rule), nextAt, missed: rule.missed }] : []
      })
      const names = known.map(({ name }) => name)
      const rules = known.map(({ rule }) => rule)
      const nextAt = known.map((each) => each.nextAt)
      const missed = known.map((each) => each.missed ?? 'latest')
      await tx.query(registerRecurring({ outbox: outbox.name, names, rules, nextAt, missed }))
    })
    this.#isRegistered = true
  }

  /** False if there is nothing that this relay could enqueue now. */
  async #enqueueNext(): Promise<boolean> {
    const { outbox, handle, log } = this.#options
    const rules = this.#ready()
    if (rules.names.length === 0) return false
    let name = ''
    try {
      return await handle.transaction(async (tx) => {
        const { rows } = await tx.query<Due>(takeDueRecurring(rules))
        const [due] = rows
        if (!due) return false
        name = due.name
        const recurring = this.#recurring.get(name) as Recurring<OutboxRow>
        const { at, next } = dueOccurrences(recurring, firstOf(recurring, due))
        const messages: Partial<OutboxRow>[] = []
        for (const each of at) messages.push(await recurring.message({ name, at: each }))
        const enqueued = await enqueueAll(tx, outbox, messages)
        await tx.query(
          moveRecurring({
            outbox: outbox.name,
            name,
            rule: ruleText(recurring),
            nextAt: next,
            lastAt: at.at(-1),
            lastMessage: enqueued.at(-1)?.id,
            enqueued: enqueued.length,
          }),
        )
        this.#failing.delete(name)
        return true
      })
    } catch (error) {
      if (name === '') throw error
      const failures = (this.#failing.get(name)?.failures ?? 0) + 1
      const retryInMs = backOff(failures - 1, AGAIN)
      this.#failing.set(name, { failures, notBefore: performance.now() + retryInMs })
      log.error(
        { outbox: outbox.name, recurring: name, err: error, retryInMs },
        'recurring message not enqueued; trying again',
      )
      const text = error instanceof Error ? error.message : String(error)
      await handle.db.query(noteRecurringError({ outbox: outbox.name, name, error: text }))
      return true
    }
  }

  #ready() {
    const now = performance.now()
    const ready = [...this.#recurring].filter(
      ([name]) => (this.#failing.get(name)?.notBefore ?? 0) <= now,
    )
    return {
      outbox: this.#options.outbox.name,
      names: ready.map(([name]) => name),
      rules: ready.map(([, rule]) => ruleText(rule)),
    }
  }

  async #nextMs(): Promise<number | undefined> {
    const { outbox, handle } = this.#options
    const names = [...this.#recurring.keys()]
    const { rows } = await handle.db.query<{ name: string; ms: number | null }>(
      selectNextRecurring({ outbox: outbox.name, names }),
    )
    // A relay of a version that does not have them has started since.
    if (rows.length < names.length) this.#isRegistered = false
    const now = performance.now()
    const waits = rows
      .filter(({ ms }) => ms !== null)
      .map(({ name, ms }) =>
        Math.max(Number(ms), (this.#failing.get(name)?.notBefore ?? now) - now),
      )
    return waits.length === 0 ? undefined : Math.min(...waits)
  }
}

interface Due {
  readonly name: string
  readonly rule: string
  readonly next_at: Date
  readonly now: Date
}

/** By a rule that was another relay's, the time it was due at is none of ours. */
function firstOf(recurring: Recurring<OutboxRow>, due: Due): { first: Date; now: Date } {
  const { rule, next_at: first, now } = due
  if (rule === ruleText(recurring)) return { first, now }
  const before = new Date(first.getTime() - 1)
  return { first: nextAfter(recurring, before) ?? now, now }
}
