import * as fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useMovableClock } from '../database/clock.ts'
import { DefinitionError } from '../errors.ts'
import {
  abandonKey,
  claimKey,
  claimStaleKeys,
  completeKey,
  defineIdempotency,
  extendLock,
  fingerprint,
  idempotencyTableSql,
  pruneKeys,
  saveState,
  type KeyClaim,
  type KeyOutcome,
} from './idempotency.ts'
import { transaction, type Queryable, type Transaction } from '../database/transaction.ts'
import { testDatabase } from '../testing/index.ts'
import { runUntilKilled } from '../testing/child-process.ts'
import { uuid } from '../uuid.ts'

const database = await testDatabase()
const pool = database.connect({ max: 30 })
const db: Queryable = pool

const store = defineIdempotency({ table: 'shop.idempotency_keys', expires: '24h', lock: '1m' })
const request = (key: string, body: unknown = { amount: 1 }) => ({
  scope: 'user-1 POST /payments',
  key,
  fingerprint: fingerprint({ method: 'POST', route: '/payments', body }),
})
const response = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":7}' }

async function claimFirst(key: string): Promise<KeyClaim> {
  const outcome = await claimKey(db, store, request(key))
  if (outcome.kind !== 'claimed') throw new Error(`expected a claim, not ${outcome.kind}`)
  return outcome
}

const complete = (claim: KeyClaim, answer: Parameters<typeof completeKey>[2] = response) =>
  transaction(pool, (tx) => completeKey(tx, claim, answer))

/** What a minute of real time would do to the lock. */
const lockRunsOut = (key: string) =>
  pool.query(
    `update ${store.table} set locked_until = now() - interval '1 ms'
      where key = $1 and completed_at is null`,
    [key],
  )

const clock = (ahead: string) =>
  pool.query({ text: 'update posthorn.clock set ahead = $1::interval', values: [ahead] })

beforeAll(async () => {
  await pool.query('create schema shop')
  await pool.query(idempotencyTableSql(store))
  await pool.query(
    'create table shop.payment (key text not null, charged boolean not null default false)',
  )
  await useMovableClock(pool)
})
beforeEach(() => pool.query('truncate shop.payment'))
afterEach(() => clock('0'))

describe('defineIdempotency', () => {
  test.each([
    [{ table: 'keys' }, 'table'],
    [{ table: 'shop.keys', expires: 'a day' }, 'expires'],
    [{ table: 'shop.keys', lock: '10ms' }, 'lock'],
  ])('refuses %o for its %s', (definition, field) => {
    const define = () => defineIdempotency(definition as Parameters<typeof defineIdempotency>[0])
    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(expect.objectContaining({ field }))
  })
})

describe('fingerprint', () => {
  test('is about meaning', () => {
    const of = (method: string, route: string, body?: unknown) =>
      fingerprint({ method, route, body })
    const one = of('POST', '/payments', { amount: 1, currency: 'EUR' })
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(of('POST', '/payments', { currency: 'EUR', amount: 1.0, note: undefined })).toBe(one)
    const others = [
      of('POST', '/payments', { amount: '1', currency: 'EUR' }),
      of('PUT', '/payments', { amount: 1, currency: 'EUR' }),
      of('POST', '/payments/1', { amount: 1, currency: 'EUR' }),
      of('POST', '/payments'),
      of('POST', '/payments', null),
    ]
    expect(new Set([one, ...others]).size).toBe(6)
  })
})

describe('claimKey', () => {
  test('gives the key to the first and tells others to wait', async () => {
    const key = uuid()
    expect(await claimFirst(key)).toMatchObject({ takeover: false, state: undefined })
    const second = await claimKey(db, store, request(key))
    expect(second.kind).toBe('inFlight')
    const { retryAfterMs } = second as Extract<KeyOutcome, { kind: 'inFlight' }>
    expect(retryAfterMs).toBeGreaterThan(55_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('of 200 concurrent requests with one key, one owns it', async () => {
    const key = uuid()
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => claimKey(db, store, request(key))),
    )
    const kinds = Map.groupBy(outcomes, (outcome) => outcome.kind)
    expect(kinds.get('claimed')).toHaveLength(1)
    expect(kinds.get('inFlight')).toHaveLength(199)
  })

  test('gives a lock that ran out to one of 50 at once', async () => {
    const key = uuid()
    await claimFirst(key)
    await lockRunsOut(key)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => claimKey(db, store, request(key))),
    )
    const taken = outcomes.filter((outcome) => outcome.kind === 'claimed')
    expect(taken).toMatchObject([{ takeover: true }])
  })

  test('replays the response byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const text = '{ "b": 1,\n  "a": "\u00e9\ud83d\ude00\\u0000" }'
    const headers = { 'x-b': '1', 'content-type': 'application/json; charset=utf-8', 'x-a': '"2"' }
    for (const body of [bytes, text, '']) {
      const key = uuid()
      await complete(await claimFirst(key), { status: 422, headers, body })
      const outcome = await claimKey(db, store, request(key))
      const sent = typeof body === 'string' ? Buffer.from(body) : body
      expect(outcome).toMatchObject({ kind: 'replay', response: { status: 422, headers } })
      const { response: stored } = outcome as Extract<KeyOutcome, { kind: 'replay' }>
      expect(Buffer.compare(stored.body, sent)).toBe(0)
      expect(Object.keys(stored.headers)).toEqual(Object.keys(headers))
    }
  })

  test('a repeat that waits for the completing transaction replays it', async () => {
    const claim = await claimFirst(uuid())
    const repeat = await repeatDuring(claim.key, (tx) => completeKey(tx, claim, response))
    expect(repeat).toMatchObject({ kind: 'replay', response: { status: 201 } })
  })

  test('a repeat that waits for a claim inside a transaction learns how that one ends', async () => {
    const [stays, goes] = [uuid(), uuid()]
    const committed = await repeatDuring(stays, (tx) => claimKey(tx, store, request(stays)))
    expect(committed).toMatchObject({ kind: 'inFlight' })
    const failed = await repeatDuring(goes, async (tx) => {
      await claimKey(tx, store, request(goes))
      return () => Promise.reject(new Error('refused by a constraint'))
    })
    expect(failed).toMatchObject({ kind: 'claimed', takeover: false })
  })

  test('refuses another request under the same key, in work, stale or finished', async () => {
    const claim = await claimFirst(uuid())
    const other = () => claimKey(db, store, request(claim.key, { amount: 2 }))
    expect(await other()).toEqual({ kind: 'reused' })
    await lockRunsOut(claim.key)
    expect(await other()).toEqual({ kind: 'reused' })
    await complete(claim)
    expect(await other()).toEqual({ kind: 'reused' })
    const elsewhere = { ...request(claim.key, { amount: 2 }), scope: 'user-2 POST /payments' }
    expect(await claimKey(db, store, elsewhere)).toMatchObject({ kind: 'claimed', takeover: false })
  })
})

describe('the fence', () => {
  test('refuses writes of the former owner after a takeover', async () => {
    const old = await claimFirst(uuid())
    await lockRunsOut(old.key)
    const owner = await claimFirst(old.key)
    expect(owner).toMatchObject({ takeover: true })
    const lost = { code: 'IDEMPOTENCY_LOCK_LOST' }
    await expect(extendLock(db, old)).rejects.toMatchObject(lost)
    await expect(complete(old)).rejects.toMatchObject(lost)
    await expect(transaction(pool, (tx) => saveState(tx, old, 1))).rejects.toMatchObject(lost)
    await expect(abandonKey(db, old)).rejects.toMatchObject(lost)
    const rolledBack = transaction(pool, async (tx) => {
      await tx.query({ text: 'insert into shop.payment (key) values ($1)', values: [old.key] })
      await completeKey(tx, old, response)
    })
    await expect(rolledBack).rejects.toMatchObject(lost)
    expect((await pool.query('select from shop.payment')).rows).toHaveLength(0)
    await complete(owner)
    expect(await claimKey(db, store, request(old.key))).toMatchObject({ kind: 'replay' })
  })

  test('is the token, not the time: a late owner may finish without a takeover', async () => {
    const claim = await claimFirst(uuid())
    await lockRunsOut(claim.key)
    await extendLock(db, claim)
    expect(await claimKey(db, store, request(claim.key))).toMatchObject({ kind: 'inFlight' })
    await lockRunsOut(claim.key)
    await complete(claim)
    await expect(complete(claim)).rejects.toMatchObject({ code: 'IDEMPOTENCY_LOCK_LOST' })
  })

  test('lets an owner give the key back', async () => {
    const claim = await claimFirst(uuid())
    await abandonKey(db, claim)
    const other = request(claim.key, { amount: 2 })
    expect(await claimKey(db, store, other)).toMatchObject({ kind: 'claimed', takeover: false })
  })
})

describe('expiry', () => {
  test('goes by the business clock for finished keys', async () => {
    const claim = await claimFirst(uuid())
    await complete(claim)
    await clock('23 hours 59 minutes')
    expect(await claimKey(db, store, request(claim.key))).toMatchObject({ kind: 'replay' })
    await clock('24 hours 1 minute')
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => claimKey(db, store, request(claim.key, { n }))),
    )
    expect(outcomes.filter(({ kind }) => kind === 'claimed')).toMatchObject([
      { takeover: false, state: undefined },
    ])
    expect(outcomes.filter(({ kind }) => kind === 'reused')).toHaveLength(19)
  })

  test('moving the business clock takes no lock away', async () => {
    const claim = await claimFirst(uuid())
    await clock('30 days')
    expect(await claimKey(db, store, request(claim.key))).toMatchObject({ kind: 'inFlight' })
    const stale = await claimStaleKeys(db, store)
    expect(stale.map(({ key }) => key)).not.toContain(claim.key)
    await pruneKeys(db, store)
    await complete(claim)
  })

  test('spares unfinished work: something may have happened outside', async () => {
    const claim = await claimFirst(uuid())
    await transaction(pool, (tx) => saveState(tx, claim, { phase: 'charging' }))
    await lockRunsOut(claim.key)
    await clock('30 days')
    await pruneKeys(db, store)
    expect(await claimKey(db, store, request(claim.key, 'other'))).toEqual({ kind: 'reused' })
    expect(await claimFirst(claim.key)).toMatchObject({
      takeover: true,
      state: { phase: 'charging' },
    })
  })

  test('pruneKeys deletes what is expired, in batches', async () => {
    await pool.query(`truncate ${store.table}`)
    const [done, open, stale] = [
      await claimFirst(uuid()),
      await claimFirst(uuid()),
      await claimFirst(uuid()),
    ]
    await complete(done)
    await lockRunsOut(stale.key)
    await pool.query(`
      insert into ${store.table} (scope, key, fingerprint, completed_at, expires_at,
                                  response_status, response_headers, response_body)
      select 'many', n::text, 'f', now(), now() - interval '1 s', 200, '{}', ''
        from generate_series(1, 10001) as n`)
    expect(await pruneKeys(db, store)).toBe(10_001)
    await clock('25 hours')
    expect(await pruneKeys(db, store)).toBe(2)
    await extendLock(db, open)
  })
})

test('expired and stale keys are found by an index', async () => {
  await transaction(pool, async (tx) => {
    await tx.query({ text: 'set local enable_seqscan = off', values: [] })
    for (const text of [store.sql.prune, store.sql.claimStale]) {
      const explain = `explain ${text.replaceAll('$1', '1000').replaceAll('$2', '10')}`
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>({ text: explain, values: [] })
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toMatch(/Index Scan (using|on) idempotency_keys_(expired|stale)/)
    }
  })
})

describe('work in phases', () => {
  const states: [unknown][] = [[[1, 2]], ['text'], [0], [false], [{ a: [null] }]]
  test.each(states)('keeps the state %o', async (state) => {
    const claim = await claimFirst(uuid())
    await transaction(pool, (tx) => saveState(tx, claim, state))
    await lockRunsOut(claim.key)
    expect(await claimFirst(claim.key)).toMatchObject({ takeover: true, state })
  })

  test('a completer takes over what was left, each key once', async () => {
    await pool.query(`truncate ${store.table}`)
    const claims = await Promise.all(Array.from({ length: 30 }, () => claimFirst(uuid())))
    const done = claims.pop()!
    const working = claims.pop()!
    await transaction(pool, (tx) => saveState(tx, claims[0]!, { paymentId: 7 }))
    await Promise.all(claims.map(({ key }) => lockRunsOut(key)))
    await complete(done)
    const takings = await Promise.all(
      Array.from({ length: 5 }, () => claimStaleKeys(db, store, { limit: 20 })),
    )
    const taken = takings.flat()
    expect(taken.map(({ key }) => key).toSorted()).toEqual(claims.map(({ key }) => key).toSorted())
    expect(new Set(taken.map(({ token }) => token)).size).toBe(28)
    expect(taken.find(({ key }) => key === claims[0]!.key)).toMatchObject({
      state: { paymentId: 7 },
    })
    await Promise.all(taken.map((claim) => complete(claim)))
    await extendLock(db, working)
    await expect(extendLock(db, claims[0]!)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_LOCK_LOST',
    })
  })

  test.each(['after the claim', 'after the payment', 'during the call', 'after the result'])(
    'a payment whose process is killed %s is charged once and answered',
    async (where) => {
      const key = uuid()
      await runUntilKilled(WORKER, {
        IDEMPOTENCY: new URL('idempotency.ts', import.meta.url).href,
        TRANSACTION: new URL('../database/transaction.ts', import.meta.url).href,
        PG: import.meta.resolve('pg'),
        URL: database.url,
        REQUEST: JSON.stringify(request(key)),
        WHERE: where,
      })
      await lockRunsOut(key)
      const engine = { claimKey, saveState, completeKey, transaction }
      const again = () => pay({ engine, pool, store }, request(key), () => Promise.resolve())
      expect(await again()).toBe('{"paid":true}')
      expect(await again()).toBe('{"paid":true}')
      const { rows } = await pool.query('select charged from shop.payment where key = $1', [key])
      expect(rows).toEqual([{ charged: true }])
    },
  )
})

describe('any order of claims, crashes, ends and takeovers', () => {
  const actions = ['claim', 'other', 'complete', 'save', 'abandon', 'extend', 'expireLock'] as const
  type Step = { action: (typeof actions)[number]; who: number }

  /** What should happen: who holds the key, for which request, and what was answered. */
  class Model {
    owner: number | undefined
    asked: string | undefined
    stale = false
    answer: string | undefined

    step({ action, who }: Step, body: string): string {
      if (action === 'claim' || action === 'other') return this.#claim(action, who)
      if (action === 'expireLock') {
        this.stale = true
        return 'done'
      }
      if (this.owner !== who || this.answer !== undefined) return 'IDEMPOTENCY_LOCK_LOST'
      if (action === 'complete') this.answer = body
      if (action === 'extend') this.stale = false
      if (action === 'abandon') this.owner = undefined
      return 'done'
    }

    #claim(asked: string, who: number): string {
      if (this.owner !== undefined) {
        if (this.asked !== asked) return 'reused'
        if (this.answer !== undefined) return `replay ${this.answer}`
        if (!this.stale) return 'inFlight'
      }
      Object.assign(this, { owner: who, asked, stale: false })
      return 'claimed'
    }
  }

  const key = () => ({ name: uuid(), claims: new Map<number, KeyClaim>() })

  async function step(
    { name, claims }: ReturnType<typeof key>,
    { action, who }: Step,
    body: string,
  ) {
    if (action === 'claim' || action === 'other') {
      const outcome = await claimKey(db, store, request(name, action))
      if (outcome.kind === 'claimed') claims.set(who, outcome)
      if (outcome.kind !== 'replay') return outcome.kind
      return `replay ${Buffer.from(outcome.response.body).toString()}`
    }
    if (action === 'expireLock') await lockRunsOut(name)
    const held = claims.get(who) ?? { store, scope: request(name).scope, key: name, token: uuid() }
    const claim = { takeover: false, state: undefined, ...held }
    const writes = {
      complete: () => complete(claim, { ...response, body }),
      save: () => transaction(pool, (tx) => saveState(tx, claim, body)),
      abandon: () => abandonKey(db, claim),
      extend: () => extendLock(db, claim),
      expireLock: () => Promise.resolve(),
    }
    return writes[action]().then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
  }

  test('a key has one owner and one answer, in any order of steps', async () => {
    const steps = fc.array(fc.record({ action: fc.constantFrom(...actions), who: fc.nat(2) }), {
      maxLength: 20,
    })
    const asTheModel = fc.asyncProperty(steps, async (taken) => {
      const [model, real] = [new Model(), key()]
      for (const [i, each] of taken.entries()) {
        expect(await step(real, each, `answer ${i}`)).toBe(model.step(each, `answer ${i}`))
      }
    })
    await fc.assert(asTheModel, { numRuns: 100 })
  })
})

/** Repeats a request while the work of a transaction is not committed; gives the repeat's outcome. */
async function repeatDuring(
  key: string,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<KeyOutcome> {
  const repeat = Promise.withResolvers<KeyOutcome>()
  const first = transaction(pool, async (tx) => {
    const end = await work(tx)
    repeat.resolve(claimKey(db, store, request(key)))
    await expect.poll(waitingForLock).toBeGreaterThan(0)
    if (typeof end === 'function') await end()
  })
  await Promise.allSettled([first])
  return repeat.promise
}

async function waitingForLock(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]!.count
}

interface Paying {
  readonly engine: {
    readonly claimKey: typeof claimKey
    readonly saveState: typeof saveState
    readonly completeKey: typeof completeKey
    readonly transaction: typeof transaction
  }
  readonly pool: typeof pool
  readonly store: typeof store
}

/**
 * A payment in two phases, as in the crash matrix of `application-peers.md`; `at` is called with
 * each step. It uses nothing but its parameters, so that another process can run its text.
 */
async function pay(
  { engine, pool: connections, store: keys }: Paying,
  asked: ReturnType<typeof request>,
  at: (where: string) => Promise<void>,
): Promise<string> {
  const claim = await engine.claimKey(connections, keys, asked)
  if (claim.kind === 'replay') return Buffer.from(claim.response.body).toString()
  if (claim.kind !== 'claimed') throw new Error(claim.kind)
  await at('after the claim')
  if (claim.state === undefined) {
    await engine.transaction(connections, async (tx) => {
      await tx.query({ text: 'insert into shop.payment (key) values ($1)', values: [asked.key] })
      await engine.saveState(tx, claim, { phase: 'payment' })
    })
  }
  await at('after the payment')
  // The gateway: charges, and honours its own idempotency key.
  await connections.query('update shop.payment set charged = true where key = $1', [asked.key])
  await at('during the call')
  const body = '{"paid":true}'
  await engine.transaction(connections, (tx) =>
    engine.completeKey(tx, claim, { status: 201, headers: {}, body }),
  )
  await at('after the result')
  return body
}

const WORKER = `
const idempotency = await import(process.env.IDEMPOTENCY)
const engine = { ...idempotency, ...(await import(process.env.TRANSACTION)) }
const { Pool } = (await import(process.env.PG)).default
const pool = new Pool({ connectionString: process.env.URL })
const store = engine.defineIdempotency({ table: 'shop.idempotency_keys' })
const pay = ${pay.toString()}
await pay({ engine, pool, store }, JSON.parse(process.env.REQUEST), async (where) => {
  if (where !== process.env.WHERE) return
  process.stdout.write('here')
  await new Promise(() => setInterval(() => {}, 1000))
})
`
