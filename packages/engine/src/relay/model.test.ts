import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Claim, ClaimKind } from './claim.ts'
import { advanceClock, useMovableClock } from '../maintain/clock.ts'
import { confirm } from './confirm.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { enqueue } from '../enqueue/enqueue.ts'
import { KeySource } from './key-source.ts'
import { delivered, refused, retryLater, type Outcome } from '../outbox/outcome.ts'
import { createRelay } from './relay.ts'
import { cancel, replay } from '../operate/replay.ts'
import { exponential } from '../outbox/retry.ts'
import { RowSource } from './row-source.ts'
import { poolHandle } from '../enqueue/pool-handle.ts'
import {
  fatalSettlement,
  idOf,
  isFatal,
  lostSettlement,
  settlementOf,
  type Settlement,
} from './settlement.ts'
import type { Source } from './source.ts'
import { beat } from '../sql/relay.ts'
import { outboxTableSql } from '../outbox/table-sql.ts'
import { fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import { transaction } from '../enqueue/transaction.ts'

/*
 * Any interleaving of enqueue, claim, attempt, settle, crash, lease expiry, time and replay, with
 * three relays: nothing is lost, a message never has two owners whose leases hold, order per key
 * holds after removing duplicates, and attempts are bounded.
 */

interface Note {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
  created_at: Date
}

const ATTEMPTS = 3

type Feature = 'block' | 'skip' | 'park' | 'claimed' | 'confirm'

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
    columns: { dueAt: 'due_at', createdAt: 'created_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 4, lease: '60s' },
    ...(dead ? { order: { key: 'key', dead } } : {}),
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
  'by key, blocking': outboxNamed('blocking', ['block']),
  'by key, blocking, with confirmations': outboxNamed('blockingconfirmed', ['block', 'confirm']),
  'by key, skipping, with confirmations': outboxNamed('skipping', ['skip', 'confirm']),
  'by key, parking, with confirmations': outboxNamed('parking', ['park', 'confirm']),
}

const db = await testDatabase({
  sql: `create schema model;${Object.values(outboxes)
    .map(
      (outbox) => `
    create table ${outbox.table} (
      id uuid primary key, key text not null, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now(),
      created_at timestamptz not null default now());
    ${outboxTableSql(outbox)}`,
    )
    .join('')}`,
})
await useMovableClock(db.pool)

type Move =
  | { kind: 'enqueue'; key: string; delayed?: boolean }
  | { kind: 'claim'; relay: number; of: ClaimKind }
  | { kind: 'attempt'; relay: number; failing: number; refusing: boolean }
  | { kind: 'settle'; relay: number; answered: boolean }
  | { kind: 'crash'; relay: number }
  | { kind: 'expire' }
  | { kind: 'wait' }
  | { kind: 'replay' }
  | { kind: 'replay some'; pick: number; perSecond: number }
  | { kind: 'cancel'; pick: number }
  | { kind: 'confirm'; pick: number; well: boolean }

const relay = fc.nat(2)
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('enqueue'),
      key: fc.constantFrom('a', 'b', 'c'),
      delayed: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim'),
      relay,
      of: fc.constantFrom<ClaimKind>(
        'batch',
        'batch',
        'batch',
        'held',
        'suspect',
        'suspect',
        'expired',
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('attempt'),
      relay,
      failing: fc.nat(3),
      refusing: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('settle'), relay, answered: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash'), relay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replay some'),
      pick: fc.nat(),
      perSecond: fc.constantFrom(1, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), pick: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('confirm'), pick: fc.nat(), well: fc.boolean() }),
  },
)

interface InHand {
  readonly claim: Claim
  settlements: Settlement[] | undefined
  /** True once its lease was let run out: somebody else may own the messages now. */
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
  readonly cancelled = new Set<string>()
  /** Failures that a confirmation brought. */
  readonly failedLater = new Map<string, number>()
  #sources: Source[] = []
  #inHand: InHand[][] = [[], [], []]
  #made = 0

  constructor(outbox: Outbox<Note>) {
    this.outbox = outbox
    this.box = outbox as unknown as Outbox
  }

  async begin(): Promise<void> {
    await viewTable(db.pool, this.box).empty()
    this.#sources = [await this.#source(), await this.#source(), await this.#source()]
    for (const source of this.#sources) await source.keep()
  }

  async #source(): Promise<Source> {
    const handle = poolHandle(db.pool, { prepare: true })
    this.#made += 1
    const name = `relay-${this.#made}`
    // Relays that know of each other share the buckets.
    const idle = { delivered: 0, failed: 0, dead: 0, lost: 0 }
    await db.pool.query(beat({ relay: name, outbox: this.box.name, ...idle }))
    return this.box.order ? new KeySource(handle, this.box, name) : new RowSource(handle, this.box)
  }

  async make(next: Move): Promise<void> {
    switch (next.kind) {
      case 'enqueue': {
        const note = { key: next.key }
        const { id } = await transaction(db.pool, (tx) =>
          enqueue(tx, this.outbox, note, {
            ...(this.box.order ? { serialise: true } : {}),
            ...(next.delayed ? { delay: '1s' } : {}),
          }),
        )
        this.enqueued.push({ id, key: next.key })
        return
      }
      case 'claim':
        return this.#claim(next.relay, next.of)
      case 'attempt':
        return this.#attempt(next)
      case 'settle': {
        const at = this.#busy(next.relay, ({ settlements }) => settlements !== undefined)
        const held = this.#inHand[at] ?? []
        const [done] = held.splice(
          held.findIndex(({ settlements }) => settlements !== undefined),
          1,
        )
        if (done) await this.#settle(at, done)
        // The answer got lost: the relay settles once more.
        if (done && !next.answered) await this.#settle(at, done)
        return
      }
      case 'crash':
        this.#inHand[next.relay] = []
        this.#sources[next.relay] = await this.#source()
        await this.#sources[next.relay]?.keep()
        return
      case 'expire':
        await viewTable(db.pool, this.box).expireLeases()
        this.#inHand.flat().forEach((each) => void (each.zombie = true))
        for (const source of this.#sources) await source.keep()
        return
      case 'wait':
        await advanceClock(db.pool, '2s')
        return
      case 'replay':
        await transaction(db.pool, (tx) => replay(tx, this.outbox, { filter: {}, by: 'ops' }))
        return
      case 'replay some': {
        const ids = await this.#pick('dead', next.pick)
        const { perSecond } = next
        await transaction(db.pool, (tx) =>
          replay(tx, this.outbox, { filter: { ids }, perSecond, by: 'ops' }),
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

  /** One of the messages in a state, or none. */
  async #pick(state: string, pick: number): Promise<string[]> {
    const { rows } = await db.pool.query<{ id: string }>(
      `select id from ${this.box.table} where status = $1 order by id`,
      [state],
    )
    const row = rows[pick % Math.max(rows.length, 1)]
    return row ? [row.id] : []
  }

  /** Only what arrived can be spoken of; it may be on its way still, or settled long ago. */
  async #confirm({ pick, well }: Extract<Move, { kind: 'confirm' }>): Promise<void> {
    const arrived = this.arrived[pick % Math.max(this.arrived.length, 1)]
    if (this.box.states.confirmed === undefined || !arrived) return
    const outcome = well ? delivered() : retryLater('the consumer failed')
    const applied = await transaction(db.pool, (tx) =>
      confirm(tx, this.outbox, [{ id: arrived.id, outcome }]),
    )
    for (const id of well ? [] : applied) {
      this.failedLater.set(id, (this.failedLater.get(id) ?? 0) + 1)
    }
    // The outcome ended whatever claim there was: its holder no longer owns the message.
    for (const { released } of this.#inHand.flat()) applied.forEach((id) => released.add(id))
  }

  /** A relay that has such a claim in hand, so that few moves are made in vain. */
  #busy(pick: number, has: (inHand: InHand) => boolean): number {
    const able = [0, 1, 2].filter((at) => this.#inHand[at]?.some(has))
    return able[pick % Math.max(able.length, 1)] ?? -1
  }

  async #claim(at: number, of: ClaimKind): Promise<void> {
    const claim = await this.#sources[at]?.claim(of)
    if (!claim) return
    const ids = new Set(claim.rows.map((row) => idOf(this.box, row)))
    for (const { claim: other, zombie, released } of this.#inHand.flat()) {
      if (zombie || other.kind === 'expired') continue
      const owned = other.rows.map((row) => idOf(this.box, row)).filter((id) => !released.has(id))
      const both = owned.filter((id) => ids.has(id))
      expect(both, 'a message with two owners').toEqual([])
    }
    if (this.box.order) await this.#checkTurn(at, claim)
    this.#inHand[at]?.push({ claim, settlements: undefined, zombie: false, released: new Set() })
  }

  /** What may be attempted is due, and nothing of its key is in front of it but what it was read with. */
  async #checkTurn(at: number, claim: Claim): Promise<void> {
    const source = this.#sources[at] as Source
    const read = claim.rows.map((row) => idOf(this.box, row))
    const may = source.attemptable(claim).map((i) => read[i])
    const { rows } = await db.pool.query<{ id: string }>(
      `select m.id from ${this.box.table} as m
        where m.id = any($1::uuid[])
          and (m.due_at > posthorn.now() or exists (
            select from ${this.box.table} as e
             where e.key = m.key and e.seq < m.seq and e.id <> all($2::uuid[])
               and (e.status = 'ready' or (e.status = 'dead' and $3))))`,
      [may, read, this.box.order?.dead === 'block'],
    )
    expect(rows, 'a message out of its turn').toEqual([])
  }

  /** Settles; what belongs to somebody else by now must not change. */
  async #settle(at: number, { claim, settlements }: InHand): Promise<void> {
    const before = await this.#notOurs(claim)
    await this.#sources[at]?.settle(claim, settlements ?? [])
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
    if (claim.rows.some((row) => isFatal(claim, row))) {
      inHand.settlements = claim.rows.map((row) => fatalSettlement(this.box, row))
      return
    }
    const stopped = new Set<string>()
    const source = this.#sources[at] as Source
    inHand.settlements = source.attemptable(claim).map((i, n) => {
      const row = claim.rows[i] as Record<string, unknown>
      const key = String(row['key'])
      const fails = n >= failing && failing > 0
      const outcome =
        this.box.order && stopped.has(key) ? retryLater('held back') : outcomeOf(fails, refusing)
      if (outcome.kind !== 'delivered') stopped.add(key)
      else this.arrived.push({ id: idOf(this.box, row), key })
      this.attempts.set(idOf(this.box, row), (this.attempts.get(idOf(this.box, row)) ?? 0) + 1)
      return settlementOf(this.box, row, { outcome, backoffMs: 0 })
    })
  }

  /** Everybody is gone; one healthy relay and one operator bring the rest home. */
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
      if ((await last.tick()) === 0 && i > 2) break
    }
    await last.tick()
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
      (this.attempts.get(id) ?? 0) + (this.failedLater.get(id) ?? 0),
    )
  }

  #checkOrder(): void {
    for (const key of ['a', 'b', 'c']) {
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

describe.each(Object.entries(outboxes))('%s', (_, outbox) => {
  test('whatever happens, nothing is lost, doubled in ownership or out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 20, maxLength: 80, size: 'max' }),
        async (moves) => {
          const world = new World(outbox)
          await world.begin()
          for (const key of ['a', 'a', 'b', 'a', 'c', 'b'])
            await world.make({ kind: 'enqueue', key })
          for (const next of moves) await world.make(next)
          await world.end()
          await world.check()
        },
      ),
      {
        numRuns: Number(process.env['POSTHORN_MODEL_RUNS'] ?? 40),
        interruptAfterTimeLimit: 50_000,
      },
    )
  }, 90_000)
})
