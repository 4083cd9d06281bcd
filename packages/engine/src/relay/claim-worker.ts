import { attemptWithin } from './attempt/bounded-attempt.ts'
import type { Attempted, Attempter, Transports } from './attempt/attempt.ts'
import type { Claim } from './settle/claim.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { LostClaimError, PosthornError } from '../errors.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  resendSettlement,
  settlementOf,
  type Settlement,
} from './settle/settlement.ts'
import { findOvertaking } from './settle/key-plan.ts'
import type { SettledApart, Source } from './settle/source.ts'
import { reportStuck, StuckMessages } from './stuck-messages.ts'
import { countInto, newTally, type ClockOffsets, type Tally } from './tally.ts'

export interface ClaimWorkerOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly source: Source
  readonly attempter: Attempter
  readonly transports: Transports
  readonly log: Log
  readonly metrics: Metrics
}

/** What the lanes have to know of a claim that was worked on. */
export interface Worked {
  /** Some of its messages wait: the next due time may be an earlier one. */
  readonly dueChanged: boolean
  /** Some of its messages could not be settled. */
  readonly left: boolean
}

/** Times that a batch is settled as a whole before its messages are settled apart. */
const WHOLE_TRIES = 2

/** Longest time until a message that waits in front of its consumers is looked at again. */
const MAX_WAIT_MS = 60_000

/** What happens to a claim: attempt → decide → settle → count, under a lease that is renewed meanwhile. */
export class ClaimWorker {
  readonly #options: ClaimWorkerOptions
  readonly #source: Source
  readonly #abort = new AbortController()
  readonly #stuck: StuckMessages
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

  /** What was counted since the last call. */
  takeTally(): Readonly<Tally> {
    const tally = this.#tally
    this.#tally = newTally()
    return tally
  }

  /** How the database's clocks differ from this process's: latencies are measured by them. */
  setClocks(clocks: ClockOffsets): void {
    this.#clocks = clocks
  }

  /** Attempts and settles a claim; throws where it could not be settled, and the lease runs out. */
  async work(claim: Claim): Promise<Worked> {
    try {
      const settlements = await this.#attempt(claim)
      const { lost, unsettled } = await this.#settle(claim, settlements)
      const left = new Set(unsettled.map(({ settlement }) => settlement))
      const settled = left.size === 0 ? settlements : settlements.filter((each) => !left.has(each))
      const waits = this.#count(settled, lost)
      await this.#reportStuck(settled)
      return { dueChanged: waits || left.size > 0, left: left.size > 0 }
    } catch (error) {
      // Not settled: the lease runs out and the messages are sent again, the same ids as before.
      this.#source.drop(claim)
      throw error
    }
  }

  async #attempt(claim: Claim): Promise<Settlement[]> {
    const { outbox } = this.#options
    if (claim.kind === 'expired') return claim.rows.map((row) => lostSettlement(outbox, row))
    const fatal = claim.rows.filter((row) => isFatal(outbox, claim, row))
    if (fatal.length === 0) return this.#send(claim)
    const ended = fatal.map((row) => fatalSettlement(outbox, row))
    const rows = claim.rows.filter((row) => !fatal.includes(row))
    return rows.length === 0 ? ended : [...ended, ...(await this.#send({ ...claim, rows }))]
  }

  async #send(claim: Claim): Promise<Settlement[]> {
    const { outbox } = this.#options
    const rows = this.#source.attemptable(claim).map((i) => claim.rows[i] as OutboxRow)
    const sending = claim.kind === 'resend' ? await this.#overdue(claim) : rows
    const lease = this.#keepLease(claim)
    try {
      const attempts = await this.#options.attempter.attempt(sending, lease.signal)
      const made = sending.map((row, i) => settlementOf(outbox, row, attempts[i] as Attempted))
      this.#reportOvertaking(made)
      return claim.kind === 'resend' ? made.map((each) => resendSettlement(outbox, each)) : made
    } finally {
      lease.end()
    }
  }

  /**
   * Settling is tried again while the lease can be renewed: a moment without a database is not a lost
   * batch. From the third time on it settles what can be settled, apart from the rest.
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

  /** Counts what became of the messages; true if one of them waits to be due again. */
  #count(settlements: readonly Settlement[], lost: readonly string[]): boolean {
    const { outbox, metrics, log } = this.#options
    const labels = { outbox: outbox.name }
    const { delivered, failed, dead } = countInto(this.#tally, settlements, {
      outbox,
      clocks: this.#clocks,
    })
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
    for (const { row, decision } of dead > 0 ? settlements : []) {
      if (decision.role !== 'dead' && decision.role !== 'quarantined') continue
      log.error(
        { ...labels, id: idOf(outbox, row), code: decision.failure?.code },
        'message is dead; it waits for a replay',
      )
    }
    return settlements.length > delivered + dead
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
