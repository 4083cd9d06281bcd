import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { defineInbox, inboxTableSql, once, type Inbox } from './inbox.ts'
import { lowestIdOf, planWeeks, pruneInbox, type Week } from './inbox-prune.ts'
import { timeOfUuid } from '../outbox/message.ts'
import { moveIntoPartition } from './inbox-prune.sql.ts'
import { transaction } from '../database/transaction.ts'
import { testDatabase } from '../testing/index.ts'
import { uuid, uuidSource } from '../uuid.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const { pool } = await testDatabase()

const idOfAge = (days: number) => uuidSource(() => Date.now() - days * DAY_MS)()
const receive = (inbox: Inbox, id: string) =>
  transaction(pool, (tx) => once(tx, { inbox, consumer: 'stock', id }, () => Promise.resolve()))

async function fresh(partitioned: boolean, forgetOthers?: '30d'): Promise<Inbox> {
  await pool.query('drop schema if exists shop cascade; create schema shop')
  const others = forgetOthers === undefined ? {} : { forgetOthers }
  const inbox = defineInbox({ table: 'shop.inbox', retention: '30d', partitioned, ...others })
  await pool.query(inboxTableSql(inbox))
  return inbox
}

async function insert(table: string, ids: string[], receivedDaysAgo = 0): Promise<void> {
  const text = `insert into ${table} (consumer, event_id, received_at)
    select 'stock', id, now() - $2::float8 * interval '1 day' from unnest($1::uuid[]) as id`
  await pool.query(text, [ids, receivedDaysAgo])
}

async function idsIn(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>(
    `select event_id from ${table} order by 1`,
  )
  return rows.map((row) => row.event_id)
}

describe('planWeeks', () => {
  const inbox = { name: 'inbox', retentionMs: 30 * DAY_MS }

  test('plans from this Monday to four weeks ahead', () => {
    const now = Date.parse('2026-03-18T12:00:00Z')
    expect(planWeeks(inbox, now, ['inbox_default', 'inbox_p20260323', 'inbox_other'])).toEqual({
      create: [
        { name: 'inbox_p20260316', fromMs: Date.parse('2026-03-16') },
        { name: 'inbox_p20260330', fromMs: Date.parse('2026-03-30') },
        { name: 'inbox_p20260406', fromMs: Date.parse('2026-04-06') },
        { name: 'inbox_p20260413', fromMs: Date.parse('2026-04-13') },
      ],
      drop: [],
    })
  })

  test('never drops an id that is not refused, and drops every week in the end', () => {
    const moment = fc.integer({ min: 0, max: 2 ** 42 })
    const days = fc.integer({ min: 1, max: 400 })
    fc.assert(
      fc.property(moment, moment, days, (madeMs, laterMs, retentionDays) => {
        const retentionMs = retentionDays * DAY_MS
        const made = planWeeks({ name: 'inbox', retentionMs }, madeMs, []).create
        expect(made[0]!.fromMs).toBeLessThanOrEqual(madeMs)
        expect(made[0]!.fromMs).toBeGreaterThan(madeMs - WEEK_MS)
        made.forEach((week, i) => expect(week.fromMs).toBe(made[0]!.fromMs + i * WEEK_MS))

        const names = made.map((week) => week.name)
        const { drop } = planWeeks({ name: 'inbox', retentionMs }, laterMs, names)
        const goes = new Set(drop.map((week) => week.name))
        const ends = (weeks: Week[]) => weeks.map((week) => week.fromMs + WEEK_MS)
        const refusedBeforeMs = laterMs - retentionMs
        const kept = ends(made.filter(({ name }) => !goes.has(name)))
        expect(Math.max(0, ...ends(drop))).toBeLessThanOrEqual(Math.max(0, refusedBeforeMs))
        expect(Math.min(...kept, Infinity)).toBeGreaterThan(refusedBeforeMs - DAY_MS)
      }),
    )
  })

  test('a lowest id sorts before every id of its moment and after all earlier ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (ms) => {
        expect(lowestIdOf(ms) < uuidSource(() => ms)()).toBe(true)
        expect(lowestIdOf(ms) > uuidSource(() => ms - 1)()).toBe(true)
      }),
    )
  })
})

describe('pruneInbox on one table', () => {
  test('deletes in batches what is refused by now, and nothing else', async () => {
    const inbox = await fresh(false)
    const old = Array.from({ length: 10_001 }, () => idOfAge(31))
    // A producer whose clock is ahead, a message that came late, an id that carries no time.
    const kept = [idOfAge(-5), idOfAge(29), uuid(), randomUUID()].toSorted()
    await insert(inbox.table, old)
    await insert(inbox.table, kept, 60)
    expect(await pruneInbox(pool, inbox)).toEqual({ created: [], dropped: [], deleted: 10_001 })
    expect(await idsIn(inbox.table)).toEqual(kept)
    await expect(receive(inbox, old[0]!)).rejects.toMatchObject({ code: 'INBOX_EXPIRED' })
    for (const id of kept) expect(await receive(inbox, id)).toEqual({ first: false })
  })

  test('forgets ids that carry no time where the definition says so', async () => {
    const inbox = await fresh(false, '30d')
    const recent = randomUUID()
    await insert(inbox.table, [randomUUID(), randomUUID()], 31)
    await insert(inbox.table, [recent], 29)
    expect(await pruneInbox(pool, inbox)).toMatchObject({ deleted: 2 })
    expect(await idsIn(inbox.table)).toEqual([recent])
  })

  test('finds both by an index', async () => {
    const inbox = await fresh(false, '30d')
    await insert(inbox.table, Array.from({ length: 5_000 }, uuid))
    await pool.query('analyze shop.inbox')
    await transaction(pool, async (tx) => {
      await tx.query({ text: 'set local enable_seqscan = off', values: [] })
      for (const text of [inbox.sql.deleteExpired, inbox.sql.deleteOthers]) {
        const explain = `explain ${text.replaceAll('$1', '1000').replaceAll('$2', '10')}`
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>({ text: explain, values: [] })
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        expect(plan).toMatch(/Index (Only )?Scan using inbox_(pkey|others)/)
      }
    })
  })
})

describe('pruneInbox on partitions', () => {
  let inbox: Inbox
  beforeEach(async () => {
    inbox = await fresh(true)
  })

  /** Makes the partitions that runs of that time would have made. */
  async function pastWeeks(daysAgo: number) {
    const { create } = planWeeks(inbox, Date.now() - daysAgo * DAY_MS, [])
    for (const { name, fromMs } of create) {
      const part = { from: lowestIdOf(fromMs), to: lowestIdOf(fromMs + WEEK_MS) }
      await transaction(pool, async (tx) => {
        const texts = moveIntoPartition({ table: inbox.table, partition: `shop.${name}`, ...part })
        for (const text of texts) await tx.query({ text, values: [] })
      })
    }
    return create
  }

  test('makes the weeks ahead, once, and moves what waited in the default partition', async () => {
    const [now, late, other] = [uuid(), idOfAge(20), randomUUID()]
    await insert(inbox.table, [now, late, other])
    const { created } = await pruneInbox(pool, inbox)
    expect(created).toHaveLength(5)
    expect(await idsIn(`shop.${created[0]}`)).toEqual([now])
    expect(await idsIn('shop.inbox_default')).toEqual([late, other].toSorted())
    for (const id of [now, late, other]) expect(await receive(inbox, id)).toEqual({ first: false })
    expect(await pruneInbox(pool, inbox)).toEqual({ created: [], dropped: [], deleted: 0 })
  })

  test('drops the weeks that are over, but no id that carries no time', async () => {
    const [first] = await pastWeeks(70)
    const old = uuidSource(() => first!.fromMs)()
    const stray = `${old.slice(0, 14)}4${old.slice(15)}`
    await insert(inbox.table, [old, stray])
    expect(await idsIn(`shop.${first!.name}`)).toEqual([old, stray].toSorted())

    const { dropped } = await pruneInbox(pool, inbox)
    expect(dropped).toContain(first!.name)
    expect(await idsIn(inbox.table)).toEqual([stray])
    expect(await receive(inbox, stray)).toEqual({ first: false })
    await expect(receive(inbox, old)).rejects.toMatchObject({ code: 'INBOX_EXPIRED' })
  })

  test('lets consumers write into the week whose partition it makes', async () => {
    await receive(inbox, uuid())
    const pruned = new AbortController()
    const consume = async () => {
      const ids = []
      while (!pruned.signal.aborted) {
        const id = uuid()
        expect(await receive(inbox, id)).toMatchObject({ first: true })
        ids.push(id)
      }
      return ids
    }
    const consumers = [consume(), consume(), consume(), consume()]
    const { created } = await pruneInbox(pool, inbox)
    pruned.abort()
    expect(created).toHaveLength(5)
    for (const id of (await Promise.all(consumers)).flat()) {
      expect(await receive(inbox, id)).toEqual({ first: false })
    }
    expect(await idsIn('shop.inbox_default')).toEqual([])
  })

  test('works after months without a run, in batches', async () => {
    const old = Array.from({ length: 2_000 }, () => idOfAge(40))
    const current = Array.from({ length: 2_000 }, uuid)
    await insert(inbox.table, [...old, ...current])
    const pruned = await pruneInbox(pool, inbox)
    // Too many rows of this week to move while their writers wait: it stays in the default one.
    expect(pruned.created).toHaveLength(4)
    expect(pruned.deleted).toBe(2_000)
    expect(await idsIn('shop.inbox_default')).toHaveLength(2_000)
    expect(await receive(inbox, current[0]!)).toEqual({ first: false })
    expect(await receive(inbox, uuid())).toMatchObject({ first: true })
  })

  test('two at once make each partition once', async () => {
    await pastWeeks(70)
    const runs = await Promise.all([pruneInbox(pool, inbox), pruneInbox(pool, inbox)])
    expect(runs.flatMap((run) => run.created)).toHaveLength(5)
    const dropped = runs.flatMap((run) => run.dropped)
    expect(dropped.length).toBeGreaterThan(0)
    expect(new Set(dropped).size).toBe(dropped.length)
  })

  test('leaves to the next run what a long transaction holds', async () => {
    await pastWeeks(70)
    await pruneInbox(pool, inbox).then(({ dropped }) => expect(dropped).not.toEqual([]))
    const weeks = await pastWeeks(77)
    const [blocked, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const long = transaction(pool, (tx) =>
      once(tx, { inbox, consumer: 'slow', id: uuid() }, () => {
        started.resolve()
        return blocked.promise
      }),
    )
    await started.promise
    const warnings: string[] = []
    const log = {
      ...console,
      debug: () => undefined,
      warn: (_: object, text: string) => void warnings.push(text),
    }
    expect(await pruneInbox(pool, inbox, { log })).toMatchObject({ dropped: [] })
    expect(warnings).toContain('inbox pruning skipped: lock not available')
    blocked.resolve()
    await long
    const { dropped } = await pruneInbox(pool, inbox)
    expect(dropped).toContain(weeks[0]!.name)
  })

  test('in any interleaving an id is refused before its partition is dropped', async () => {
    // Any day of the week: the first week is past the 30 days, and the last is not.
    const weeks = await pastWeeks(50)
    const ids = weeks.flatMap(({ fromMs }) =>
      Array.from({ length: 20 }, (_, i) => uuidSource(() => fromMs + i * 8 * 3_600_000)()),
    )
    const firsts = new Map(ids.map((id) => [id, 0]))
    const refused: { id: string; error: unknown }[] = []
    const consume = async () => {
      for (const id of ids) {
        try {
          const { first } = await receive(inbox, id)
          if (first) firsts.set(id, firsts.get(id)! + 1)
        } catch (error) {
          refused.push({ id, error })
        }
      }
    }
    const prune = () => pruneInbox(pool, inbox)
    await Promise.all([consume(), consume(), prune(), consume(), prune()])
    await consume()
    for (const { id, error } of refused) {
      expect(error).toMatchObject({ code: 'INBOX_EXPIRED' })
      expect(timeOfUuid(id)!.getTime()).toBeLessThan(Date.now() - 30 * DAY_MS)
    }
    expect(refused).not.toEqual([])
    expect(Math.max(...firsts.values())).toBe(1)
  })
})
