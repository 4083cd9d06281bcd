import { attemptWithin } from './attempt/bounded-attempt.ts'
import type { Attempter, Transports } from './attempt/attempt.ts'
import { Attempts } from './settle/attempts.ts'
import type { Claim } from './settle/claim.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { LostClaimError, PosthornError } from '../errors.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import { LineLimit, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Semaphore } from '../semaphore.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  resendSettlement,
  settlementOf,
  type Settlement,
} from './settle/settlement.ts'
import { attemptableRows, findOvertaking } from './settle/key-plan.ts'
import type { SettledApart, Source } from './settle/source.ts'
import { reportStuck, StuckMessages } from './stuck-messages.ts'
import type { OpenBreaker } from './attempt/breaker.ts'
import type { ClockOffsets } from './session/session.ts'
import type { Pace } from './pace.ts'
import type { Pulse } from './session/session.sql.ts'
import { countInto, newTally } from './tally.ts'

export interface ClaimWorkerOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly source: Source
  readonly attempter: Attempter
  readonly pace: Pace
  readonly transports: Transports
  readonly log: Log
  readonly metrics: Metrics
}

/** Times that a batch is settled as a whole before its messages are settled apart. */
const WHOLE_TRIES = 2

/** Longest time until a message that waits in front of its consumers is looked at again. */
const MAX_WAIT_MS = 60_000

/** Open breakers that a heartbeat names; a thousand broken endpoints would make it heavy. */
const MOST_BREAKERS = 50

/** What the flow hears of a claim that is worked on. */
export interface WorkEvents {
  /** Some of its messages take their time: other claims need not wait for them. */
  onSlow(): void
  /** These messages are no longer in hand; of some the next due time may be an earlier one. */
  onSettled(rows: readonly OutboxRow[], dueChanged: boolean): void
}

/** A claim whose messages end one by one is settled as a whole if that takes no longer. */
const PATIENCE_MS = 25

/** Statements at a time that settle slow messages. */
const PLACES = 2

/** What happens to a claim: attempt → decide → settle → count, under a lease that is renewed meanwhile. */
export class ClaimWorker {
  readonly #options: ClaimWorkerOptions
  readonly #source: Source
  readonly #abort = new AbortController()
  readonly #stuck: StuckMessages
  readonly #places = new Semaphore(PLACES)
  readonly #deadLines = new LineLimit()
  #tally = newTally()
  #clocks: ClockOffsets = { realMs: 0, businessMs: 0 }

  constructor(options: ClaimWorkerOptions) {
    this.#options = options
    this.#source = options.source
    this.#stuck = new StuckMessages(options.outbox)
  }

  /** Gives up waiting for attempts under way. */
  abort(): void {
    this.#abort.abort()
  }

  /** What was done since the last call; undefined if nothing was. */
  takePulse(): Pulse | undefined {
    const { latency, codes, ...counts } = this.#tally
    this.#tally = newTally()
    const named = { latency, codes, ...this.#options.attempter.takeAnswers() }
    const some = Object.entries(named).filter(([, each]) => Object.keys(each).length > 0)
    if (some.length === 0 && Object.values(counts).every((n) => n === 0)) return undefined
    return { ...counts, ...Object.fromEntries(some) }
  }

  /** What is not tried at the moment. */
  get breakers(): readonly OpenBreaker[] {
    const { attempter, metrics, outbox } = this.#options
    const { open } = attempter
    metrics.gauge('posthorn_breakers_open', open.length, { outbox: outbox.name })
    return open.slice(0, MOST_BREAKERS)
  }

  /** How the database's clocks differ from this process's: latencies are measured by them. */
  setClocks(clocks: ClockOffsets): void {
    this.#clocks = clocks
  }

  /**
   * Attempts and settles a claim; throws where it could not be settled, and the lease runs out. Where each
   * message ends by itself, `onSlow` is called once some take their time: what has ended is settled then, and
   * the slow ones when they end.
   */
  async work(claim: Claim, { onSlow, onSettled }: WorkEvents): Promise<void> {
    const { outbox } = this.#options
    const unsettled = new Set(claim.rows)
    const lease = this.#keepLease(claim, unsettled)
    try {
      const { ended, sending } = await this.#prepare(claim)
      const attempts = new Attempts(outbox, sending)
      const settle = async (before: readonly Settlement[] = []) => {
        const part = [...before, ...attempts.take()]
        const dueChanged = await this.#settlePart(claim, part, attempts.open)
        const open = new Set(attempts.open)
        const done = [...unsettled].filter((row) => !open.has(row))
        for (const row of done) unsettled.delete(row)
        onSettled(done, dueChanged)
      }
      const over = this.#attempt(claim, attempts, lease.signal)
      if (!(await endsWithin(over, this.#patienceMs(claim, sending)))) onSlow()
      await settle(ended)
      while (attempts.open.length > 0) {
        await attempts.news()
        // What ends until there is a place is settled with it.
        await this.#places.run(settle)
      }
      this.#reportOvertaking(attempts.all)
    } catch (error) {
      // Not settled: the lease runs out and the messages are sent again, the same ids as before.
      this.#source.drop(claim)
      onSettled([...unsettled], false)
      lease.abandon()
      throw error
    } finally {
      await lease.end()
    }
  }

  /** What ends without an attempt, and what is to be attempted. */
  async #prepare(claim: Claim): Promise<{ ended: Settlement[]; sending: readonly OutboxRow[] }> {
    const { outbox } = this.#options
    if (claim.kind === 'expired') {
      return { ended: claim.rows.map((row) => lostSettlement(outbox, row)), sending: [] }
    }
    const fatal = new Set(claim.rows.filter((row) => isFatal(outbox, claim, row)))
    const ended = [...fatal].map((row) => fatalSettlement(outbox, row))
    const rows = fatal.size === 0 ? claim.rows : claim.rows.filter((row) => !fatal.has(row))
    if (rows.length === 0) return { ended, sending: [] }
    const others = { ...claim, rows }
    if (claim.kind === 'resend') return { ended, sending: await this.#overdue(others) }
    const sending = attemptableRows(outbox, rows).map((i) => rows[i] as OutboxRow)
    return { ended, sending }
  }

  async #attempt({ kind }: Claim, attempts: Attempts, signal: AbortSignal): Promise<void> {
    const { outbox, attempter } = this.#options
    const { rows } = attempts
    if (rows.length === 0) return
    try {
      await attempter.attempt(rows, signal, (at, attempted) => {
        const made = settlementOf(outbox, rows[at] as OutboxRow, attempted)
        attempts.end(at, kind === 'resend' ? resendSettlement(outbox, made) : made)
      })
    } catch (error) {
      attempts.fail(error)
    }
  }

  /** How long a claim is waited for as a whole; undefined where it is settled as one. */
  #patienceMs({ kind }: Claim, rows: readonly OutboxRow[]): number | undefined {
    const isOrdinary = kind === 'batch' || kind === 'held'
    return isOrdinary && this.#options.attempter.takesEach(rows) ? PATIENCE_MS : undefined
  }

  async #settlePart(
    claim: Claim,
    settlements: readonly Settlement[],
    open: readonly OutboxRow[],
  ): Promise<boolean> {
    const since = performance.now()
    const { lost, unsettled } = await this.#settle(claim, settlements, open)
    this.#options.pace.settled(settlements.length - unsettled.length - lost.length, since)
    const left = new Set(unsettled.map(({ settlement }) => settlement))
    const settled = left.size === 0 ? settlements : settlements.filter((each) => !left.has(each))
    const waits = this.#count(settled, lost)
    await this.#reportStuck(settled)
    return waits || left.size > 0
  }

  /**
   * Settling is tried again while the lease can be renewed: a moment without a database is not a lost
   * batch. From the third time on it settles what can be settled, apart from the rest.
   */
  async #settle(
    claim: Claim,
    settlements: readonly Settlement[],
    open: readonly OutboxRow[],
  ): Promise<SettledApart> {
    const { outbox, log } = this.#options
    const giveUpAt = performance.now() + outbox.leaseMs
    for (let tries = 1; ; tries += 1) {
      const pauseMs = 25 * 2 ** tries
      try {
        const isApart = tries > WHOLE_TRIES
        const done = await this.#source.settle(claim, settlements, { open, isApart })
        this.#report(done)
        return done
      } catch (error) {
        if (performance.now() + pauseMs > giveUpAt) throw error
        log.warn({ outbox: outbox.name, err: error }, 'settle failed; trying again')
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        const rows = settlements.map(({ row }) => row)
        await this.#source.renew({ ...claim, rows }).catch(() => false)
      }
    }
  }

  /** What is settled stays settled, whether this can be written or not. */
  async #reportStuck(settlements: readonly Settlement[]): Promise<void> {
    const { outbox, log } = this.#options
    const ids = new Set(this.#stuck.note(settlements))
    if (ids.size === 0) return
    const stuck = settlements.filter(({ row }) => ids.has(idOf(outbox, row)))
    await reportStuck(this.#options, stuck).catch((error: unknown) =>
      log.warn({ outbox: outbox.name, err: error }, 'alert about a stuck message not stored'),
    )
  }

  #report({ unsettled }: SettledApart): void {
    const { outbox, log } = this.#options
    for (const { settlement, error } of unsettled) {
      log.error(
        { outbox: outbox.name, id: idOf(outbox, settlement.row), err: error },
        'message not settled; trying it alone',
      )
    }
  }

  /** Delivered is delivered: only the person who wrote the transport can mend it. */
  #reportOvertaking(settlements: readonly Settlement[]): void {
    const { outbox, log } = this.#options
    const ids = findOvertaking(outbox, settlements)
    if (ids.length === 0) return
    const problem = `outbox ${outbox.name}: the transport delivered ${ids.length} message(s) behind one of their key that failed`
    log.error(
      {
        outbox: outbox.name,
        ids: ids.slice(0, 10),
        err: new PosthornError('TRANSPORT_BROKEN', problem),
      },
      'order broken by the transport; after a failure it must report the rest of the key as retryLater',
    )
  }

  /**
   * Which of the messages that were never confirmed the consumers have read past. The others stay
   * claimed for a while and are then looked at again: nothing is written about them.
   */
  async #overdue(claim: Claim): Promise<OutboxRow[]> {
    const { outbox, transports } = this.#options
    const ask = () => Promise.all(claim.rows.map((row) => hasPassed(outbox, row, transports)))
    const bounds = { ms: outbox.attemptMs, signal: this.#abort.signal }
    const passed = (await attemptWithin(ask, bounds)) ?? []
    const waiting = claim.rows.filter((_, i) => !passed[i])
    const againMs = Math.min(outbox.confirmWithinMs ?? MAX_WAIT_MS, MAX_WAIT_MS)
    if (waiting.length > 0) await this.#source.renew({ ...claim, rows: waiting }, againMs)
    return claim.rows.filter((_, i) => passed[i])
  }

  /** Renews a claim while its attempts go on, and aborts them when it is lost. */
  #keepLease(claim: Claim, unsettled: ReadonlySet<OutboxRow>) {
    const { outbox, log } = this.#options
    const lost = new AbortController()
    let renewing = Promise.resolve()
    const renew = async () => {
      const rows = [...unsettled]
      const kept = await this.#source.renew({ ...claim, rows }).catch((error: unknown) => {
        log.warn({ outbox: outbox.name, err: error }, 'lease renewal failed; the attempt continues')
        return true
      })
      if (!kept) lost.abort()
    }
    const timer = setInterval(() => {
      renewing = renewing.then(renew)
    }, outbox.leaseMs / 3)
    return {
      signal: AbortSignal.any([lost.signal, this.#abort.signal]),
      abandon: () => lost.abort(),
      async end() {
        clearInterval(timer)
        await renewing
      },
    }
  }

  /** Counts what became of the messages; true if one of them waits to be due again. */
  #count(settlements: readonly Settlement[], lost: readonly string[]): boolean {
    const { outbox, metrics, log } = this.#options
    const labels = { outbox: outbox.name }
    const { delivered, failed, postponed, dead } = countInto(this.#tally, settlements, {
      outbox,
      clocks: this.#clocks,
    })
    this.#tally.lost += lost.length
    if (delivered > 0) metrics.count('posthorn_delivered_total', delivered, labels)
    if (failed > 0) metrics.count('posthorn_failed_total', failed, labels)
    if (postponed > 0) metrics.count('posthorn_postponed_total', postponed, labels)
    if (dead > 0) metrics.count('posthorn_dead_total', dead, labels)
    if (lost.length > 0) {
      metrics.count('posthorn_lost_claims_total', lost.length, labels)
      log.warn(
        { ...labels, err: new LostClaimError(outbox.name, lost) },
        'claim lost: outcome discarded',
      )
    }
    for (const { row, decision } of dead > 0 ? settlements : []) {
      if (decision.role !== 'dead' && decision.role !== 'quarantined') continue
      const { code, message: reason } = decision.failure ?? {}
      const sum = (more: number) =>
        log.error({ ...labels, code, more }, 'more messages are dead; they wait for a replay')
      if (!this.#deadLines.allows(code ?? '', sum)) continue
      log.error(
        { ...labels, id: idOf(outbox, row), code, reason },
        'message is dead; it waits for a replay',
      )
    }
    return settlements.length > delivered + dead
  }
}

/** Whether work is over within `ms`; without a bound it is waited for. */
async function endsWithin(work: Promise<void>, ms: number | undefined): Promise<boolean> {
  if (ms === undefined) return work.then(() => true)
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
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
