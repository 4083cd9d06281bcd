import { Attempter, type Attempted, type Transports } from './attempt.ts'
import { boundedAttempt } from './bounded-attempt.ts'
import type { Claim, ClaimKind } from './claim.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { LostClaimError, type ErrorCode } from '../errors.ts'
import { KeySource } from './key-source.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RowSource } from './row-source.ts'
import type { PoolHandle } from '../enqueue/pool-handle.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  resendSettlement,
  settlementOf,
  type Settlement,
} from './settlement.ts'
import type { SuspectMutex } from './suspect-mutex.ts'
import type { SettledApart, Source } from './source.ts'
import { beat } from '../sql/relay.ts'
import { LaneScheduler } from './lane-scheduler.ts'

export interface RunnerOptions {
  readonly outbox: Outbox
  readonly handle: PoolHandle
  readonly transports: Transports
  readonly relay: string
  /** Shared by all outboxes of the relay. */
  readonly suspectMutex: SuspectMutex
  readonly log: Log
  readonly metrics: Metrics
}

/** Claims beside the ordinary batch, in the order in which they are looked for. */
const SPECIAL: readonly ClaimKind[] = ['expired', 'held', 'suspect', 'resend']

/** Special claims in a row before the ordinary batch gets its turn. */
const SPECIAL_TURNS = 20

const MAX_PAUSE_MS = 5_000

/** Times that a batch is settled as a whole before what cannot be settled is told apart. */
const WHOLE_TRIES = 2

/** Longest time until a message that waits in front of its consumers is looked at again. */
const MAX_WAIT_MS = 60_000

/**
 * Pause after a look that found no room, where messages under way are counted: every confirmation
 * rings, and only one in many makes room for the next batch.
 */
const NO_ROOM_MS = 50

/** A question's own way to Postgres: it sees a later moment than the one it is asked at. */
const ON_ITS_WAY_MS = 50

/** Open breakers that a heartbeat names; a thousand broken endpoints would make it heavy. */
const MOST_BREAKERS = 50

/** What a relay did in one step. */
export interface Step {
  readonly claimed: number
  readonly more: boolean
}

/**
 * Runs one outbox in one relay: claim → attempt → decide → settle, over and over, in a few lanes
 * at once, so that one batch is read while another is on its way.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #source: Source
  readonly #attempter: Attempter
  readonly #scheduler: LaneScheduler
  readonly #abort = new AbortController()
  #stopping = false
  #special = true
  #failures = 0
  #dueChanged = false
  #dueAt: number | undefined
  #tally = { delivered: 0, failed: 0, dead: 0, lost: 0 }
  readonly #lookAgain = () => {
    this.#special = true
    this.#scheduler.ring('ring')
  }

  constructor(options: RunnerOptions) {
    const { outbox, handle, relay, transports, metrics } = options
    this.#options = options
    this.#source = outbox.order
      ? new KeySource(handle, outbox, relay)
      : new RowSource(handle, outbox)
    this.#attempter = new Attempter(outbox, transports, metrics)
    this.#scheduler = new LaneScheduler(Math.min(outbox.everyMs, outbox.leaseMs))
  }

  get #isBounded(): boolean {
    return this.#options.outbox.fair?.atOnce !== undefined
  }

  /** Hears that there may be something new. */
  ring(kind: 'ring' | 'arm'): void {
    this.#scheduler.ring(kind)
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { outbox } = this.#options
    const unhear = outbox.bell.listen((kind) => this.#scheduler.ring(kind))
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
    this.#abort.abort()
  }

  /** One look at everything, for tests: heartbeat, special claims, one batch. Returns what was claimed. */
  async tick(): Promise<number> {
    await this.#heartbeat()
    let claimed = await this.#specialTurns()
    claimed += (await this.#step('batch')).claimed
    // What the batch only released is claimed alone.
    if (this.#special) claimed += await this.#specialTurns()
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
      if (step.more) this.#scheduler.callHelpers()
      else {
        if (step.claimed === 0 && this.#isBounded) await this.#scheduler.pause(NO_ROOM_MS)
        if (!this.#scheduler.hasRungSince(heard)) await this.#idle(step, { heard, lookedAt })
      }
    }
    this.#scheduler.callHelpers()
  }

  async #helperLane(): Promise<void> {
    while (!this.#stopping) {
      await this.#scheduler.helperCalled()
      // The way to a broken destination is tried by the first lane alone.
      while (!this.#stopping && !this.#attempter.isBlocked) {
        const step = await this.#safely(() => this.#step('batch'))
        // What this lane had in hand may be what the first one found nothing without.
        if (step) this.#scheduler.ring('ring')
        if (step && !step.more) break
      }
    }
  }

  async #round(): Promise<Step> {
    const permit = this.#attempter.permit()
    if (permit.kind === 'wait') {
      this.#scheduler.notBefore(permit.ms)
      return { claimed: 0, more: false }
    }
    if (permit.kind === 'probe') return { ...(await this.#step('batch', 1)), more: false }
    if (this.#special) await this.#specialTurns()
    const step = await this.#step('batch')
    return { claimed: step.claimed, more: step.more || this.#special }
  }

  async #specialTurns(): Promise<number> {
    this.#special = false
    let claimed = 0
    for (const kind of SPECIAL) {
      claimed +=
        kind === 'suspect'
          ? ((await this.#options.suspectMutex.alone(() => this.#turns(kind), this.#lookAgain)) ??
            0)
          : await this.#turns(kind)
    }
    return claimed
  }

  async #turns(kind: ClaimKind): Promise<number> {
    let claimed = 0
    for (let turn = 0; turn < SPECIAL_TURNS; turn += 1) {
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
    const dueMs = this.#dueAt === undefined ? undefined : this.#dueAt - performance.now()
    const woken = await this.#scheduler.sleep(heard, dueMs)
    if (woken !== 'ring') this.#special = true
  }

  async #step(kind: ClaimKind, batch?: number): Promise<Step> {
    const started = performance.now()
    const claim = await this.#source.claim(kind, batch)
    if (!claim) return { claimed: 0, more: false }
    // What was released while claiming is next claimed alone.
    if (claim.rows.length === 0) this.#special = true
    else await this.#work(claim)
    const labels = { outbox: this.#options.outbox.name }
    this.#options.metrics.observe('posthorn_batch_ms', performance.now() - started, labels)
    return { claimed: claim.rows.length, more: claim.more && kind === 'batch' }
  }

  async #work(claim: Claim): Promise<void> {
    try {
      const settlements = await this.#attempt(claim)
      const { lost, unsettled } = await this.#settle(claim, settlements)
      const left = new Set(unsettled.map(({ settlement }) => settlement))
      this.#count(
        settlements.filter((each) => !left.has(each)),
        lost,
      )
    } catch (error) {
      // Not settled: the lease runs out and the messages are sent again, the same ids as before.
      this.#source.drop(claim)
      throw error
    }
  }

  async #attempt(claim: Claim): Promise<Settlement[]> {
    const { outbox } = this.#options
    if (claim.kind === 'expired') return claim.rows.map((row) => lostSettlement(outbox, row))
    const fatalities = claim.rows.filter((row) => isFatal(claim, row))
    if (fatalities.length > 0) return fatalities.map((row) => fatalSettlement(outbox, row))
    const rows = this.#source.attemptable(claim).map((i) => claim.rows[i] as OutboxRow)
    const sending = claim.kind === 'resend' ? await this.#overdue(claim) : rows
    const lease = this.#keepLease(claim)
    try {
      const attempts = await this.#attempter.attempt(sending, lease.signal)
      const made = sending.map((row, i) => settlementOf(outbox, row, attempts[i] as Attempted))
      return claim.kind === 'resend' ? made.map((each) => resendSettlement(outbox, each)) : made
    } finally {
      lease.end()
    }
  }

  /**
   * Settling is tried again while the lease can be renewed: a moment without a database is not a lost
   * batch. From the third time on whatever can be settled is, apart from the rest.
   */
  async #settle(claim: Claim, settlements: readonly Settlement[]): Promise<SettledApart> {
    const { outbox, log } = this.#options
    const giveUpAt = performance.now() + outbox.leaseMs
    for (let tries = 1; ; tries += 1) {
      const pauseMs = 25 * 2 ** tries
      try {
        const done =
          tries <= WHOLE_TRIES
            ? { lost: await this.#source.settle(claim, settlements), unsettled: [] }
            : await this.#source.settleApart(claim, settlements)
        this.#report(done)
        return done
      } catch (error) {
        if (performance.now() + pauseMs > giveUpAt) throw error
        log.warn({ outbox: outbox.name, err: error }, 'settle failed; trying again')
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        await this.#source.renew(claim).catch(() => false)
      }
    }
  }

  #report({ unsettled }: SettledApart): void {
    const { outbox, log } = this.#options
    for (const { settlement, error } of unsettled) {
      this.#special = true
      this.#dueChanged = true
      log.error(
        { outbox: outbox.name, id: idOf(outbox, settlement.row), err: error },
        'message not settled; trying it alone',
      )
    }
  }

  /**
   * Which of the messages that were never confirmed their consumers have gone by. The others stay
   * claimed for a while and are then looked at again: nothing is written about them.
   */
  async #overdue(claim: Claim): Promise<OutboxRow[]> {
    const { outbox, transports } = this.#options
    const ask = () => Promise.all(claim.rows.map((row) => hasPassed(outbox, row, transports)))
    const bounds = { ms: outbox.attemptMs, signal: this.#abort.signal }
    const passed = (await boundedAttempt(ask, bounds)) ?? []
    const waiting = claim.rows.filter((_, i) => !passed[i])
    const againMs = Math.min(outbox.confirmWithinMs ?? MAX_WAIT_MS, MAX_WAIT_MS)
    if (waiting.length > 0) await this.#source.renew({ ...claim, rows: waiting }, againMs)
    return claim.rows.filter((_, i) => passed[i])
  }

  /** Renews a claim while its attempts go on, and aborts them when it is lost. */
  #keepLease(claim: Claim): { signal: AbortSignal; end: () => void } {
    const { outbox, log } = this.#options
    const lost = new AbortController()
    const renew = async () => {
      const kept = await this.#source.renew(claim).catch((error: unknown) => {
        log.warn({ outbox: outbox.name, err: error }, 'lease renewal failed; the attempt goes on')
        return true
      })
      if (!kept) lost.abort()
    }
    const timer = setInterval(() => void renew(), outbox.leaseMs / 3)
    return {
      signal: AbortSignal.any([lost.signal, this.#abort.signal]),
      end: () => clearInterval(timer),
    }
  }

  #count(settlements: readonly Settlement[], lost: readonly string[]): void {
    const { outbox, metrics, log } = this.#options
    const labels = { outbox: outbox.name }
    let delivered = 0
    let dead = 0
    let postponed = 0
    for (const { decision } of settlements) {
      if (decision.role === 'sent') delivered += 1
      else if (decision.role === 'dead' || decision.role === 'quarantined') dead += 1
      // What a breaker only postponed was not tried: that is no failure.
      else if (decision.failure?.code === ('BREAKER_OPEN' satisfies ErrorCode)) postponed += 1
    }
    const failed = settlements.length - delivered - dead - postponed
    if (settlements.length > delivered + dead) this.#dueChanged = true
    this.#tally.delivered += delivered
    this.#tally.failed += failed
    this.#tally.dead += dead
    this.#tally.lost += lost.length
    if (delivered > 0) metrics.count('posthorn_delivered_total', delivered, labels)
    if (failed > 0) metrics.count('posthorn_failed_total', failed, labels)
    if (dead > 0) metrics.count('posthorn_dead_total', dead, labels)
    if (lost.length > 0) {
      metrics.count('posthorn_lost_claims_total', lost.length, labels)
      log.warn(
        { ...labels, err: new LostClaimError(outbox.name, lost) },
        'claim lost: outcome discarded',
      )
    }
    if (dead === 0) return
    for (const { row, decision } of settlements) {
      if (decision.role !== 'dead' && decision.role !== 'quarantined') continue
      log.error(
        { ...labels, id: idOf(outbox, row), code: decision.failure?.code },
        'message is dead; it waits for a replay',
      )
    }
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
    const { outbox, handle, relay, metrics } = this.#options
    const tally = this.#tally
    this.#tally = { delivered: 0, failed: 0, dead: 0, lost: 0 }
    const { open } = this.#attempter
    const breakers = open.slice(0, MOST_BREAKERS)
    await handle.db.query(beat({ relay, outbox: outbox.name, ...tally, breakers }))
    metrics.gauge('posthorn_breakers_open', open.length, { outbox: outbox.name })
    if (await this.#source.keep()) this.#lookAgain()
  }

  /** Runs work that needs the database; on failure logs it and backs off. */
  async #safely<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work()
      this.#failures = 0
      return result
    } catch (error) {
      this.#failures += 1
      const pauseMs = Math.min(50 * 2 ** this.#failures, MAX_PAUSE_MS)
      const { outbox, log } = this.#options
      log.error({ outbox: outbox.name, err: error, pauseMs }, 'relay step failed; backing off')
      await this.#scheduler.pause(pauseMs)
      return undefined
    }
  }
}

/** Whether the consumers of a sent message have gone by it; without a way to know, time alone decides. */
async function hasPassed(outbox: Outbox, row: OutboxRow, transports: Transports): Promise<boolean> {
  const { destination, columns } = outbox
  const target = typeof destination === 'function' ? destination(row) : destination
  const transport = transports[target.transport]
  if (!transport?.passed || !columns.ref) return true
  const ref = Object.fromEntries(
    Object.entries(columns.ref).map(([field, column]) => [field, row[column] as string]),
  )
  const [passed] = await transport.passed([{ destination: target, ref }])
  return passed === true
}
