import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Prepared } from '../../database/prepared.ts'
import type { Log } from '../../log.ts'
import type { Outbox } from '../../outbox/define.ts'
import { inSql } from '../../outbox/resolved-definition.ts'
import { sleep } from '../../sleep.ts'
import { limitAgenda, selectAgenda, type AgendaRow } from './agenda.sql.ts'

/** Between two polls, where notifications come through. */
const HEARD_MS = 30_000
/** As long as something comes back without a word. */
const HURRY_MS = 5_000

/** What is asked together although its time has not quite come. */
const TOGETHER_MS = 250

export interface AgendaOptions {
  readonly handle: PoolHandle
  readonly outboxes: readonly Outbox[]
  readonly log: Log
  /** Whether the process hears what others enqueue. */
  isHeard(signal: AbortSignal): boolean | Promise<boolean>
  /** What waits in an outbox; undefined where that could not be asked. */
  tell(outbox: string, found: AgendaRow | undefined): void
}

/**
 * One poll for all outboxes of a process: a question that writes nothing, and only outboxes in which something
 * waits are looked at. It finds what no notification told of.
 */
export class Agenda {
  readonly #options: AgendaOptions
  readonly #statement: Prepared
  /** When each outbox is asked next. */
  readonly #askAt: Map<string, number>
  /** Until when it polls as if nothing were heard. */
  #hurryUntil = 0
  #wake = new AbortController()

  constructor(options: AgendaOptions) {
    this.#options = options
    this.#statement = selectAgenda(options.outboxes.map(inSql))
    this.#askAt = new Map(options.outboxes.map(({ name }) => [name, Infinity]))
  }

  /** Asks at once: notifications may have been missed. */
  askNow(outboxes: Iterable<string> = this.#askAt.keys()): void {
    for (const name of outboxes) this.#askAt.set(name, 0)
    this.#wake.abort()
  }

  /** What a relay that is gone had claimed comes back without a word, within a lease. */
  hurry(): void {
    const leases = this.#options.outboxes.map(({ leaseMs }) => leaseMs)
    this.#hurryUntil = performance.now() + Math.max(...leases) + HURRY_MS
    this.askNow()
  }

  /** Polls until the signal aborts; at the start a relay looks by itself. */
  async run(signal: AbortSignal): Promise<void> {
    const { outboxes, log } = this.#options
    this.#plan(outboxes, await this.#options.isHeard(signal))
    while (!signal.aborted) {
      this.#wake = new AbortController()
      const waitMs = Math.min(...this.#askAt.values()) - performance.now()
      await sleep(Math.max(waitMs, 0), AbortSignal.any([signal, this.#wake.signal]))
      const until = performance.now() + TOGETHER_MS
      const asked = outboxes.filter(({ name }) => (this.#askAt.get(name) ?? 0) <= until)
      if (signal.aborted || asked.length === 0) continue
      this.#plan(asked, await this.#options.isHeard(signal))
      await this.ask(asked).catch((error: unknown) => {
        log.warn({ err: error }, 'poll failed; trying again')
      })
    }
  }

  #plan(outboxes: readonly Outbox[], isHeard: boolean): void {
    const now = performance.now()
    const isHurried = now < this.#hurryUntil
    for (const { name, everyMs, unheardMs, leaseMs } of outboxes) {
      const usualMs = everyMs ?? (isHeard ? HEARD_MS : unheardMs)
      const ms = isHurried ? Math.min(usualMs, HURRY_MS, leaseMs) : usualMs
      this.#askAt.set(name, now + ms)
    }
  }

  /** Asks for all at once; where one of the tables does not answer, for each by itself. */
  async ask(outboxes: readonly Outbox[]): Promise<void> {
    const rows = await this.#select(outboxes.map(({ name }) => name)).catch(() => undefined)
    if (rows) return this.#tell(outboxes, rows)
    for (const box of outboxes) {
      const found = await this.#select([box.name], selectAgenda([inSql(box)])).catch(
        () => undefined,
      )
      if (found) this.#tell([box], found)
      else this.#options.tell(box.name, undefined)
    }
  }

  /** Milliseconds until something is due in any of the outboxes: not above zero where it is, Infinity for never. */
  async nextMs(): Promise<number> {
    const rows = await this.#select(this.#options.outboxes.map(({ name }) => name))
    const waits = rows.flatMap(({ ms, recurring_ms }) => [ms ?? Infinity, recurring_ms ?? Infinity])
    return Math.min(...waits)
  }

  #tell(outboxes: readonly Outbox[], rows: readonly AgendaRow[]): void {
    const found = new Map(rows.map((row) => [row.outbox, row]))
    for (const { name } of outboxes) this.#options.tell(name, found.get(name))
  }

  async #select(asked: readonly string[], statement = this.#statement): Promise<AgendaRow[]> {
    return this.#options.handle.transaction(async (tx) => {
      await tx.query(limitAgenda)
      return run<AgendaRow>(tx, statement, { asked })
    })
  }
}
