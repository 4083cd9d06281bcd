import { backOff } from '../back-off.ts'
import { Attempter, type Transports } from './attempt/attempt.ts'
import { ClaimWorker } from './claim-worker.ts'
import type { ClaimKind } from './settle/claim.ts'
import type { Buckets, Ring } from '../database/bell.ts'
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
import type { Source } from './settle/source.ts'
import { beat, type DatabaseClocks } from './relay.sql.ts'
import { LaneScheduler } from './lane-scheduler.ts'

export interface RunnerOptions {
  readonly outbox: Outbox
  readonly handle: PoolHandle
  readonly transports: Transports
  readonly relay: string
  readonly version: string | undefined
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

/** Open breakers that a heartbeat names; a thousand broken endpoints would make it heavy. */
const MOST_BREAKERS = 50

function sourceOf({ handle, outbox, relay, log }: RunnerOptions): Source {
  if (outbox.log !== undefined) return new LogSource(handle, outbox, { relay, log })
  const source = outbox.order
    ? new KeySource(handle, outbox, { relay, log })
    : new RowSource(handle, outbox, { log })
  return outbox.limit ? new LimitedSource(source, { handle, outbox }) : source
}

/** What a relay did in one step. */
export interface Step {
  readonly claimed: number
  readonly more: boolean
}

/**
 * Runs one outbox in one relay: a few lanes claim side by side, so that one batch is read while another
 * is on its way. What happens to a claim is the `ClaimWorker`'s.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #source: Source
  readonly #attempter: Attempter
  readonly #worker: ClaimWorker
  readonly #scheduler: LaneScheduler
  #stopping = false
  #special = true
  #specialAt = 0
  /** When the first lane slept last. */
  #restedAt = 0
  readonly #pollMs: number
  #failures = 0
  #dueChanged = false
  #dueAt: number | undefined
  readonly #lookAgain = () => {
    this.#special = true
    this.ring('ring')
  }

  constructor(options: RunnerOptions) {
    const { outbox, handle, transports, log, metrics } = options
    this.#options = options
    this.#source = sourceOf(options)
    this.#attempter = new Attempter({ outbox, transports, metrics, handle, log })
    const parts = { source: this.#source, attempter: this.#attempter }
    this.#worker = new ClaimWorker({ ...parts, handle, outbox, transports, log, metrics })
    this.#pollMs = Math.min(outbox.everyMs, outbox.leaseMs)
    this.#scheduler = new LaneScheduler(this.#pollMs)
  }

  get #isBounded(): boolean {
    return this.#options.outbox.fair?.atOnce !== undefined
  }

  /** Wakes the lanes: there may be something new. */
  ring(kind: Ring, buckets?: Buckets): void {
    this.#source.hear?.(buckets)
    this.#scheduler.ring(kind)
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { outbox } = this.#options
    const unhear = outbox.bell.listen((kind, buckets) => this.ring(kind, buckets))
    const beating = this.#heartbeatLoop()
    const lanes = Array.from({ length: outbox.lanes - 1 }, () => this.#helperLane())
    await Promise.all([this.#firstLane(), ...lanes])
    unhear()
    await beating
    await this.#source.close()
  }

  /** Takes no more claims; `run` resolves once those under way are settled. */
  stop(): void {
    this.#stopping = true
    this.#scheduler.stop()
  }

  /** Gives back leases that `tick` took without `run`. */
  async close(): Promise<void> {
    await this.#source.close()
  }

  /** Gives up waiting for attempts under way. */
  abort(): void {
    this.#worker.abort()
  }

  /** One look at everything, for tests: heartbeat, special claims, one batch. Returns what was claimed. */
  async tick(): Promise<number> {
    await this.#heartbeat()
    this.#source.lookAtAll?.()
    let claimed = await this.#claimSpecial()
    claimed += (await this.#step('batch')).claimed
    // What the batch only released is claimed alone.
    if (this.#special) claimed += await this.#claimSpecial()
    return claimed
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
    if (permit.kind === 'probe') return { ...(await this.#step('batch', 1)), more: false }
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
    return (
      sinceMs >= this.#pollMs ||
      (isDue && sinceMs >= DUE_MS) ||
      (isRestless && sinceMs >= SPECIAL_MS)
    )
  }

  async #claimSpecial(): Promise<number> {
    this.#special = false
    this.#specialAt = performance.now()
    // What was due is claimed now: what is due next has to be asked for.
    this.#dueAt = undefined
    this.#dueChanged = true
    let claimed = 0
    for (const kind of SPECIAL) {
      claimed +=
        kind === 'suspect'
          ? ((await this.#options.suspectMutex.alone(
              () => this.#claimKind(kind),
              this.#lookAgain,
            )) ?? 0)
          : await this.#claimKind(kind)
    }
    return claimed
  }

  async #claimKind(kind: ClaimKind): Promise<number> {
    let claimed = 0
    for (let claims = 0; claims < SPECIAL_CLAIMS; claims += 1) {
      const step = await this.#step(kind)
      claimed += step.claimed
      if (step.claimed === 0) return claimed
      if (kind === 'suspect' && this.#options.suspectMutex.isWanted) break
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

  async #step(kind: ClaimKind, batch?: number): Promise<Step> {
    const { suspectMutex } = this.#options
    if (kind !== 'suspect') return suspectMutex.share(() => this.#take(kind, { batch }))
    return this.#take(kind, { before: () => suspectMutex.quieten() })
  }

  /** Claims, attempts and settles; `before` is awaited between the claim and its attempt. */
  async #take(
    kind: ClaimKind,
    { batch, before }: { batch?: number | undefined; before?: () => Promise<void> },
  ): Promise<Step> {
    const started = performance.now()
    const claim = await this.#source.claim(kind, batch)
    if (!claim) return { claimed: 0, more: false }
    await before?.()
    // What was released while claiming is next claimed alone.
    if (claim.rows.length === 0) this.#special = true
    else {
      const { dueChanged, left } = await this.#worker.work(claim)
      if (dueChanged) this.#dueChanged = true
      // What could not be settled is claimed alone.
      if (left) this.#special = true
    }
    const labels = { outbox: this.#options.outbox.name }
    this.#options.metrics.observe('posthorn_batch_ms', performance.now() - started, labels)
    return { claimed: claim.rows.length, more: claim.more && kind === 'batch' }
  }

  /** Leases, shares and the heartbeat, well within the lease. */
  async #heartbeatLoop(): Promise<void> {
    const { outbox } = this.#options
    const everyMs = Math.min(Math.max(outbox.leaseMs / 3, 100), 5_000)
    while (!this.#stopping) {
      await this.#safely(() => this.#heartbeat())
      await this.#scheduler.pause(everyMs)
    }
  }

  async #heartbeat(): Promise<void> {
    const { outbox, handle, relay, version, metrics } = this.#options
    const tally = this.#worker.takeTally()
    const { open } = this.#attempter
    const breakers = open.slice(0, MOST_BREAKERS)
    const beating = { relay, outbox: outbox.name, version, ...tally, breakers }
    const sentAt = Date.now()
    const { rows } = await handle.db.query<DatabaseClocks>(
      beat({ ...beating, ...this.#attempter.takeAnswers() }),
    )
    // Half of the way there and back is taken for the way back.
    const here = (sentAt + Date.now()) / 2
    const clocks = rows[0]
    if (clocks) {
      const realMs = clocks.real_ms - here
      this.#worker.setClocks({ realMs, businessMs: realMs + clocks.ahead_ms })
    }
    await this.#source.settleLate?.()
    metrics.gauge('posthorn_breakers_open', open.length, { outbox: outbox.name })
    if (await this.#source.maintain()) this.#lookAgain()
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
