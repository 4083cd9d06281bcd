import type { Log } from '../log.ts'
import type { Agenda } from './agenda/agenda.ts'
import type { Flow } from './flow.ts'
import { LoopLag } from './session/loop-lag.ts'
import type { BeatNews, BeatNotes, Session } from './session/session.ts'

export interface LifetimeOptions {
  readonly session: Session
  readonly flows: readonly Flow[]
  readonly agenda: Agenda
  readonly log: Log
}

/** What a relay does as long as it has a session: its heartbeat and its poll. */
export class Lifetime {
  readonly #options: LifetimeOptions
  #over = new AbortController()
  #working: Promise<unknown> | undefined
  #isDividing = false
  /** Whether the last heartbeat named open breakers, and whether it had figures. */
  #hadBreakers = false
  #hadPace = false
  readonly #loopLag = new LoopLag()

  constructor(options: LifetimeOptions) {
    this.#options = options
  }

  async begin(outboxes: readonly string[]): Promise<void> {
    const { session, log } = this.#options
    if (session.isOpen) return
    await session.begin(outboxes)
    this.#loopLag.start()
    this.#over = new AbortController()
    const { signal } = this.#over
    const onBeat = (news: BeatNews) => this.#hear(news)
    this.#working = session.keep(signal, { notes: () => this.#notes(), onBeat, log })
  }

  /** From now on the outboxes take their share of the buckets, and the poll looks after them. */
  divide(): void {
    const { flows, agenda } = this.#options
    this.#isDividing = true
    for (const flow of flows) void flow.divide(true)
    const { signal } = this.#over
    this.#working = Promise.all([this.#working, agenda.run(signal)])
  }

  #hear({ isDivided, hasEnded, wasLate, clocks }: BeatNews): void {
    const { flows, agenda } = this.#options
    for (const flow of flows) {
      flow.worker.setClocks(clocks)
      // The heartbeat waits for none of them.
      if (this.#isDividing) void flow.divide(isDivided)
      if (hasEnded || wasLate) flow.lookAgain()
    }
    if (hasEnded) agenda.hurry()
  }

  #notes(): BeatNotes {
    const { flows } = this.#options
    const pulses = new Map(
      flows.flatMap((flow) => {
        const pulse = flow.worker.takePulse()
        return pulse ? [[flow.outbox, pulse] as const] : []
      }),
    )
    const open = flows
      .map((flow) => [flow.outbox, flow.worker.breakers] as const)
      .filter(([, breakers]) => breakers.length > 0)
    const paces = flows.flatMap(({ outbox, pace, window }) => {
      const figures = pace.figures(window.inHand)
      return figures ? [[outbox, figures] as const] : []
    })
    const breakers = this.#hadBreakers || open.length > 0 ? Object.fromEntries(open) : undefined
    const pace = this.#hadPace || paces.length > 0 ? Object.fromEntries(paces) : undefined
    this.#hadBreakers = open.length > 0
    this.#hadPace = paces.length > 0
    return { pulses, breakers, pace, lagMs: this.#loopLag.worstMs }
  }

  /** Says what was done last, and that all is free. */
  async end(): Promise<void> {
    const { session } = this.#options
    this.#over.abort()
    this.#loopLag.stop()
    await this.#working
    this.#isDividing = false
    if (!session.isOpen) return
    await session.beat(this.#notes())
    await session.end()
  }
}
