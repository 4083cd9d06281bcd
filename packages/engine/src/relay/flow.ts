import { backOff } from '../back-off.ts'
import { Alarm } from './alarm.ts'
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
import type { Session } from './session/session.ts'
import { DueAtStart } from './agenda/due-at-start.ts'
import { claimsAtOnce } from '../outbox/resolved-definition.ts'
import { Semaphore } from '../semaphore.ts'
import { Pace } from './pace.ts'
import { Window } from './window.ts'

export interface FlowOptions {
  readonly outbox: Outbox
  readonly handle: PoolHandle
  readonly transports: Transports
  readonly session: Session
  /** Asks when the outbox's next message is due. */
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

/** Claims of suspects in a row, and of a special kind in one round of `runOnce`. */
const SPECIAL_CLAIMS = 20

/**
 * However much an ordinary claim finds: so often the rest is looked for as well, or retries of an ordered
 * outbox would wait until the flow has an end.
 */
const SPECIAL_MS = 250

/** The same where something is known to be due. */
const DUE_MS = 50

/** Another relay has a message that is due and was not claimed: pauses before the next look, each longer. */
const OVERDUE = { firstMs: 5, mostMs: 100 }

const AGAIN = { firstMs: 100, mostMs: 5_000 }

/**
 * Pause after a look that found no room, where messages under way are counted: every confirmation
 * rings, and only one in many makes room for the next batch.
 */
const NO_ROOM_MS = 50

/** A question's own way to Postgres: it sees a later moment than the one it is asked at. */
const ON_ITS_WAY_MS = 50

/** The shortest delay of a look that the poll asks for: the flow has its own timers for sooner ones. */
const LEAST_TIMER_MS = 1_000

/** Repairs read all waiting keys, which may be many: sooner they are not repeated. */
const REPAIR_MS = 25_000

/** And of so many rounds that are asked for one by one, in the first. */
const REPAIR_EVERY = 6

function sourceOf({ handle, outbox, session, log }: FlowOptions): Source {
  if (outbox.log !== undefined) return new LogSource(handle, outbox, { session, log })
  const source = outbox.order
    ? new KeySource(handle, outbox, { session, log })
    : new RowSource(handle, outbox, { log })
  return outbox.limit ? new LimitedSource(source, { handle, outbox }) : source
}

/** A claim that was made. */
interface Taken {
  readonly rows: number
  readonly more: boolean
  /** Resolves once all of it is settled. */
  readonly over: Promise<void>
}

/**
 * Delivers one outbox in one relay. One claim follows the other as long as there is something to claim and room for
 * it; what was claimed is attempted and settled beside, and holds up no claim. What happens to a claim is the
 * `ClaimWorker`'s.
 */
export class Flow {
  readonly #options: FlowOptions
  /** Rings where this process enqueues what another relay has the bucket of. */
  readonly elsewhere: Bell = createBell()
  /** Claimed messages that are not settled yet. */
  readonly window: Window
  readonly #source: Source
  readonly #attempter: Attempter
  readonly worker: ClaimWorker
  readonly pace: Pace
  readonly #alarm = new Alarm()
  /** Kinds of claims that may find something, in the order in which they are made. */
  readonly #wants = new Set<ClaimKind>([...SPECIAL, 'batch'])
  /** One claim would hide from another what it only looks at. */
  readonly #claiming = new Semaphore(1)
  /** Claims that are being attempted or settled. */
  readonly #inHand = new Set<Promise<void>>()
  #stopping = false
  #specialAt = 0
  #batchAt = 0
  /** When it slept last. */
  #restedAt = 0
  #failures = 0
  /** The next due time may be another than `#dueAt`. */
  #dueChanged = false
  #dueAt = Infinity
  #overdue = 0
  /** A bucket was not read because a claim had it in hand. */
  #hasSkipped = false
  #timer: { readonly at: number; readonly timer?: NodeJS.Timeout } = { at: Infinity }
  #repairedAt = -Infinity
  /** Calls of `runOnce`. */
  #onces = 0
  #maintaining: Promise<void> = Promise.resolve()
  /** Of each `runOnce` that has not ended yet. */
  readonly #rounds = new Set<DueAtStart>()

  constructor(options: FlowOptions) {
    const { outbox, handle, transports, log, metrics } = options
    this.#options = options
    this.#source = sourceOf(options)
    this.#attempter = new Attempter({ outbox, transports, metrics, handle, log })
    this.pace = new Pace(outbox.name, metrics)
    const parts = { source: this.#source, attempter: this.#attempter, pace: this.pace }
    this.worker = new ClaimWorker({ ...parts, handle, outbox, transports, log, metrics })
    const { atOnce, fair } = outbox
    // A claim does not see what others have in hand: each may take as much as `fair.atOnce` allows.
    const most = fair?.atOnce === undefined ? Infinity : 2
    const claims = Math.min(claimsAtOnce(outbox), most)
    this.window = new Window({ size: atOnce, claims, fairBy: fair?.by })
  }

  get outbox(): string {
    return this.#options.outbox.name
  }

  /** There may be something new. */
  ring(kind: Ring, buckets?: Buckets): void {
    this.#source.hear?.(buckets)
    this.#wants.add('batch')
    this.#alarm.ring(kind)
  }

  /** Looks for all pending messages, whichever relay claimed them before. */
  lookAgain(): void {
    this.#wantAll()
    this.ring('ring')
  }

  #wantAll(): void {
    for (const kind of [...SPECIAL, 'batch'] as const) this.#wants.add(kind)
    // What is due is claimed now: what is due next has to be asked for.
    this.#dueAt = Infinity
    this.#dueChanged = true
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const unhear = this.#options.outbox.bell.listen((kind, buckets) => {
      this.ring(kind, buckets)
      if (!this.#source.isElsewhere?.(buckets)) return
      if (kind === 'arm') this.elsewhere.arm()
      else this.elsewhere.ring(buckets)
    })
    while (!this.#stopping) await this.#safely(() => this.#turn())
    while (this.#inHand.size > 0) await Promise.all(this.#inHand)
    unhear()
    clearTimeout(this.#timer.timer)
    await this.#maintaining
    await this.#source.close()
  }

  /** Takes no more claims; `run` resolves once those under way are settled. */
  stop(): void {
    this.#stopping = true
    this.#alarm.stop()
  }

  /** Settles what `runOnce` left. */
  async close(): Promise<void> {
    await this.#source.close()
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
        claimed += await this.#claimSpecial()
        const { rows, over } = await this.#claim('batch')
        claimed += rows
        await over
        // What the batch only released is claimed alone.
        if (this.#wants.has('suspect')) claimed += await this.#claimSpecial()
        await Promise.all(this.#inHand)
      } while (due.mayFindMore() && !this.#attempter.isBlocked)
      return claimed
    } finally {
      this.#rounds.delete(due)
    }
  }

  async #claimSpecial(): Promise<number> {
    let claimed = 0
    for (const kind of SPECIAL) {
      this.#wants.delete(kind)
      claimed += await (kind === 'suspect' ? this.#awaitSuspects() : this.#claimAll(kind))
    }
    return claimed
  }

  /** One claim of a special kind after the other, each settled before the next. */
  async #claimAll(kind: ClaimKind, isEnough = () => false): Promise<number> {
    let claimed = 0
    for (let claims = 0; claims < SPECIAL_CLAIMS; claims += 1) {
      const { rows, over } = await this.#claim(kind)
      await over
      claimed += rows
      if (rows === 0 || isEnough()) break
    }
    return claimed
  }

  /** Undefined while another outbox tries its suspects: then `again` is called. */
  async #claimSuspects(again: () => void): Promise<number | undefined> {
    const { suspectMutex } = this.#options
    return suspectMutex.alone(async (isAlone) => {
      const isEnough = () => suspectMutex.isWanted || !isAlone()
      const claimed = await this.#claimAll('suspect', isEnough)
      if (claimed > 0) this.lookAgain()
      return claimed
    }, again)
  }

  async #awaitSuspects(): Promise<number> {
    for (;;) {
      const over = Promise.withResolvers<void>()
      const claimed = await this.#claimSuspects(over.resolve)
      if (claimed !== undefined) return claimed
      await over.promise
    }
  }

  /** One claim, or the sleep until there is a reason for one. */
  async #turn(): Promise<void> {
    const heard = this.#alarm.mark()
    await this.#source.settleLate?.()
    const permit = this.#attempter.permit()
    if (permit.kind === 'wait') {
      await this.#alarm.pause(permit.ms)
      return this.#wantAll()
    }
    // One message is tried: a new one or, where all wait behind their keys, one of those.
    for (const kind of permit.kind === 'probe' ? (['batch', 'held'] as const) : []) {
      const { rows, over } = await this.#claim(kind, 1)
      await over
      if (rows > 0) return this.#wantAll()
    }
    const kind = this.#nextKind()
    if (kind === undefined) return this.#rest(heard)
    // Beside the other claims.
    if (kind === 'suspect') {
      return this.#keep(this.#safely(() => this.#claimSuspects(() => this.lookAgain())))
    }
    const { rows, more } = await this.#claim(kind)
    if (more) this.#wants.add(kind)
    if (kind !== 'batch') return
    this.#alarm.noteFound(rows)
    const { loopShare, outbox } = this.#options
    const hasNoRoom = rows === 0 && outbox.fair?.atOnce !== undefined
    const pauseMs = more ? (loopShare?.restMs() ?? 0) : hasNoRoom ? NO_ROOM_MS : 0
    if (pauseMs > 0) await this.#alarm.pause(pauseMs)
  }

  #nextKind(): ClaimKind | undefined {
    const now = performance.now()
    const isDue = this.#dueAt <= now
    const isRestless = now - this.#restedAt >= SPECIAL_MS
    const afterMs = isDue ? DUE_MS : isRestless ? SPECIAL_MS : Infinity
    if (now - this.#specialAt >= afterMs) this.#wantAll()
    const [kind] = this.#wants
    if (kind === undefined) return undefined
    this.#wants.delete(kind)
    if (kind !== 'batch') this.#specialAt = now
    return kind
  }

  /** Nothing to do: sleeps until something rings, is due, or the poll comes round. */
  async #rest(heard: number): Promise<void> {
    // A batch that was delivered changes no due time: only an empty look or a failure does, and
    // the steady state of one message at a time is spared a question each.
    if (this.#dueChanged) {
      this.#dueChanged = false
      const sinceMs = performance.now() - this.#batchAt + ON_ITS_WAY_MS
      const ms = (await this.#source.nextDueMs(sinceMs)) ?? Infinity
      this.#dueAt = performance.now() + ms
    }
    const nextMs = Math.min(this.#dueAt - performance.now(), this.#source.owedMs?.() ?? Infinity)
    const overdueMs = backOff(this.#overdue, OVERDUE)
    const woken = await this.#alarm.sleep(heard, Math.max(nextMs, overdueMs))
    this.#restedAt = performance.now()
    if (woken === 'look') this.#wants.add('batch')
    if (woken !== 'timer') return
    this.#overdue = nextMs <= overdueMs ? this.#overdue + 1 : 0
    this.#wantAll()
  }

  /** Resolves when it is known what was claimed; that is attempted and settled beside. */
  async #claim(kind: ClaimKind, want = this.#options.outbox.batch): Promise<Taken> {
    const made = Promise.withResolvers<Pick<Taken, 'rows' | 'more'>>()
    const take = () => this.#take(kind, want, made.resolve)
    const over = kind === 'suspect' ? take() : this.#options.suspectMutex.share(take)
    this.#keep(over)
    return { ...(await Promise.race([made.promise, over.then(() => made.promise)])), over }
  }

  #keep(work: Promise<unknown>): void {
    const kept = work.then(
      () => undefined,
      () => undefined,
    )
    this.#inHand.add(kept)
    void kept.then(() => this.#inHand.delete(kept))
  }

  async #take(
    kind: ClaimKind,
    want: number,
    made: (taken: Pick<Taken, 'rows' | 'more'>) => void,
  ): Promise<void> {
    const started = performance.now()
    const { outbox, suspectMutex, metrics, log } = this.#options
    // Nothing of an expired claim is attempted.
    let places = await this.window.reserve(kind === 'expired' ? 0 : want)
    let isClaimed = false
    let isIn = true
    const leave = () => {
      if (isIn) this.window.leave()
      isIn = false
    }
    try {
      const claim = await this.#claiming.run(async () => {
        if (this.#stopping) return undefined
        if (kind === 'batch') this.#batchAt = performance.now()
        if (this.#inHand.size > 1) this.#hasSkipped = true
        const since = performance.now()
        const found = await this.#source.claim(kind, places || want, this.window.fullKeys(want))
        if (found && found.rows.length > 0) this.pace.claimed(since)
        return found
      })
      if (!claim) {
        if (kind === 'batch') this.#dueChanged = true
        return made({ rows: 0, more: false })
      }
      isClaimed = true
      const rows = claim.rows.length
      this.window.fill(places, claim.rows)
      places = 0
      this.#overdue = 0
      for (const due of this.#rounds) due.note(claim.rows)
      // What was released while claiming is next claimed alone.
      if (rows === 0) this.#wantAll()
      const taken = { rows, more: kind === 'batch' ? claim.more : rows > 0 }
      // With fair shares: the next claim leaves out those whose messages turn out to be slow.
      const isWatched = outbox.fair !== undefined && this.#attempter.takesEach(claim.rows)
      if (!isWatched) made(taken)
      if (kind === 'suspect') await suspectMutex.quieten()
      const onSlow = () => {
        this.window.noteSlow(claim.rows)
        leave()
        made(taken)
      }
      if (rows > 0) await this.#work(claim, onSlow)
      made(taken)
      metrics.observe('posthorn_batch_ms', performance.now() - started, { outbox: outbox.name })
    } catch (error) {
      if (isClaimed) {
        const details = { outbox: outbox.name, err: error }
        log.error(details, 'messages not settled; they will be sent again')
      }
      // What could not be settled comes back when its lease is over.
      this.#setTimer(outbox.leaseMs)
      throw error
    } finally {
      this.window.release(places)
      leave()
    }
  }

  async #work(claim: Claim, onSlow: () => void): Promise<void> {
    const { confirmWithinMs, order } = this.#options.outbox
    let isSlow = false
    await this.worker.work(claim, {
      onSlow: () => {
        isSlow = true
        onSlow()
      },
      onSettled: (rows, dueChanged) => {
        this.window.remove(rows)
        // What is not confirmed in time is sent again.
        if (confirmWithinMs !== undefined) this.#setTimer(confirmWithinMs)
        if (dueChanged) this.#dueChanged = true
        // The rest of a slow key may go on.
        if (order && isSlow) this.ring('ring')
        if (order && this.#hasSkipped) {
          this.#hasSkipped = false
          this.#wants.add('batch')
          if (this.#dueAt <= performance.now()) this.#wants.add('held')
        } else if (!dueChanged) return
        this.#alarm.ring('ring')
      },
    })
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
    else this.#setTimer(found.ms)
  }

  /** Looks for pending messages at the latest then, unless one is known to be due before. */
  #setTimer(ms: number): void {
    const at = performance.now() + Math.max(ms, LEAST_TIMER_MS)
    if (this.#stopping || at >= Math.min(this.#timer.at, this.#dueAt) - DUE_MS) return
    clearTimeout(this.#timer.timer)
    const ring = () => {
      this.#timer = { at: Infinity }
      this.lookAgain()
      // Others were sent since.
      if (this.#options.outbox.confirmWithinMs !== undefined) this.#options.ask()
    }
    const timer = setTimeout(ring, Math.min(at - performance.now(), 2 ** 31 - 1)).unref()
    this.#timer = { at, timer }
  }

  /** The heartbeat's part: takes its share of the buckets where that may be another than before. */
  async divide(isDivided: boolean): Promise<void> {
    if (this.#stopping) return
    await this.#safely(() => this.maintain({ divide: isDivided }))
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
      await this.#alarm.pause(pauseMs)
      return undefined
    }
  }
}
