import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import type { Claim, ClaimKind } from './settle/claim.ts'
import { fromPg } from '../enqueue/adapters/pg.ts'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { confirm } from './settle/confirm.ts'
import type { Outbox } from '../outbox/define.ts'
import { enqueue, enqueueAll } from '../enqueue/enqueue.ts'
import { KeySource } from './key/key-source.ts'
import { LogSource } from './log/log-source.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { delivered, retryLater } from '../outbox/outcome.ts'
import { createRelay } from './relay.ts'
import { cancel, replay } from '../control/replay.ts'
import { LOST_CLAIMS_LIMIT } from '../outbox/retry.ts'
import { RowSource } from './row/row-source.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  settlementOf,
} from './settle/settlement.ts'
import { Attempts } from './settle/attempts.ts'
import { attemptableRows } from './settle/key-plan.ts'
import type { Source } from './settle/source.ts'
import { Session } from './session/session.ts'
import { fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import {
  LosingHandle,
  LostAnswer,
  mayBeSettled,
  outcomeOf,
  type InHand,
} from '../testing/model-hand.ts'
import { move, type Move } from '../testing/model-moves.ts'
import {
  ATTEMPTS,
  keyBeside,
  NoAudit,
  outboxes,
  outboxTables,
  unsettleable,
  type Note,
} from '../testing/model-outboxes.ts'
import { transaction } from '../database/transaction.ts'

/*
 * Any interleaving of enqueue, late commit, claim, attempt, settle, confirm, crash, restart, lease
 * expiry, time, replay and cancel, with three relays. Of a claim some messages may be slow: the others are settled
 * without them, and they end later, perhaps behind a takeover. Nothing is lost, a message never has two owners
 * whose leases hold, no message goes before it is due or past a dead one that blocks its key, order per
 * key holds after removing duplicates, attempts are bounded, and a message that cannot be settled ends
 * without its neighbours.
 */

const db = await testDatabase({ sql: outboxTables })
await useMovableClock(db.pool)

/** A key in the bucket of another one, with one writer at a time whose transaction stays open for a while. */
const LATE = await keyBeside(db.pool, 'a')

/** What a relay does in one step each, so that anything can happen in between. */
class World {
  readonly outbox: Outbox<Note>
  readonly box: Outbox
  readonly enqueued: { id: string; key: string }[] = []
  readonly arrived: { id: string; key: string }[] = []
  readonly attempts = new Map<string, number>()
  /** Those of them that failed. */
  readonly failures = new Map<string, number>()
  readonly cancelled = new Set<string>()
  /** Failures that a confirmation brought. */
  readonly failedLater = new Map<string, number>()
  /** What a relay had in hand when it was lost: it is next claimed as a suspect. */
  readonly #suspects = new Set<string>()
  unsettleable: string | undefined
  readonly #handle = new LosingHandle(db.pool)
  #sources: Source[] = []
  #sessions: Session[] = []
  /** Those of relays that crashed: the others count them until their leases run out. */
  #crashed: Session[] = []
  #writer: PoolClient | undefined
  #inHand: InHand[][] = [[], [], []]
  #made = 0

  constructor(outbox: Outbox<Note>) {
    this.outbox = outbox
    this.box = outbox as unknown as Outbox
  }

  async begin(relays: number, keys: readonly string[]): Promise<void> {
    await viewTable(db.pool, this.box).empty()
    for (let at = 0; at < relays; at += 1) await this.#start(at)
    await this.#beatAll()
    const notes = keys.map((key) => ({ key }))
    const all = await transaction(db.pool, (tx) => enqueueAll(tx, this.outbox, notes))
    all.forEach(({ id }, n) => this.enqueued.push({ id, key: keys[n] as string }))
  }

  /** Claims in hand. */
  get claims(): number {
    return this.#inHand.flat().length
  }

  /** Makes one of the messages one that cannot be settled, where there is an audit to refuse it. */
  mark(at: number): void {
    this.unsettleable = this.box.audit.settled ? this.enqueued[at]?.id : undefined
    unsettleable.id = this.unsettleable
  }

  /** Ends what a failed run may have left open. */
  async close(): Promise<void> {
    await this.#writer?.query('rollback')
    this.#writer?.release()
    for (const session of [...this.#sessions, ...this.#crashed]) await session.end()
  }

  async #start(at: number): Promise<void> {
    this.#made += 1
    const handle = this.#handle
    const session = new Session({ handle, relay: `relay-${this.#made}`, outboxes: [this.box] })
    // Relays that know of each other share the buckets.
    await session.begin([this.box.name])
    this.#sessions[at] = session
    this.#inHand[at] = []
    if (!this.box.order) this.#sources[at] = new RowSource(handle, this.box)
    else
      this.#sources[at] = new (this.box.log ? LogSource : KeySource)(handle, this.box, { session })
  }

  /** A heartbeat of every relay that is there: each learns what became of its session. */
  async #beatAll(): Promise<void> {
    for (const [at, session] of this.#sessions.entries()) {
      await session.beat()
      await this.#sources[at]?.maintain()
    }
  }

  async make(next: Move): Promise<void> {
    switch (next.kind) {
      case 'enqueue': {
        const note = { key: next.key }
        const { id } = await transaction(db.pool, (tx) =>
          enqueue(tx, this.outbox, note, {
            ...(this.box.order ? { serialise: true } : {}),
            ...(next.delay ? { delay: next.delay } : {}),
          }),
        )
        this.enqueued.push({ id, key: next.key })
        return
      }
      case 'write late':
        return this.#writer ? this.#commitLate() : this.#beginLate()
      case 'claim':
        return this.#claimAny(next.relay, next.of, next.batch)
      case 'attempt':
        return this.#attempt(next)
      case 'settle':
        return this.#settleOne(next)
      case 'crash':
        this.#crashed.push(this.#sessions[next.relay] as Session)
        this.#inHand[next.relay]?.forEach((each) => this.#bury(each))
        await this.#start(next.relay)
        await this.#sources[next.relay]?.maintain()
        return
      case 'restart':
        return this.#restart(next.relay)
      case 'give up':
        return this.#giveUp(next.pick)
      case 'expire':
        await this.#expire()
        await this.#beatAll()
        return
      case 'outlive':
        return this.#outlive(next.relay, next.by)
      case 'sleep':
        return this.#sleep(next.relay)
      case 'wait':
        await advanceClock(db.pool, '2s')
        return
      case 'replay':
        return this.#replay({ filter: {} })
      case 'replay some': {
        const ids = await this.#pick('dead', next.pick)
        return this.#replay({ filter: { ids }, perSecond: next.perSecond })
      }
      case 'cancel': {
        const ids = await this.#pick('dead', next.pick)
        const ended = await transaction(db.pool, (tx) =>
          cancel(tx, this.outbox, { ids, by: 'ops' }),
        )
        ended.forEach((id) => this.cancelled.add(id))
        return
      }
      case 'confirm':
        return this.#confirm(next)
    }
  }

  async #replay(which: Pick<Parameters<typeof replay>[2], 'filter' | 'perSecond'>): Promise<void> {
    const ids = await transaction(db.pool, (tx) => replay(tx, this.outbox, { ...which, by: 'ops' }))
    ids.forEach((id) => this.#suspects.delete(id))
  }

  async #beginLate(): Promise<void> {
    this.#writer = await db.pool.connect()
    await this.#writer.query('begin')
    const { id } = await enqueue(fromPg(this.#writer), this.outbox, { key: LATE })
    this.enqueued.push({ id, key: LATE })
  }

  async #commitLate(): Promise<void> {
    await this.#writer?.query('commit')
    this.#writer?.release()
    this.#writer = undefined
  }

  /** A relay that has nothing in hand gives its buckets back, and another begins. */
  async #restart(at: number): Promise<void> {
    if (this.#inHand[at]?.length !== 0) return
    await this.#sources[at]?.close()
    await this.#sessions[at]?.end()
    await this.#start(at)
    await this.#beatAll()
  }

  /** The answers of a claim's settling got lost for too long. */
  #giveUp(pick: number): void {
    const found = this.#pickClaim(pick, ({ tries }) => tries > 0)
    if (!found) return
    const { at, inHand } = found
    this.#sources[at]?.drop(inHand.claim)
    // Slow messages whose run has ended are read again as they are.
    if (!inHand.isSplit) this.#bury(inHand)
    this.#remove(at, inHand)
  }

  #remove(at: number, inHand: InHand): void {
    this.#inHand[at] = (this.#inHand[at] ?? []).filter((each) => each !== inHand)
  }

  /** Its lease is over, and its heartbeat and that of another one come at once: one of them is first. */
  async #outlive(at: number, by: number): Promise<void> {
    const session = this.#sessions[at] as Session
    const { id } = session
    await this.#endLease(session)
    const other = this.#sessions[by === at ? (at + 1) % 3 : by] as Session
    await Promise.all([session, other].map((each) => each.beat()))
    if (session.id !== id) this.#lose(at)
    await this.#beatAll()
  }

  /** Its process is paused for longer than its lease: the others take what it has, and it does not know. */
  async #sleep(at: number): Promise<void> {
    await this.#endLease(this.#sessions[at] as Session)
    this.#lose(at)
    for (const other of [0, 1, 2].filter((each) => each !== at)) {
      await this.#sessions[other]?.beat()
      await this.#sources[other]?.maintain()
    }
  }

  async #endLease({ id }: Session): Promise<void> {
    await db.pool.query(
      `update posthorn.session set until = now() - interval '1 s' where id = $1 and until is not null`,
      [id],
    )
  }

  /** By row the claims have a time of their own. */
  #lose(at: number): void {
    if (this.box.order) this.#inHand[at]?.forEach((each) => this.#bury(each))
  }

  #bury(inHand: InHand): void {
    const { claim, owned, zombie } = inHand
    const isSuspect = !zombie && claim.kind !== 'resend' && claim.kind !== 'expired'
    if (isSuspect) owned.forEach((id) => this.#suspects.add(id))
    inHand.zombie = true
  }

  async #expire(): Promise<void> {
    await viewTable(db.pool, this.box).expireLeases()
    for (const session of this.#crashed.splice(0)) await session.end()
    this.#inHand.flat().forEach((each) => this.#bury(each))
  }

  /** One of the messages in a state, or none. */
  async #pick(state: string, pick: number): Promise<string[]> {
    const { rows } = await db.pool.query<{ id: string }>(
      `select id from ${this.box.exceptions ?? this.box.table} where status = $1 order by id`,
      [state],
    )
    const row = rows[pick % Math.max(rows.length, 1)]
    return row ? [row.id] : []
  }

  /** Only what arrived can be spoken of; it may be on its way still, or settled long ago. */
  async #confirm({ pick, as }: Extract<Move, { kind: 'confirm' }>): Promise<void> {
    const arrived = this.arrived[pick % Math.max(this.arrived.length, 1)]
    if (this.box.states.confirmed === undefined || !arrived) return
    if (arrived.id === this.unsettleable) return
    const outcome = outcomeOf(as !== 'delivered', as === 'refused')
    const applied = await transaction(db.pool, (tx) =>
      confirm(tx, this.outbox, [{ id: arrived.id, outcome }]),
    )
    for (const id of as === 'delivered' ? [] : applied) {
      this.failedLater.set(id, (this.failedLater.get(id) ?? 0) + 1)
    }
    // The outcome ended the claim, if there was one: its relay no longer owns the message.
    for (const { owned } of this.#inHand.flat()) applied.forEach((id) => owned.delete(id))
    applied.forEach((id) => this.#suspects.delete(id))
  }

  /** One of such claims in hand, so that few moves are made in vain, and whose it is. */
  #pickClaim(
    pick: number,
    is: (inHand: InHand, all: readonly InHand[]) => boolean,
  ): { at: number; inHand: InHand } | undefined {
    const found = this.#inHand.flatMap((all, at) =>
      all.filter((each) => is(each, all)).map((inHand) => ({ at, inHand })),
    )
    return found[pick % Math.max(found.length, 1)]
  }

  /** The first relay that finds something: most have none of the few buckets in use. */
  async #claimAny(pick: number, of: ClaimKind, batch?: number): Promise<void> {
    for (const offset of [0, 1, 2]) if (await this.#claim((pick + offset) % 3, of, batch)) return
  }

  async #claim(at: number, of: ClaimKind, batch?: number): Promise<boolean> {
    const claim = await this.#sources[at]?.claim(of, batch)
    if (!claim) return false
    const owned = new Set(claim.rows.map((row) => idOf(this.box, row)))
    for (const other of this.#inHand.flat()) {
      if (other.zombie || other.claim.kind === 'expired') continue
      const both = [...other.owned].filter((id) => owned.has(id))
      expect(both, 'a message with two owners').toEqual([])
    }
    if (claim.kind === 'batch' || claim.kind === 'held') {
      const lost = [...owned].filter((id) => this.#suspects.has(id))
      expect(lost, 'what a relay was lost with, among others').toEqual([])
    } else if (claim.kind === 'suspect') owned.forEach((id) => this.#suspects.delete(id))
    if (this.box.order) await this.#checkOrderOfClaim(claim)
    const fresh = { attempts: undefined, ended: undefined, tries: 0, isSplit: false }
    this.#inHand[at]?.push({ claim, ...fresh, zombie: false, owned })
    return true
  }

  /** What may be attempted is due, and nothing of its key is in front of it but what it was read with. */
  async #checkOrderOfClaim(claim: Claim): Promise<void> {
    const read = claim.rows.map((row) => idOf(this.box, row))
    const may = attemptableRows(this.box, claim.rows).map((i) => read[i])
    const { rows } = await db.pool.query<{ early: boolean; past: string[] }>(
      `with all_rows as (${viewTable(db.pool, this.box).placed('id, key, status, code, due_at')})
       select * from (
         select m.id, m.due_at > posthorn.now() as early, array(
                  select e.status from all_rows as e
                   where e.key = m.key and e.place < m.place and e.id <> all($2::uuid[])
                     and (e.status = 'ready'
                       or (e.status = 'dead' and e.code is distinct from 'PARKED' and $3))) as past
           from all_rows as m
          where m.id = any($1::uuid[])) as claimed
        where early or past <> '{}'`,
      [may, read, this.box.order?.dead !== 'skip'],
    )
    const early = rows.filter((row) => row.early)
    expect(early, 'a message before it is due').toEqual([])
    expect(rows, 'a message past another one of its key').toEqual([])
  }

  async #settleOne({ pick, answered }: Extract<Move, { kind: 'settle' }>): Promise<void> {
    const found = this.#pickClaim(pick, mayBeSettled)
    if (!found) return
    const { at, inHand } = found
    this.#handle.loses = !answered
    const isAnswered = await this.#settle(at, inHand)
    this.#handle.loses = false
    const { attempts, owned } = inHand
    const open = (attempts?.open ?? []).map((row) => idOf(this.box, row))
    inHand.owned = new Set(open.filter((id) => owned.has(id)))
    if (!isAnswered) {
      // The relay settles once more, whatever happens meanwhile.
      inHand.tries += 1
      return
    }
    Object.assign(inHand, { ended: undefined, tries: 0, isSplit: true })
    if (open.length === 0) this.#remove(at, inHand)
  }

  /** Settles; what belongs to another relay by now must not change. False where the answer got lost. */
  async #settle(at: number, { claim, attempts, ended = [], tries }: InHand): Promise<boolean> {
    const before = await this.#notOurs(claim)
    const source = this.#sources[at] as Source
    const open = attempts?.open ?? []
    const lost = await source
      .settle(claim, ended, { open, isApart: tries > 1 })
      .catch((error: unknown) => {
        if (!(error instanceof NoAudit)) throw error
        return source.settle(claim, ended, { open, isApart: true })
      })
      .then((done) => done.lost)
      .catch((error: unknown) => {
        if (error instanceof LostAnswer) return undefined
        throw error
      })
    const after = await viewTable(db.pool, this.box).rows()
    for (const row of before) {
      expect(
        after.find((each) => each['id'] === row['id']),
        'a fence that did not hold',
      ).toEqual(row)
    }
    const settled = ended.map(({ row }) => idOf(this.box, row)).filter((id) => !lost?.includes(id))
    settled.forEach((id) => this.#suspects.delete(id))
    return lost !== undefined
  }

  async #notOurs({ rows, token, leases: held }: Claim): Promise<Record<string, unknown>[]> {
    const ids = new Set(rows.map((row) => row['id']))
    const now = (await viewTable(db.pool, this.box).rows()).filter((row) => ids.has(row['id']))
    if (!this.box.order) return now.filter((row) => row['claim_token'] !== token)
    const leases = await db.pool.query<{ bucket: number; token: string | null }>(
      'select bucket, token from posthorn.bucket where outbox = $1',
      [this.box.name],
    )
    const owner = new Map(leases.rows.map((lease) => [lease.bucket, lease.token]))
    const lost = new Set(
      held.filter((lease) => owner.get(lease.bucket) !== lease.token).map(({ bucket }) => bucket),
    )
    return now.filter((row) => lost.has(Number(row['bucket'])))
  }

  #attempt({ pick, failing, refusing, slow }: Extract<Move, { kind: 'attempt' }>): void {
    const found = this.#pickClaim(pick, ({ ended }) => ended === undefined)
    if (!found) return
    const { inHand } = found
    const { claim } = inHand
    const isFatalOne = claim.rows.some((row) => isFatal(this.box, claim, row))
    if (claim.kind === 'expired' || isFatalOne) {
      const end = claim.kind === 'expired' ? lostSettlement : fatalSettlement
      inHand.ended = claim.rows.map((row) => end(this.box, row))
      return
    }
    const sending = attemptableRows(this.box, claim.rows).map((i) => claim.rows[i] as OutboxRow)
    inHand.attempts ??= new Attempts(this.box, sending)
    const { attempts } = inHand
    const made = new Set(attempts.all.map(({ row }) => row))
    const mayBeSlow = claim.kind === 'batch' || claim.kind === 'held'
    const stopped = new Map<string, 'slow' | 'failed'>()
    const open = [...attempts.rows.entries()].filter(([, row]) => !made.has(row))
    for (const [n, [i, row]] of open.entries()) {
      const key = String(row['key'])
      const before = this.box.order && stopped.get(key)
      if (before === 'slow' || (mayBeSlow && before === undefined && (slow >> n) & 1)) {
        stopped.set(key, 'slow')
        continue
      }
      const outcome =
        before === 'failed'
          ? retryLater('held back')
          : outcomeOf(failing > 0 && n + 1 >= failing, refusing)
      const id = idOf(this.box, row)
      if (outcome.kind !== 'delivered') {
        stopped.set(key, 'failed')
        this.failures.set(id, (this.failures.get(id) ?? 0) + 1)
      } else this.arrived.push({ id, key })
      this.attempts.set(id, (this.attempts.get(id) ?? 0) + 1)
      attempts.end(i, settlementOf(this.box, row, { outcome, backoffMs: 0 }))
    }
    inHand.ended = attempts.take()
  }

  /**
   * All relays are gone and another one begins, or they are well: what waits for nothing is settled, no message
   * is sent more often than its own fate asks for, and what cannot be settled ends.
   */
  async drain(areGone: boolean): Promise<void> {
    if (this.#writer) await this.#commitLate()
    if (areGone) {
      for (const each of this.#inHand.splice(0).flat()) this.#bury(each)
      this.#crashed.push(...this.#sessions.splice(0))
    } else await this.#finish()
    await this.#endCrashed()
    if (areGone) await this.#start(0)
    const before = new Map(this.attempts)
    for (let claims = 1, round = 0; round < 20 && (claims > 0 || round < 3); round += 1) {
      claims = 0
      await this.#beatAll()
      for (const at of this.#sessions.keys()) {
        for (const of of ['expired', 'held', 'suspect', 'batch'] as const) {
          for (let n = 0; n < 20 && (await this.#claim(at, of)); n += 1) {
            claims += 1
            await this.#finish()
          }
        }
      }
      this.#checkSends(before)
      await advanceClock(db.pool, '1m')
    }
    await this.#checkStuck()
    unsettleable.id = undefined
  }

  /** Everything in hand ends and is settled. */
  async #finish(): Promise<void> {
    while (this.#inHand.flat().length > 0) {
      this.#attempt({ kind: 'attempt', pick: 0, failing: 0, refusing: false, slow: 0 })
      await this.#settleOne({ kind: 'settle', pick: 0, answered: true })
    }
  }

  /** The claims of relays that are gone are over. */
  async #endCrashed(): Promise<void> {
    for (const session of this.#crashed.splice(0)) await session.end()
    if (!this.box.order) await this.#expire()
  }

  #checkSends(before: ReadonlyMap<string, number>): void {
    const marked = this.enqueued.find(({ id }) => id === this.unsettleable)
    for (const { id, key } of this.enqueued) {
      const sends = (this.attempts.get(id) ?? 0) - (before.get(id) ?? 0)
      // What went out behind the message that cannot be settled is sent again with its key.
      const most = this.box.order && key === marked?.key ? 2 : 1
      const bound = id === marked?.id ? LOST_CLAIMS_LIMIT + 1 : most
      expect(sends, 'sends of one message').toBeLessThanOrEqual(bound)
    }
  }

  /** Nothing waits but what is behind a dead message that blocks its key, or was replayed out of its tail. */
  async #checkStuck(): Promise<void> {
    const rows = await viewTable(db.pool, this.box).rows()
    const stops = this.box.order !== undefined && this.box.order.dead !== 'skip'
    const isStopping = (row: Record<string, unknown>) =>
      stops && row['status'] === 'dead' && row['code'] !== 'PARKED'
    const blocked = new Set(rows.filter(isStopping).map(({ key }) => key))
    const waits = (row: Record<string, unknown>) =>
      row['status'] === 'ready' || row['status'] === 'claimed'
    expect(
      rows.filter((row) => waits(row) && !blocked.has(row['key'])),
      'messages that wait for nothing',
    ).toEqual([])
  }

  /** All relays are gone; one healthy relay and one operator deliver the rest. */
  async end(): Promise<void> {
    await viewTable(db.pool, this.box).expireLeases()
    const fake = fakeTransport((message) => {
      this.arrived.push({ id: message.id, key: String(message.key) })
      return delivered()
    })
    const last = createRelay({
      pool: db.pool,
      outboxes: [this.box],
      transports: { fake },
      mode: 'poll',
    })
    for (let i = 0; i < 60; i += 1) {
      await transaction(db.pool, (tx) => replay(tx, this.outbox, { filter: {}, by: 'ops' }))
      await advanceClock(db.pool, '1m')
      if ((await last.runOnce()) === 0 && i > 2) break
    }
    await last.runOnce()
    if (this.box.states.confirmed === undefined) return
    const outcomes = this.enqueued.map(({ id }) => ({ id, outcome: delivered() }))
    await transaction(db.pool, (tx) => confirm(tx, this.outbox, outcomes))
  }

  async check(): Promise<void> {
    const rows = await viewTable(db.pool, this.box).rows()
    const last = this.box.states.confirmed ?? this.box.states.sent
    expect(rows.map((row) => row['status'])).toEqual(
      rows.map((row) => (this.cancelled.has(String(row['id'])) ? 'cancelled' : last)),
    )
    expect(new Set(rows.map((row) => row['id']))).toEqual(
      new Set(this.enqueued.map(({ id }) => id)),
    )
    const arrived = new Set(this.arrived.map(({ id }) => id))
    const wanted = this.enqueued.filter(({ id }) => !this.cancelled.has(id))
    expect(wanted.filter(({ id }) => !arrived.has(id))).toEqual([])
    for (const row of rows) expect(Number(row['attempts'])).toBeLessThanOrEqual(ATTEMPTS)
    for (const { id } of this.enqueued) await this.#checkCounted(id)
    if (this.box.order?.dead === 'block') this.#checkOrder()
  }

  /** An attempt is on record once, however often its settlement was repeated. */
  async #checkCounted(id: string): Promise<void> {
    const { rows } = await db.pool.query<{ failures: number }>(
      `select count(*)::int as failures from posthorn.transition
        where outbox = $1 and message_id = $2 and code in ('DELIVERY_FAILED', 'DELIVERY_REFUSED')`,
      [this.box.name, id],
    )
    expect(rows[0]?.failures, 'a failure counted twice').toBeLessThanOrEqual(
      (this.failures.get(id) ?? 0) + (this.failedLater.get(id) ?? 0),
    )
  }

  #checkOrder(): void {
    for (const key of new Set(this.enqueued.map((each) => each.key))) {
      const ofKey = (all: { id: string; key: string }[]) =>
        all.filter((each) => each.key === key && !this.cancelled.has(each.id)).map(({ id }) => id)
      expect([...new Set(ofKey(this.arrived))]).toEqual(ofKey(this.enqueued))
    }
  }
}

/** What waits before anything happens. */
const FIRST = ['a', 'a', 'b', 'a', 'c', 'b']

const RUNS = Number(
  process.env['POSTHORN_MODEL_RUNS'] ?? (process.env['PROOF'] === 'full' ? 100 : 8),
)

/** A slow machine makes fewer runs; one that has begun comes to its end, or it would disturb the next. */
const MOST_MS = 50_000

/** To see a failure again, and shrink it: its `seed` and its `path`, as the failure prints them. */
const { POSTHORN_MODEL_SEED: seed, POSTHORN_MODEL_PATH: path } = process.env

describe.each(Object.entries(outboxes))('%s', (...[, outbox]) => {
  test('in any interleaving no message is lost, owned by two relays or sent out of order', async () => {
    const startedAt = performance.now()
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 20, maxLength: 80, size: 'max' }),
        fc.nat(FIRST.length - 1),
        fc.boolean(),
        async (moves, marked, areGone) => {
          if (performance.now() - startedAt > MOST_MS) return
          const world = new World(outbox)
          try {
            await world.begin(3, FIRST)
            world.mark(marked)
            for (const next of moves) await world.make(next)
            await world.drain(areGone)
            await world.end()
            await world.check()
          } finally {
            await world.close()
          }
        },
      ),
      {
        numRuns: RUNS,
        // Shrinking takes longer than a test may: the failure would be lost with its seed.
        endOnFailure: seed === undefined,
        ...(seed !== undefined && { seed: Number(seed) }),
        ...(path !== undefined && { path }),
      },
    )
  })
})

test.each([
  'by row',
  'by row with a claimed state',
  'by key, blocking',
  'in a log, blocking',
] as const)(
  '%s: a hundred claims whose session ends at once change nothing of the next owner',
  async (name) => {
    const world = new World(outboxes[name])
    const keys = Array.from({ length: 100 }, (_, n) => `key-${n}`)
    const end = async (failing: number) => {
      await world.make({ kind: 'attempt', pick: 0, failing, refusing: failing > 1, slow: 0 })
      await world.make({ kind: 'settle', pick: 0, answered: true })
    }
    try {
      await world.begin(1, [...keys, ...keys.slice(0, 50)])
      for (let n = 0; world.claims < 100 && n < 150; n += 1) {
        const pick = world.claims
        await world.make({ kind: 'claim', relay: 0, of: 'batch', batch: 1 })
        await world.make({ kind: 'attempt', pick, failing: 0, refusing: false, slow: 1 })
        await world.make({ kind: 'settle', pick: 0, answered: true })
      }
      expect(world.claims).toBe(100)
      for (const relay of [1, 2]) await world.make({ kind: 'restart', relay })
      await world.make(world.box.order ? { kind: 'sleep', relay: 0 } : { kind: 'expire' })
      for (let n = 0; n < 50; n += 1) await end(n % 3)
      for (let n = 0; n < 80; n += 1) {
        const of = (['expired', 'suspect', 'held', 'batch'] as const)[n % 4] ?? 'batch'
        await world.make({ kind: 'claim', relay: 1 + (n % 2), of })
      }
      expect(world.claims).toBeGreaterThan(60)
      for (let n = 0; n < 50; n += 1) await end(n % 3)
      await world.drain(false)
      await world.end()
      await world.check()
    } finally {
      await world.close()
    }
  },
)
