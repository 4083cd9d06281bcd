import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AuditEntry } from '../audit/audit.ts'
import { pause } from '@posthorn/engine/internal'
import { enqueueAll, createRelay, transaction, uuid } from '@posthorn/engine'
import { createFeed, type Feed, type SubscribeOptions } from './feed.ts'
import { LAST_ID, toPosition, type IdRange } from './id-ranges.ts'
import { fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { outboundLetters, outboxTables } from '../../../engine/src/testing/outboxes.ts'

const db = await testDatabase({ sql: outboxTables })

let feed: Feed
beforeEach(() => {
  feed = createFeed({ pool: db.pool, pollMs: 5 })
})
afterEach(() => feed.close())

/** Others may keep the machine busy. */
const eventually: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 30_000, ...options })

const subjectOf = (entry: AuditEntry) =>
  entry.kind === 'transition' ? entry.messageId : entry.subject

/** A reader that records what arrives, until it leaves. */
function startReader(options: SubscribeOptions = {}, from: Feed = feed) {
  const stop = new AbortController()
  const read = { subjects: [] as string[], position: options.after, failure: undefined as unknown }
  const over = (async () => {
    for await (const batch of from.subscribe({ ...options, signal: stop.signal })) {
      read.subjects.push(...batch.entries.map(subjectOf))
      read.position = batch.position
    }
  })().catch((error: unknown) => void (read.failure = error))
  return Object.assign(read, {
    async leave() {
      stop.abort()
      await over
      return read.position
    },
    over,
  })
}

/** A connection with a transaction of its own. */
async function openTransaction(): Promise<PoolClient> {
  const client = await db.pool.connect()
  await client.query('begin')
  return client
}

async function endTransaction(client: PoolClient, how: 'commit' | 'rollback'): Promise<void> {
  await client.query(how)
  client.release()
}

const write = (client: { query: PoolClient['query'] }, ...subjects: string[]) =>
  client.query(
    `insert into posthorn.transition (outbox, message_id, to_state, actor)
     select 'box', subject, 'sent', 'RELAY' from unnest($1::text[]) as subject`,
    [subjects],
  )

/** A reader that is surely there: it has heard of something. */
async function startListening(options: SubscribeOptions = {}, from: Feed = feed) {
  const read = startReader(options, from)
  await eventually(
    async () => {
      await write(db.pool, 'hello')
      return read.subjects.length
    },
    { interval: 20 },
  ).toBeGreaterThan(0)
  return read
}

const entriesOf = (read: { subjects: string[] }) => read.subjects.filter((each) => each !== 'hello')

describe('a reader', () => {
  test('hears of what is committed from now on, of both kinds', async () => {
    await write(db.pool, 'before')
    const read = await startListening()
    await write(db.pool, 'a', 'b')
    await transaction(db.pool, (tx) => pause(tx, { name: 'box' }, { by: 'ada' }))
    await eventually(() => entriesOf(read)).toEqual(['a', 'b', 'box'])
    await read.leave()
  })

  test('misses no late commit, in any order', async () => {
    const read = await startListening()
    const [one, two, three] = [
      await openTransaction(),
      await openTransaction(),
      await openTransaction(),
    ]
    await write(one, '1')
    await write(two, '2')
    await write(three, '3')
    await write(one, '1 again')
    await endTransaction(three, 'commit')
    await eventually(() => entriesOf(read)).toEqual(['3'])
    await endTransaction(one, 'commit')
    await eventually(() => entriesOf(read)).toEqual(['3', '1', '1 again'])
    await endTransaction(two, 'commit')
    await eventually(() => entriesOf(read)).toEqual(['3', '1', '1 again', '2'])
    await read.leave()
  })

  test('hears at its beginning of what was under way already', async () => {
    const early = await openTransaction()
    await write(early, 'early')
    await write(db.pool, 'seen')
    const read = await startListening()
    await endTransaction(early, 'commit')
    await eventually(() => entriesOf(read)).toEqual(['early'])
    await read.leave()
  })

  test('is not kept by transactions that stay open, and forgets what was rolled back', async () => {
    const stranger = await openTransaction()
    await stranger.query('create table stranger (id int)')
    onTestFinished(() => endTransaction(stranger, 'rollback'))
    const read = await startListening()
    const failed = await openTransaction()
    await write(failed, 'never')
    await write(db.pool, 'a')
    await endTransaction(failed, 'rollback')
    await eventually(() => entriesOf(read)).toEqual(['a'])
    // The position has no gap once no transaction can fill it, although the unrelated one is still open.
    await eventually(
      async () => {
        await write(db.pool, 'hello')
        return read.position
      },
      { timeout: 10_000 },
    ).toMatch(/^[0-9a-z]+$/)
    await read.leave()
  })

  test('waits for an old writer, and for no other session', async () => {
    const read = await startListening()
    const slow = await openTransaction()
    await write(slow, 'slow')
    const until = Date.now() + 2_500
    for (let n = 0; Date.now() < until; n += 1) {
      await write(db.pool, `quick ${n}`)
      await eventually(() => read.subjects.at(-1)).toBe(`quick ${n}`)
    }
    const position = await read.leave()
    await endTransaction(slow, 'commit')
    const again = startReader({ after: position ?? '' })
    await eventually(() => entriesOf(again)).toEqual(['slow'])
    await again.leave()
  })

  test('of one tenant sees nothing of others, nor what belongs to no tenant', async () => {
    const fake = fakeTransport()
    const outboxes = [outboundLetters]
    const relay = createRelay({
      pool: db.pool,
      outboxes,
      transports: { topics: fake },
      mode: 'poll',
    })
    const unfiltered = await startListening()
    const acme = startReader({ tenant: 'acme' })
    const messages = startReader({ outboxes: ['letters.outbound'] })
    const other = startReader({ outboxes: ['other'] })
    const row = (org: string) => ({
      org_id: org,
      idempotency_key: uuid(),
      channel: 'c',
      to_recipient: '+1',
      payload_json: {},
    })
    const [mine, theirs] = await transaction(db.pool, (tx) =>
      enqueueAll(tx, outboundLetters, [row('acme'), row('other')]),
    )
    for (let i = 0; i < 5; i += 1) await relay.runOnce()
    await eventually(() => entriesOf(unfiltered).length).toBe(4)
    await eventually(() => messages.subjects.length).toBe(4)
    expect(new Set(entriesOf(unfiltered))).toEqual(new Set([mine?.id, theirs?.id]))
    await eventually(() => acme.subjects).toEqual([mine?.id, mine?.id])
    expect(other.subjects).toEqual([])
    await Promise.all([unfiltered, acme, messages, other].map((each) => each.leave()))
  })

  test('that has left leaves nothing behind that would keep it in memory', async () => {
    const joining = vi.spyOn(AbortSignal, 'any')
    onTestFinished(() => joining.mockRestore())
    const batches = feed.subscribe({ signal: new AbortController().signal })[Symbol.asyncIterator]()
    let isThere = false
    const first = batches.next().then(() => (isThere = true))
    await eventually(async () => {
      await write(db.pool, 'hello')
      return isThere
    }).toBe(true)
    await first
    // Node keeps a joined signal that is listened to for as long as one of its sources lives.
    const [joined] = joining.mock.results.map(({ value }) => value as AbortSignal)
    expect(getEventListeners(joined as AbortSignal, 'abort')).toHaveLength(1)
    await batches.return?.()
    expect(getEventListeners(joined as AbortSignal, 'abort')).toEqual([])
  })

  test('that is too slow is let go with a code, and can go on', async () => {
    const read = await startListening()
    // Without a position there is nothing to catch up with: its first batch is a live one.
    const batches = feed.subscribe()[Symbol.asyncIterator]()
    let position = ''
    const first = batches
      .next()
      .then((next) => void (position = next.done ? '' : next.value.position))
    await eventually(async () => {
      await write(db.pool, 'hello')
      return position
    }).not.toBe('')
    await first
    // No reader asks for the next batch.
    for (let n = 0; n < 11; n += 1) {
      await write(db.pool, ...Array.from({ length: 1_000 }, (_, i) => `${n}.${i}`))
    }
    await eventually(() => entriesOf(read).length, { timeout: 10_000 }).toBe(11_000)
    let received = 0
    const drain = async () => {
      for (let next = await batches.next(); !next.done; next = await batches.next()) {
        position = next.value.position
        received += entriesOf({ subjects: next.value.entries.map(subjectOf) }).length
      }
    }
    await expect(drain()).rejects.toMatchObject({ code: 'FEED_BEHIND' })
    const again = startReader({ after: position })
    await eventually(() => entriesOf(again).length).toBe(11_000 - received)
    await Promise.all([again.leave(), read.leave()])
  })

  test('goes on in another process where it was in this one', async () => {
    const read = await startListening()
    const position = await read.leave()
    await write(db.pool, ...Array.from({ length: 2_500 }, (_, n) => String(n)))
    const elsewhere = createFeed({ pool: db.pool, pollMs: 5 })
    const again = startReader({ after: position ?? '' }, elsewhere)
    await eventually(() => entriesOf(again).length).toBe(2_500)
    await elsewhere.close()
    expect(entriesOf(again)).toEqual(Array.from({ length: 2_500 }, (_, n) => String(n)))
  })

  test('waits in another process for a writer that it waited for in this one', async () => {
    const read = await startListening()
    const slow = await openTransaction()
    await write(slow, 'slow')
    // More than a new feed looks back by itself.
    await write(db.pool, ...Array.from({ length: 11_000 }, (_, n) => String(n)))
    await eventually(() => entriesOf(read).length).toBe(11_000)
    const position = await read.leave()
    const elsewhere = createFeed({ pool: db.pool, pollMs: 5 })
    const again = startReader({ after: position ?? '' }, elsewhere)
    await write(db.pool, 'next')
    await eventually(() => entriesOf(again)).toEqual(['next'])
    await endTransaction(slow, 'commit')
    await eventually(() => entriesOf(again)).toEqual(['next', 'slow'])
    await elsewhere.close()
  })

  test('with many wide gaps gets what is in them and what came after', async () => {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into posthorn.transition (outbox, message_id, to_state, actor)
       select 'box', n, 'sent', 'RELAY' from generate_series(0, 19999) as n returning id`,
    )
    const base = BigInt(rows[0]?.id ?? 0)
    // Of every thousand, the second half was not seen.
    const gaps = Array.from({ length: 20 }, (_, n): IdRange => {
      const thousand = base + BigInt(n) * 1_000n
      return [thousand + 500n, thousand + 998n]
    })
    const read = startReader({ after: toPosition([...gaps, [base + 19_999n, LAST_ID]]) })
    await eventually(() => read.subjects.length).toBe(20 * 499 + 1)
    expect(read.subjects.every((each) => Number(each) % 1_000 >= 500)).toBe(true)
    expect(read.subjects).toEqual(read.subjects.toSorted((a, b) => Number(a) - Number(b)))
    await read.leave()
  })

  test('hears of what another server writes under ids that it has seen', async () => {
    const pool = db.connect({ max: 2 })
    const query = pool.query.bind(pool) as (statement: object) => Promise<unknown>
    let isOther = false
    // A failover to a server that was started at another time.
    pool.query = ((statement: { text: string }) => {
      const started = `timestamptz '2001-01-01'`
      const text = statement.text.replaceAll('pg_postmaster_start_time()', started)
      return query(isOther ? { ...statement, text } : statement)
    }) as never
    const own = createFeed({ pool, pollMs: 5 })
    onTestFinished(() => own.close())
    const read = await startListening({}, own)
    await write(db.pool, 'a', 'b', 'c')
    await eventually(() => read.subjects).toContain('c')
    // It has not seen b and c, nor given out their ids.
    await db.pool.query(`select setval('posthorn.transition_id', max(id)) from posthorn.transition
                          where message_id = 'a'`)
    await db.pool.query(`delete from posthorn.transition where message_id in ('b', 'c')`)
    isOther = true
    await write(db.pool, 'd')
    await eventually(() => read.subjects).toContain('d')
    await write(db.pool, 'e')
    await eventually(() => read.subjects).toContain('e')
    await read.leave()
  })

  test('with a position of another database begins now', async () => {
    const read = await startListening({ after: 'zzzzzzzzzz' })
    await write(db.pool, 'a')
    await eventually(() => entriesOf(read)).toEqual(['a'])
    await read.leave()
  })
})

describe('the feed', () => {
  test('refuses a position that is none before anything is read', () => {
    expect(() => feed.subscribe({ after: 'x-' })).toThrow(
      expect.objectContaining({ code: 'CURSOR_INVALID' }),
    )
  })

  test('asks nothing without readers, and ends with its readers', async () => {
    let asked = 0
    const pool = db.connect()
    const query = pool.query.bind(pool)
    pool.query = ((...args: Parameters<typeof query>) => {
      asked += 1
      return query(...args)
    }) as typeof pool.query
    const own = createFeed({ pool, pollMs: 1 })
    const read = startReader({}, own)
    await eventually(() => asked).toBeGreaterThan(10)
    await read.leave()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = asked
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(asked).toBe(before)
    const again = startReader({}, own)
    await eventually(() => asked).toBeGreaterThan(before + 10)
    await own.close()
    await again.over
    expect(again.failure).toBeUndefined()
    await startReader({}, own).over
  })

  test('outlives its connections', async () => {
    const pool = db.connect({ application_name: 'posthorn feed', max: 2 })
    const own = createFeed({ pool, pollMs: 5 })
    const read = startReader({}, own)
    await eventually(async () => {
      await write(db.pool, 'hello')
      return read.subjects.length
    }).toBeGreaterThan(0)
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'posthorn feed'`,
    )
    await write(db.pool, 'a')
    await eventually(() => entriesOf(read)).toEqual(['a'])
    await own.close()
  })
})

type Move =
  | { do: 'write'; who: number; count: number }
  | { do: 'commit' | 'rollback'; who: number }
  | { do: 'leave'; forget: boolean }
  | { do: 'wait' }

const who = fc.integer({ min: 0, max: 3 })
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write'), who, count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('commit'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback'), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave'), forget: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait') }) },
)

const findMissing = (wanted: readonly string[], there: readonly string[]) =>
  wanted.filter((each) => !there.includes(each))

/** Plays the moves with one reader that leaves and comes back; says what was committed and heard. */
async function play(moves: readonly Move[]) {
  const writers = new Map<number, { client: PoolClient; written: string[] }>()
  const committed: string[] = []
  const received: string[] = []
  const repeatable: string[] = []
  let next = 0
  let read = startReader()
  await eventually(
    async () => {
      await write(db.pool, 'hello')
      return read.subjects.length
    },
    { interval: 5 },
  ).toBeGreaterThan(0)
  let { position } = read
  const end = async (at: number, how: 'commit' | 'rollback') => {
    const writer = writers.get(at)
    if (!writer) return
    writers.delete(at)
    await endTransaction(writer.client, how)
    if (how === 'commit') committed.push(...writer.written)
  }
  for (const each of moves) {
    if (each.do === 'write') {
      const writer = writers.get(each.who) ?? { client: await openTransaction(), written: [] }
      writers.set(each.who, writer)
      const subjects = Array.from({ length: each.count }, () => `m${(next += 1)}`)
      await write(writer.client, ...subjects)
      writer.written.push(...subjects)
    } else if (each.do === 'leave') {
      const before = position
      position = await read.leave()
      // A reader that forgets has had its last batches, but not stored their position.
      if (each.forget) repeatable.push(...read.subjects)
      received.push(...read.subjects)
      read = startReader({ after: (each.forget ? before : position) ?? '' })
      position = each.forget ? before : position
    } else if (each.do === 'wait') await new Promise((resolve) => setTimeout(resolve, 8))
    else await end(each.who, each.do)
  }
  for (const at of writers.keys()) await end(at, 'commit')
  const all = () => [...received, ...read.subjects].filter((each) => each !== 'hello')
  await eventually(() => findMissing(committed, all()).length, { interval: 5 }).toBe(0)
  await read.leave()
  return { committed, received: all(), repeatable }
}

test('no interleaving of writes, commits, rollbacks and leaving readers misses an entry', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
      const { committed, received, repeatable } = await play(moves)
      expect(new Set(received)).toEqual(new Set(committed))
      const twice = received.filter((each, at) => received.indexOf(each) !== at)
      expect(findMissing(twice, repeatable)).toEqual([])
    }),
    { numRuns: 40 },
  )
})
