import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import type { Claim, ClaimKind } from './settle/claim.ts'
import { fromPg } from '../enqueue/adapters/pg.ts'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { confirm } from './settle/confirm.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { enqueue } from '../enqueue/enqueue.ts'
import { KeySource } from './key/key-source.ts'
import { LogSource } from './log/log-source.ts'
import type { Change } from '../outbox/definition.ts'
import { delivered, refused, retryLater, type Outcome } from '../outbox/outcome.ts'
import { createRelay } from './relay.ts'
import { cancel, replay } from '../control/replay.ts'
import { exponential, LOST_CLAIMS_LIMIT } from '../outbox/retry.ts'
import { RowSource } from './row/row-source.ts'
import { poolHandle } from '../database/pool-handle.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  settlementOf,
  type Settlement,
} from './settle/settlement.ts'
import { attemptableRows } from './settle/key-plan.ts'
import type { Source } from './settle/source.ts'
import { Session } from './session/session.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import { move, type Move } from '../testing/model-moves.ts'
import { transaction } from '../database/transaction.ts'

/*
 * Any interleaving of enqueue, late commit, claim, attempt, settle, confirm, crash, restart, lease
 * expiry, time, replay and cancel, with three relays: nothing is lost, a message never has two owners
 * whose leases hold, no message goes before it is due or past a dead one that blocks its key, order per
 * key holds after removing duplicates, attempts are bounded, and a message that cannot be settled ends
 * without its neighbours.
 */

interface Note {
  id: string
  key: string
  status: string
  attempts: number
  code: string | null
  due_at: Date
  created_at: Date
}

const ATTEMPTS = 3

type Feature = 'block' | 'skip' | 'park' | 'claimed' | 'confirm' | 'audit' | 'log'

/** The message that no audit takes: it cannot be settled. */
let unsettleable: string | undefined

class NoAudit extends Error {}

const audit = {
  async settled(_: unknown, changes: readonly Change<Note>[]) {
    if (changes.some(({ row }) => row.id === unsettleable)) throw new NoAudit('not this one')
  },
}

function outboxNamed(name: string, features: readonly Feature[]): Outbox<Note> {
  const has = (feature: Feature) => features.includes(feature)
  const dead = (['block', 'skip', 'park'] as const).find(has)
  const states = {
    ready: 'ready',
    sent: 'sent',
    dead: 'dead',
    cancelled: 'cancelled',
    ...(has('claimed') ? { claimed: 'claimed' } : {}),
  }
  return defineOutbox<Note>({
    name: `model.${name}`,
    table: `model.${name}`,
    ...(has('confirm')
      ? { states: { ...states, confirmed: 'confirmed' }, confirm: {} }
      : { states }),
    columns: { dueAt: 'due_at', createdAt: 'created_at', errorCode: 'code' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 4, lease: '60s' },
    ...(dead ? { order: { key: 'key', dead } } : {}),
    ...(has('audit') ? { audit } : {}),
    ...(has('log') ? { storage: 'log' } : {}),
    retry: exponential('1s', { attempts: ATTEMPTS }),
    destination: { transport: 'fake', topic: 'notes' },
    message: (row) => ({ id: row.id, type: 'note', key: row.key, payload: {} }),
  })
}

const outboxes = {
  'by row': outboxNamed('rows', []),
  'by row with a claimed state': outboxNamed('marked', ['claimed']),
  'by row with confirmations': outboxNamed('confirmed', ['confirm']),
  'by row with a claimed state and confirmations': outboxNamed('both', ['claimed', 'confirm']),
  'by row with an audit': outboxNamed('audited', ['audit']),
  'by key, blocking': outboxNamed('blocking', ['block']),
  'by key, blocking, with confirmations': outboxNamed('blockingconfirmed', ['block', 'confirm']),
  'by key, blocking, with an audit': outboxNamed('blockingaudited', ['block', 'confirm', 'audit']),
  'by key, skipping, with confirmations': outboxNamed('skipping', ['skip', 'confirm']),
  'by key, parking, with confirmations': outboxNamed('parking', ['park', 'confirm']),
  'in a log, blocking': outboxNamed('blockinglog', ['block', 'log']),
  'in a log, skipping': outboxNamed('skippinglog', ['skip', 'log']),
  'in a log, parking': outboxNamed('parkinglog', ['park', 'log']),
}

const db = await testDatabase({
  sql: `create schema model;${Object.values(outboxes)
    .map(
      (outbox) => `
    create table ${outbox.table} (
      id uuid primary key, key text not null, status text not null default 'ready',
      attempts int not null default 0, code text, due_at timestamptz not null default posthorn.now(),
      created_at timestamptz not null default now());
    ${outboxTableSql(outbox)}`,
    )
    .join('')}`,
})
await useMovableClock(db.pool)

/** A key in the bucket of another one, with one writer at a time whose transaction stays open for a while. */
const LATE = await keyBeside('a')
const KEYS = ['a', 'b', 'c', LATE]

async function keyBeside(key: string): Promise<string> {
  const { rows } = await db.pool.query<{ key: string }>(
    `select 'late' || n as key from generate_series(1, 10000) as n
      where posthorn.bucket_of('late' || n) = posthorn.bucket_of($1) limit 1`,
    [key],
  )
  return rows[0]?.key as string
}

interface InHand {
  readonly claim: Claim
  settlements: Settlement[] | undefined
  /** True once its lease has run out: another relay may own the messages now. */
  zombie: boolean
  /** Messages that an outcome settled while they were in hand. */
  readonly released: Set<string>
}

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
  unsettleable: string | undefined
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

  async begin(): Promise<void> {
    await viewTable(db.pool, this.box).empty()
    for (const at of [0, 1, 2]) await this.#start(at)
    await this.#beatAll()
  }

  /** Makes one of the messages one that cannot be settled, where there is an audit to refuse it. */
  mark(at: number): void {
    this.unsettleable = this.box.audit.settled ? this.enqueued[at]?.id : undefined
    unsettleable = this.unsettleable
  }

  /** Ends what a failed run may have left open. */
  async close(): Promise<void> {
    await this.#writer?.query('rollback')
    this.#writer?.release()
    for (const session of [...this.#sessions, ...this.#crashed]) await session.end()
  }

  async #start(at: number): Promise<void> {
    this.#made += 1
    const handle = poolHandle(db.pool, { prepare: true })
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
        return this.#claimAny(next.relay, next.of)
      case 'attempt':
        return this.#attempt(next)
      case 'settle':
        return this.#settleOne(next)
      case 'crash':
        this.#crashed.push(this.#sessions[next.relay] as Session)
        await this.#start(next.relay)
        await this.#sources[next.relay]?.maintain()
        return
      case 'restart':
        return this.#restart(next.relay)
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
        await transaction(db.pool, (tx) => replay(tx, this.outbox, { filter: {}, by: 'ops' }))
        return
      case 'replay some': {
        const ids = await this.#pick('dead', next.pick)
        await transaction(db.pool, (tx) =>
          replay(tx, this.outbox, { filter: { ids }, perSecond: next.perSecond, by: 'ops' }),
        )
        return
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

  /** Its lease is over, and its heartbeat and that of another one come at once: one of them is first. */
  async #outlive(at: number, by: number): Promise<void> {
    const session = this.#sessions[at] as Session
    const { id } = session
    await this.#endLease(session)
    const other = this.#sessions[by] as Session
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
      `update posthorn.session set until = now() - interval '1 s' where id = $1`,
      [id],
    )
  }

  /** By row the claims have a time of their own. */
  #lose(at: number): void {
    if (this.box.order) this.#inHand[at]?.forEach((each) => void (each.zombie = true))
  }

  async #expire(): Promise<void> {
    await viewTable(db.pool, this.box).expireLeases()
    for (const session of this.#crashed.splice(0)) await session.end()
    this.#inHand.flat().forEach((each) => void (each.zombie = true))
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
    for (const { released } of this.#inHand.flat()) applied.forEach((id) => released.add(id))
  }

  /** A relay that has such a claim in hand, so that few moves are made in vain. */
  #busy(pick: number, has: (inHand: InHand) => boolean): number {
    const able = [0, 1, 2].filter((at) => this.#inHand[at]?.some(has))
    return able[pick % Math.max(able.length, 1)] ?? -1
  }

  /** The first relay that finds something: most have none of the few buckets in use. */
  async #claimAny(pick: number, of: ClaimKind): Promise<void> {
    for (const offset of [0, 1, 2]) if (await this.#claim((pick + offset) % 3, of)) return
  }

  async #claim(at: number, of: ClaimKind): Promise<boolean> {
    const claim = await this.#sources[at]?.claim(of)
    if (!claim) return false
    const ids = new Set(claim.rows.map((row) => idOf(this.box, row)))
    for (const { claim: other, zombie, released } of this.#inHand.flat()) {
      if (zombie || other.kind === 'expired') continue
      const owned = other.rows.map((row) => idOf(this.box, row)).filter((id) => !released.has(id))
      const both = owned.filter((id) => ids.has(id))
      expect(both, 'a message with two owners').toEqual([])
    }
    if (this.box.order) await this.#checkOrderOfClaim(claim)
    this.#inHand[at]?.push({ claim, settlements: undefined, zombie: false, released: new Set() })
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

  async #settleOne({ relay: pick, answered }: Extract<Move, { kind: 'settle' }>): Promise<void> {
    const at = this.#busy(pick, ({ settlements }) => settlements !== undefined)
    const held = this.#inHand[at] ?? []
    const [done] = held.splice(
      held.findIndex(({ settlements }) => settlements !== undefined),
      1,
    )
    if (done) await this.#settle(at, done)
    // The answer got lost: the relay settles once more.
    if (done && !answered) await this.#settle(at, done)
  }

  /** Settles; what belongs to another relay by now must not change. */
  async #settle(at: number, { claim, settlements }: InHand): Promise<void> {
    const before = await this.#notOurs(claim)
    const source = this.#sources[at] as Source
    await source.settle(claim, settlements ?? []).catch((error: unknown) => {
      if (!(error instanceof NoAudit)) throw error
      return source.settle(claim, settlements ?? [], { isApart: true })
    })
    const after = await viewTable(db.pool, this.box).rows()
    for (const row of before) {
      expect(
        after.find((each) => each['id'] === row['id']),
        'a fence that did not hold',
      ).toEqual(row)
    }
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

  #attempt({ relay: pick, failing, refusing }: Extract<Move, { kind: 'attempt' }>): void {
    const at = this.#busy(pick, ({ settlements }) => settlements === undefined)
    const inHand = this.#inHand[at]?.find(({ settlements }) => settlements === undefined)
    if (!inHand) return
    const { claim } = inHand
    if (claim.kind === 'expired') {
      inHand.settlements = claim.rows.map((row) => lostSettlement(this.box, row))
      return
    }
    if (claim.rows.some((row) => isFatal(this.box, claim, row))) {
      inHand.settlements = claim.rows.map((row) => fatalSettlement(this.box, row))
      return
    }
    const stopped = new Set<string>()
    inHand.settlements = attemptableRows(this.box, claim.rows).map((i, n) => {
      const row = claim.rows[i] as Record<string, unknown>
      const key = String(row['key'])
      const fails = n >= failing && failing > 0
      const outcome =
        this.box.order && stopped.has(key) ? retryLater('held back') : outcomeOf(fails, refusing)
      if (outcome.kind !== 'delivered') {
        stopped.add(key)
        this.failures.set(idOf(this.box, row), (this.failures.get(idOf(this.box, row)) ?? 0) + 1)
      } else this.arrived.push({ id: idOf(this.box, row), key })
      this.attempts.set(idOf(this.box, row), (this.attempts.get(idOf(this.box, row)) ?? 0) + 1)
      return settlementOf(this.box, row, { outcome, backoffMs: 0 })
    })
  }

  /**
   * All relays are gone and another one begins: it settles all that waits for nothing, sends no message
   * more often than its own fate asks for, and ends what cannot be settled.
   */
  async drain(): Promise<void> {
    if (this.#writer) await this.#commitLate()
    this.#inHand = [[], [], []]
    this.#crashed.push(...this.#sessions.splice(0))
    await this.#expire()
    await this.#start(0)
    await this.#sources[0]?.maintain()
    const before = new Map(this.attempts)
    for (let claims = 1, round = 0; round < 20 && (claims > 0 || round < 3); round += 1) {
      claims = 0
      for (const of of ['expired', 'held', 'suspect', 'batch'] as const) {
        for (let n = 0; n < 20 && (await this.#claim(0, of)); n += 1) {
          claims += 1
          this.#attempt({ kind: 'attempt', relay: 0, failing: 0, refusing: false })
          await this.#settleOne({ kind: 'settle', relay: 0, answered: true })
        }
      }
      this.#checkSends(before)
      await advanceClock(db.pool, '1m')
    }
    await this.#checkStuck()
    unsettleable = undefined
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
    for (const key of KEYS) {
      const ofKey = (all: { id: string; key: string }[]) =>
        all.filter((each) => each.key === key && !this.cancelled.has(each.id)).map(({ id }) => id)
      expect([...new Set(ofKey(this.arrived))]).toEqual(ofKey(this.enqueued))
    }
  }
}

function outcomeOf(fails: boolean, refusing: boolean): Outcome {
  if (!fails) return delivered()
  return refusing ? refused('no') : retryLater('later')
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

describe.each(Object.entries(outboxes))('%s', (_, outbox) => {
  test('in any interleaving no message is lost, owned by two relays or sent out of order', async () => {
    const startedAt = performance.now()
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 20, maxLength: 80, size: 'max' }),
        fc.nat(FIRST.length - 1),
        async (moves, marked) => {
          if (performance.now() - startedAt > MOST_MS) return
          const world = new World(outbox)
          try {
            await world.begin()
            for (const key of FIRST) await world.make({ kind: 'enqueue', key })
            world.mark(marked)
            for (const next of moves) await world.make(next)
            await world.drain()
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
