import { rowStatements } from './claim.sql.ts'
import { randomUUID } from 'node:crypto'
import { RowSource } from './row-source.ts'
import type { Buckets } from '../../database/bell.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { Limits, OutboxRow } from '../../outbox/resolved-definition.ts'
import { endPermits, renewPermits, returnPermits, takePermits } from './permits.sql.ts'
import { SUSPECT_GROUP, type Claim, type ClaimKind } from '../settle/claim.ts'
import { idOf, type Settlement } from '../settle/settlement.ts'
import { attemptableRows } from '../settle/key-plan.ts'
import type { Maintenance, SettledApart, SettlePart, Source } from '../settle/source.ts'

/** Until the next look where as many are under way as may be: another process may have ended one. */
const AT_ONCE_MS = 100

/** Permits of a claim, by key; the empty key is the whole outbox. */
interface Permits {
  readonly token: string
  readonly counts: ReadonlyMap<string, number>
}

/** What a claim may take at most, and of whom nothing. */
interface Wanted {
  readonly batch: number
  readonly fullKeys: readonly string[]
}

interface Granted {
  readonly key: string
  readonly granted: number
  readonly wait_ms: number | null
}

/**
 * Keeps a limit over all processes around the claims of another source, which knows nothing of it. A
 * limit of the whole outbox is asked for before a claim, which then takes no more than that. One for each
 * key is asked for behind a look at what is due, which writes nothing; the next looks leave out keys without
 * room. Of other claims, which are few, what has no room is put back as it was. Permits have a lease of their own, so that those of a process that died come back.
 */
export class LimitedSource implements Source {
  readonly #inner: Source
  /** The same, where each key has a limit. */
  readonly #rows: RowSource | undefined
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #limit: Limits
  /** By the token of their claim. */
  readonly #permits = new Map<string, Permits>()
  /** Keys without room, and until when they are left out. */
  readonly #full = new Map<string, number>()

  constructor(inner: Source, { handle, outbox }: { handle: PoolHandle; outbox: Outbox }) {
    this.#inner = inner
    this.#rows = inner instanceof RowSource ? inner : undefined
    this.#handle = handle
    this.#outbox = outbox
    this.#limit = outbox.limit as Limits
  }

  async claim(
    kind: ClaimKind,
    batch = this.#outbox.batch,
    fullKeys: readonly string[] = [],
  ): Promise<Claim | undefined> {
    // Nothing is delivered of a claim whose relay is gone.
    if (kind === 'expired') return this.#inner.claim(kind, batch)
    this.#forgetPast()
    const asked = { batch, fullKeys }
    if (this.#limit.by === undefined || !this.#rows) return this.#claimWithin(kind, asked)
    return kind === 'batch' ? this.#claimGranted(this.#rows, asked) : this.#claimByKey(kind, batch)
  }

  async #claimWithin(kind: ClaimKind, { batch, fullKeys }: Wanted): Promise<Claim | undefined> {
    if (this.#full.has(WHOLE)) return undefined
    const token = randomUUID()
    const wanted = kind === 'suspect' ? Math.min(batch, SUSPECT_GROUP) : batch
    const granted = (await this.#take(token, new Map([[WHOLE, wanted]]))).get(WHOLE) ?? 0
    if (granted === 0) return undefined
    let used = 0
    try {
      const claim = await this.#inner.claim(kind, granted, fullKeys)
      if (!claim) return undefined
      used = attemptableRows(this.#outbox, claim.rows).length
      if (used > 0) this.#permits.set(claim.token, { token, counts: new Map([[WHOLE, used]]) })
      return claim
    } finally {
      await this.#return(token, new Map([[WHOLE, granted - used]]))
    }
  }

  async #claimGranted(rows: RowSource, { batch, fullKeys }: Wanted): Promise<Claim | undefined> {
    for (;;) {
      const wanted = await rows.look(batch, [...this.#full.keys(), ...fullKeys])
      if (wanted.size === 0) return undefined
      const token = randomUUID()
      const counts = await this.#take(token, wanted)
      const granted = new Map([...counts].filter(([, count]) => count > 0))
      // Every key of this look is full: the next one leaves them out.
      if (granted.size === 0) continue
      const unused = new Map(granted)
      try {
        const claim = await rows.claimGranted(batch, granted)
        const used = this.#countByKey(claim?.rows ?? [])
        for (const [key, count] of used) unused.set(key, (granted.get(key) ?? 0) - count)
        if (claim && used.size > 0) this.#permits.set(claim.token, { token, counts: used })
        return claim
      } finally {
        await this.#return(token, unused)
      }
    }
  }

  async #claimByKey(kind: ClaimKind, batch: number): Promise<Claim | undefined> {
    const claim = await this.#inner.claim(kind, batch)
    if (!claim || claim.rows.length === 0) return claim
    const token = randomUUID()
    const byKey = Map.groupBy(claim.rows, (row) => this.#keyOf(row))
    const counts = await this.#take(token, this.#countByKey(claim.rows))
    const going = new Set([...byKey].flatMap(([key, rows]) => rows.slice(0, counts.get(key))))
    const back = claim.rows.filter((row) => !going.has(row))
    if (back.length > 0) await this.#putBack(claim, back)
    if (going.size === 0) return undefined
    const rows = claim.rows.filter((row) => going.has(row))
    this.#permits.set(claim.token, { token, counts })
    return { ...claim, rows }
  }

  #countByKey(rows: readonly OutboxRow[]): Map<string, number> {
    const byKey = Map.groupBy(rows, (row) => this.#keyOf(row))
    return new Map([...byKey].map(([key, group]) => [key, group.length]))
  }

  hear(buckets: Buckets): void {
    this.#inner.hear?.(buckets)
  }

  isElsewhere(buckets: Buckets): boolean {
    return this.#inner.isElsewhere?.(buckets) === true
  }

  #keyOf(row: OutboxRow): string {
    return String(row[this.#limit.by as string])
  }

  /** What may go of each key; keys that got less than they wanted are full for a while. */
  async #take(token: string, wanted: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const { name: outbox, leaseMs } = this.#outbox
    const { rows } = await this.#handle.db.query<Granted>(
      takePermits({
        ...{ outbox, limit: this.#limit, token, leaseMs },
        keys: [...wanted.keys()],
        wanted: [...wanted.values()],
      }),
    )
    for (const { key, granted, wait_ms: ms } of rows) {
      if (granted >= (wanted.get(key) ?? 0)) continue
      // What was granted goes first: its end may make room.
      if (granted > 0 && this.#limit.by === undefined) continue
      this.#full.set(key, performance.now() + (ms ?? AT_ONCE_MS))
    }
    return new Map(rows.map(({ key, granted }) => [key, granted]))
  }

  async #return(token: string, unused: ReadonlyMap<string, number>): Promise<void> {
    const left = [...unused].filter(([, count]) => count > 0)
    if (left.length === 0) return
    const keys = left.map(([key]) => key)
    const counts = left.map(([, count]) => count)
    const { name: outbox } = this.#outbox
    await this.#handle.db.query(returnPermits({ outbox, token, keys, counts }))
  }

  async #putBack({ token }: Claim, rows: readonly OutboxRow[]): Promise<void> {
    const ids = rows.map((row) => idOf(this.#outbox, row))
    const { putBack } = rowStatements(this.#outbox)
    if (putBack) await run(this.#handle.db, putBack, { ids, token })
  }

  #forgetPast(): void {
    const now = performance.now()
    for (const [key, until] of this.#full) if (until <= now) this.#full.delete(key)
  }

  async renew(claim: Claim, ms?: number): Promise<boolean> {
    const held = this.#permits.get(claim.token)
    if (held) {
      const { name: outbox, leaseMs } = this.#outbox
      const keys = [...held.counts.keys()]
      await this.#handle.db.query(renewPermits({ outbox, token: held.token, keys, leaseMs }))
    }
    return this.#inner.renew(claim, ms)
  }

  async settle(
    claim: Claim,
    settlements: readonly Settlement[],
    part: SettlePart = {},
  ): Promise<SettledApart> {
    const done = await this.#inner.settle(claim, settlements, part)
    await this.#end(claim, part.open ?? [])
    return done
  }

  async settleLate(): Promise<void> {
    await this.#inner.settleLate?.()
  }

  /** What cannot be given back now comes back with its lease. */
  async #end(claim: Claim, open: readonly OutboxRow[]): Promise<void> {
    const held = this.#permits.get(claim.token)
    if (!held || this.#limit.atOnce === undefined) return
    const { name: outbox } = this.#outbox
    const { token } = held
    if (open.length > 0) {
      // What ended counts for the rate as long as its claim: it is given back together with the rest.
      if (this.#limit.rate !== undefined) return
      const left =
        this.#limit.by === undefined ? new Map([[WHOLE, open.length]]) : this.#countByKey(open)
      const ended = [...held.counts].map(
        ([key, count]) => [key, count - (left.get(key) ?? 0)] as const,
      )
      this.#permits.set(claim.token, { token, counts: left })
      await this.#return(token, new Map(ended)).catch(() => undefined)
      for (const [key, count] of ended) if (count > 0) this.#full.delete(key)
      return
    }
    this.#permits.delete(claim.token)
    const keys = [...held.counts.keys()]
    await this.#handle.db.query(endPermits({ outbox, token, keys })).catch(() => undefined)
    for (const key of keys) if (this.#limit.rate === undefined) this.#full.delete(key)
  }

  drop(claim: Claim): void {
    this.#permits.delete(claim.token)
    this.#inner.drop(claim)
  }

  maintain(what?: Maintenance): Promise<boolean> {
    return this.#inner.maintain(what)
  }

  /** Where a limit is used up, something may be due already: then it is the limit that is waited for. */
  owedMs(): number | undefined {
    return this.#inner.owedMs?.()
  }

  lookAtAll(): void {
    this.#inner.lookAtAll?.()
  }

  async nextDueMs(sinceMs: number): Promise<number | undefined> {
    const due = await this.#inner.nextDueMs(sinceMs)
    const now = performance.now()
    const waits = [...this.#full.values()].map((until) => Math.max(until - now, 1))
    const next = this.#full.has(WHOLE) ? [] : due === undefined ? [] : [due]
    return [...waits, ...next].length === 0 ? due : Math.min(...waits, ...next)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}

const WHOLE = ''
