import { backOff } from '../back-off.ts'
import { Attempter, type Transports } from './attempt/attempt.ts'
import { ClaimWorker } from './claim-worker.ts'
import type { Claim, ClaimKind } from './settle/claim.ts'
import { createBell, type Bell, type Buckets, type Ring } from '../database/bell.ts'
import type { Outbox } from '../outbox/define.ts'
import { KeySource } from './key/key-source.ts'
import { LimitedSource } from './row/limited-source.ts'
import { LogSource } from './log/log-source.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RowSource } from './row/row-source.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import type { LoopShare } from './loop-share.ts'
import type { SuspectMutex } from './suspect-mutex.ts'
import type { Maintenance, Source } from './settle/source.ts'
import type { AgendaRow } from './agenda/agenda.sql.ts'
import type { ClockOffsets, Session } from './session/session.ts'
import type { Pulse } from './session/session.sql.ts'
import type { Counts } from './attempt/counts.ts'
import type { OpenBreaker } from './attempt/breaker.ts'
import { DueAtStart } from './agenda/due-at-start.ts'
import { LaneScheduler } from './lane-scheduler.ts'
import { Window } from './window.ts'

export interface RunnerOptions {
  readonly outbox: Outbox
  readonly handle: PoolHandle
  readonly transports: Transports
  readonly session: Session
  /** Asks what waits in the outbox. */
  ask(): void
  /** Shared by all outboxes of the relay. */
  readonly suspectMutex: SuspectMutex
  /** Shared by them too; undefined where the process has nothing else to do. */
  readonly loopShare: LoopShare | undefined
  readonly log: Log
  readonly metrics: Metrics
}

/** Claims beside the ordinary batch, in the order in which they are looked for. */
const SPECIAL: readonly ClaimKind[] = ['expired', 'held', 'suspect', 'resend']

/** Special claims of a kind in a row before the ordinary batch is claimed. */
const SPECIAL_CLAIMS = 20

/**
 * However much an ordinary claim finds: so often the rest is looked for as well, or retries of an ordered
 * outbox would wait until the flow has an end.
 */
const SPECIAL_MS = 250

/** The same where something is known to be due. */
const DUE_MS = 50

const AGAIN = { firstMs: 100, mostMs: 5_000 }

/**
 * Pause after a look that found no room, where messages under way are counted: every confirmation
 * rings, and only one in many makes room for the next batch.
 */
const NO_ROOM_MS = 50

/** A question's own way to Postgres: it sees a later moment than the one it is asked at. */
const ON_ITS_WAY_MS = 50

/** What the poll found is not looked for sooner: the lanes have timers of their own. */
const LEAST_ALARM_MS = 1_000

/** Repairs read all waiting keys, which may be many: sooner they are not repeated. */
const REPAIR_MS = 25_000

/** And of so many rounds that are asked for one by one, in the first. */
const REPAIR_EVERY = 6

/** Open breakers that a heartbeat names; a thousand broken endpoints would make it heavy. */
const MOST_BREAKERS = 50

function sourceOf({ handle, outbox, session, log }: RunnerOptions): Source {
  if (outbox.log !== undefined) return new LogSource(handle, outbox, { session, log })
  const source = outbox.order
    ? new KeySource(handle, outbox, { session, log })
    : new RowSource(handle, outbox, { log })
  return outbox.limit ? new LimitedSource(source, { handle, outbox }) : source
}

interface Taking {
  readonly batch?: number | undefined
  readonly onSlow: (step: Step) => void
  readonly before?: () => Promise<void>
}

/** What a relay did in one step. */
export interface Step {
  readonly claimed: number
  readonly more: boolean
}

const NOTHING: Step = { claimed: 0, more: false }

/**
 * Runs one outbox in one relay: a few lanes claim side by side, so that one batch is read while another
 * is on its way. What happens to a claim is the `ClaimWorker`'s.
 */
export class Runner {
  readonly #options: RunnerOptions
  /** Rings where this process enqueues what another relay has the bucket of. */
  readonly elsewhere: Bell = createBell()
  readonly #source: Source
  readonly #attempter: Attempter
  readonly #worker: ClaimWorker
  readonly #scheduler = new LaneScheduler()
  /** What is in hand. */
  readonly window: Window
  /** Claims under way, also those that their lane has left. */
  readonly #held = new Set<Promise<void>>()
  #stopping = false
  #special = true
  #specialAt = 0
  /** When the first lane slept last. */
  #restedAt = 0
  #failures = 0
  #dueChanged = false
  #dueAt: number | undefined
  #alarm: { readonly at: number; readonly timer?: NodeJS.Timeout } = { at: Infinity }
  #repairedAt = -Infinity
  /** Calls of `runOnce`. */
  #onces = 0
  #maintaining: Promise<void> = Promise.resolve()
  /** Of each `runOnce` that has not ended yet. */
  readonly #rounds = new Set<DueAtStart>()

  constructor(options: RunnerOptions) {
    const { outbox, handle, transports, log, metrics } = options
    this.#options = options
    this.#source = sourceOf(options)
    this.#attempter = new Attempter({ outbox, transports, metrics, handle, log })
    const parts = { source: this.#source, attempter: this.#attempter }
    this.#worker = new ClaimWorker({ ...parts, handle, outbox, transports, log, metrics })
    this.window = new Window({ size: outbox.batch * outbox.lanes, fairBy: outbox.fair?.by })
  }

  get outbox(): string {
    return this.#options.outbox.name
  }

  get #isBounded(): boolean {
    return this.#options.outbox.fair?.atOnce !== undefined
  }

  /** Wakes the lanes: there may be something new. */
  ring(kind: Ring, buckets?: Buckets): void {
    this.#source.hear?.(buckets)
    this.#scheduler.ring(kind)
  }

  /** Wakes it for whatever waits, whoever claimed it before. */
  lookAgain(): void {
    this.#special = true
    this.ring('ring')
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { outbox } = this.#options
    const unhear = outbox.bell.listen((kind, buckets) => {
      this.ring(kind, buckets)
      if (!this.#source.isElsewhere?.(buckets)) return
      if (kind === 'arm') this.elsewhere.arm()
      else this.elsewhere.ring(buckets)
    })
    const lanes = Array.from({ length: outbox.lanes - 1 }, () => this.#helperLane())
    await Promise.all([this.#firstLane(), ...lanes])
    await Promise.all(this.#held)
    unhear()
    clearTimeout(this.#alarm.timer)
    await this.#maintaining
    await this.#source.close()
  }

  /** Takes no more claims; `run` resolves once those under way are settled. */
  stop(): void {
    this.#stopping = true
    this.#scheduler.stop()
  }

  /** Settles what `runOnce` left. */
  async close(): Promise<void> {
    await this.#source.close()
  }

  /** Gives up waiting for attempts under way. */
  abort(): void {
    this.#worker.abort()
  }

  /** Delivers what is due now, for tests: looks until it was all claimed. Returns what was claimed. */
  async runOnce(): Promise<number> {
    await this.maintain({ repair: this.#onces % REPAIR_EVERY === 0 })
    this.#onces += 1
    const due = await DueAtStart.of(this.#options.handle, this.#options.outbox)
    this.#rounds.add(due)
    try {
      let claimed = 0
      do {
        this.#source.lookAtAll?.()
        claimed += await this.#claimSpecial({ isPatient: true })
        claimed += (await this.#step('batch')).claimed
        // What the batch only released is claimed alone.
        if (this.#special) claimed += await this.#claimSpecial({ isPatient: true })
        await Promise.all(this.#held)
      } while (due.mayFindMore() && !this.#attempter.isBlocked)
      return claimed
    } finally {
      this.#rounds.delete(due)
    }
  }

  /** The lane that sleeps and wakes. Its bell, timers and poll serve all. */
  async #firstLane(): Promise<void> {
    while (!this.#stopping) {
      const heard = this.#scheduler.mark()
      const lookedAt = performance.now()
      const step = await this.#safely(() => this.#round())
      if (!step) continue
      this.#scheduler.noteFound(step.claimed)
      if (step.more) {
        this.#scheduler.callHelpers()
        await this.#rest()
      } else {
        if (step.claimed === 0 && this.#isBounded) await this.#scheduler.pause(NO_ROOM_MS)
        if (!this.#scheduler.hasRungSince(heard)) await this.#idle(step, { heard, lookedAt })
      }
    }
    this.#scheduler.callHelpers()
  }

  async #helperLane(): Promise<void> {
    while (!this.#stopping) {
      await this.#scheduler.awaitCall()
      // The way to a broken destination is tried by the first lane alone.
      while (!this.#stopping && !this.#attempter.isBlocked) {
        const step = await this.#safely(() => this.#step('batch'))
        // What this lane had in hand may be what the first one found nothing without.
        if (step) this.ring('ring')
        if (step && !step.more) break
        await this.#rest()
      }
    }
  }

  /** Between two batches, for the sake of what else the process does. */
  async #rest(): Promise<void> {
    const ms = this.#options.loopShare?.restMs() ?? 0
    if (ms > 0) await this.#scheduler.pause(ms)
  }

  async #round(): Promise<Step> {
    await this.#source.settleLate?.()
    const permit = this.#attempter.permit()
    if (permit.kind === 'wait') {
      this.#scheduler.notBefore(permit.ms)
      return { claimed: 0, more: false }
    }
    if (permit.kind === 'probe') {
      const step = await this.#step('batch', { batch: 1, isAwaited: true })
      return { ...step, more: false }
    }
    if (this.#special || this.#isSpecialDue()) await this.#claimSpecial()
    const step = await this.#step('batch')
    return { claimed: step.claimed, more: step.more || this.#special }
  }

  /** A lane that sleeps wakes up for it; one that has no rest has to think of it. */
  #isSpecialDue(): boolean {
    const now = performance.now()
    const sinceMs = now - this.#specialAt
    const isDue = this.#dueAt !== undefined && this.#dueAt <= now
    const isRestless = now - this.#restedAt >= SPECIAL_MS
    return (isDue && sinceMs >= DUE_MS) || (isRestless && sinceMs >= SPECIAL_MS)
  }

  async #claimSpecial({ isPatient = false } = {}): Promise<number> {
    this.#special = false
    this.#specialAt = performance.now()
    // What was due is claimed now: what is due next has to be asked for.
    this.#dueAt = undefined
    this.#dueChanged = true
    let claimed = 0
    for (const kind of SPECIAL) {
      claimed +=
        kind === 'suspect' ? await this.#claimSuspects(isPatient) : await this.#claimKind(kind)
    }
    return claimed
  }

  /** While another outbox tries its suspects, a lane comes again later; who is patient waits for that. */
  async #claimSuspects(isPatient: boolean): Promise<number> {
    for (;;) {
      const over = Promise.withResolvers<void>()
      const again = () => {
        over.resolve()
        this.lookAgain()
      }
      const work = (isAlone: () => boolean) => this.#claimKind('suspect', isAlone)
      const claimed = await this.#options.suspectMutex.alone(work, again)
      if (claimed !== undefined || !isPatient) return claimed ?? 0
      await over.promise
    }
  }

  async #claimKind(kind: ClaimKind, isAlone = () => true): Promise<number> {
    let claimed = 0
    for (let claims = 0; claims < SPECIAL_CLAIMS; claims += 1) {
      const step = await this.#step(kind)
      claimed += step.claimed
      if (step.claimed === 0) return claimed
      if (kind === 'suspect' && (this.#options.suspectMutex.isWanted || !isAlone())) break
    }
    this.#special = true
    return claimed
  }

  /** Nothing to do: sleep until something rings, is due, or the poll comes round. */
  async #idle(step: Step, { heard, lookedAt }: { heard: number; lookedAt: number }): Promise<void> {
    // A batch that was delivered changes no due time: only an empty look or a failure does, and
    // the steady state of one message at a time is spared a question each.
    if (step.claimed === 0 || this.#dueChanged) {
      this.#dueChanged = false
      const ms = await this.#safely(() =>
        this.#source.nextDueMs(performance.now() - lookedAt + ON_ITS_WAY_MS),
      )
      this.#dueAt = ms === undefined ? undefined : performance.now() + ms
    }
    const dueMs = this.#dueAt === undefined ? Infinity : this.#dueAt - performance.now()
    const nextMs = Math.min(dueMs, this.#source.owedMs?.() ?? Infinity)
    const woken = await this.#scheduler.sleep(heard, nextMs)
    this.#restedAt = performance.now()
    if (woken !== 'ring') this.#special = true
  }

  /** Resolves when a claim is settled or, unless it `isAwaited`, when what is left of it is slow. */
  async #step(
    kind: ClaimKind,
    { batch, isAwaited = false }: { batch?: number; isAwaited?: boolean } = {},
  ): Promise<Step> {
    const { suspectMutex } = this.#options
    const slow = Promise.withResolvers<Step>()
    const parts = { batch, onSlow: slow.resolve }
    const whole =
      kind === 'suspect'
        ? this.#take(kind, { ...parts, before: () => suspectMutex.quieten() })
        : suspectMutex.share(() => this.#take(kind, parts))
    this.#hold(whole, slow.promise)
    return isAwaited ? whole : Promise.race([slow.promise, whole])
  }

  /** Keeps a claim that its lane may leave. */
  #hold(whole: Promise<Step>, slow: Promise<Step>): void {
    let isLeft = false
    void slow.then(() => (isLeft = true))
    const { outbox, log } = this.#options
    const over = whole.then(
      () => undefined,
      (error: unknown) => {
        const problem = 'slow messages not settled; they are sent again'
        if (isLeft) log.error({ outbox: outbox.name, err: error }, problem)
      },
    )
    this.#held.add(over)
    void over.then(() => this.#held.delete(over))
  }

  /** Claims, attempts and settles; `before` is awaited between the claim and its attempt. */
  async #take(kind: ClaimKind, { batch, onSlow, before }: Taking): Promise<Step> {
    const started = performance.now()
    const { outbox, metrics } = this.#options
    const want = batch ?? outbox.batch
    // Nothing of an expired claim is attempted.
    const places = kind === 'expired' ? 0 : await this.window.reserve(want)
    let unused = places
    try {
      if (this.#stopping) return NOTHING
      const claim = await this.#source.claim(kind, places || want, this.window.fullKeys(want))
      if (!claim) return NOTHING
      const rows = claim.rows.length
      this.window.fill(places, rows)
      unused = 0
      const step = { claimed: rows, more: claim.more && kind === 'batch' }
      await before?.()
      for (const due of this.#rounds) due.note(claim.rows)
      // What was released while claiming is next claimed alone.
      if (rows === 0) this.#special = true
      else await this.#work(claim, () => onSlow(step))
      metrics.observe('posthorn_batch_ms', performance.now() - started, { outbox: outbox.name })
      return step
    } catch (error) {
      // What could not be settled comes back when its lease is over.
      this.#setAlarm(outbox.leaseMs)
      throw error
    } finally {
      this.window.release(unused)
    }
  }

  async #work(claim: Claim, onSlow: () => void): Promise<void> {
    let isLeft = false
    await this.#worker.work(claim, {
      onSlow: () => {
        isLeft = true
        this.window.noteSlow(claim.rows)
        onSlow()
      },
      onSettled: (rows, { dueChanged, left }) => {
        this.window.remove(rows)
        // What is not confirmed in time is sent again.
        const { confirmWithinMs } = this.#options.outbox
        if (confirmWithinMs !== undefined) this.#setAlarm(confirmWithinMs)
        if (dueChanged) this.#dueChanged = true
        // What could not be settled is claimed alone.
        if (left) this.#special = true
        // The lanes look again: a key may go on, or a message be due earlier than what they wait for.
        if (isLeft && (dueChanged || left || this.#options.outbox.order)) this.ring('ring')
      },
    })
  }

  /** What was done since the last call; undefined if nothing was. */
  takePulse(): Pulse | undefined {
    const { latency, codes, ...counts } = this.#worker.takeTally()
    const named = { latency, codes, ...this.#attempter.takeAnswers() }
    const isNone = (each: Counts) => Object.keys(each).length === 0
    if (Object.values(counts).every((n) => n === 0) && Object.values(named).every(isNone)) return
    const some = Object.entries(named).filter(([, each]) => !isNone(each))
    return { ...counts, ...Object.fromEntries(some) }
  }

  /** What is not tried at the moment. */
  get breakers(): readonly OpenBreaker[] {
    const { open } = this.#attempter
    this.#options.metrics.gauge('posthorn_breakers_open', open.length, {
      outbox: this.#options.outbox.name,
    })
    return open.slice(0, MOST_BREAKERS)
  }

  setClocks(clocks: ClockOffsets): void {
    this.#worker.setClocks(clocks)
  }

  /** What the poll found. */
  tell(found: AgendaRow | undefined): void {
    // Without an answer it looks by itself, and says what is wrong.
    if (!found) return this.lookAgain()
    if (this.#stopping) return
    const now = performance.now()
    if (found.repair && now - this.#repairedAt >= REPAIR_MS) {
      this.#repairedAt = now
      void this.#safely(() => this.maintain({ repair: true }))
    }
    if (found.ms === null) return
    if (found.ms <= 0) this.lookAgain()
    else this.#setAlarm(found.ms)
  }

  /** Looks at what waits at the latest then; if it is known to be due before, that is enough. */
  #setAlarm(ms: number): void {
    const at = performance.now() + Math.max(ms, LEAST_ALARM_MS)
    if (this.#stopping || at >= Math.min(this.#alarm.at, this.#dueAt ?? Infinity) - DUE_MS) return
    clearTimeout(this.#alarm.timer)
    const ring = () => {
      this.#alarm = { at: Infinity }
      this.lookAgain()
      // Others were sent since.
      if (this.#options.outbox.confirmWithinMs !== undefined) this.#options.ask()
    }
    const timer = setTimeout(ring, Math.min(at - performance.now(), 2 ** 31 - 1)).unref()
    this.#alarm = { at, timer }
  }

  /** The heartbeat's part: takes its share of the buckets where that may be another than before. */
  async divide(isDivided: boolean): Promise<void> {
    if (this.#stopping) return
    if (!isDivided && this.#source.isAtRest !== false) return
    await this.#safely(() => this.maintain({ divide: true }))
  }

  /** One at a time. */
  async maintain(what: Maintenance): Promise<void> {
    const now = this.#maintainAfter(this.#maintaining, what)
    this.#maintaining = now.catch(() => undefined)
    await now
  }

  async #maintainAfter(before: Promise<void>, what: Maintenance): Promise<void> {
    await before
    if (await this.#source.maintain(what)) this.lookAgain()
  }

  /** Runs work that needs the database; on failure logs it and backs off. */
  async #safely<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work()
      this.#failures = 0
      return result
    } catch (error) {
      this.#failures += 1
      const pauseMs = backOff(this.#failures - 1, AGAIN)
      const { outbox, log } = this.#options
      log.error({ outbox: outbox.name, err: error, pauseMs }, 'relay step failed; backing off')
      await this.#scheduler.pause(pauseMs)
      return undefined
    }
  }
}
