import { beforeEach, describe, expect, test } from 'vitest'
import {
  PosthornError,
  createRelay,
  defineOutbox,
  enqueueAll,
  fixed,
  refused,
  transaction,
  uuid,
  type Outbox,
} from '@posthorn/engine'
import { getMessage, listAllMessages, listMessages, type MessageListOptions } from './messages.ts'
import { inSql, prune } from '@posthorn/engine/internal'
import { listMessages as listStatement } from './messages.sql.ts'
import { everywhere, fakeTransport, testDatabase, viewTable } from '@posthorn/engine/testing'
import {
  LOGGED,
  SAMPLES,
  SHAPES,
  clubEvents,
  hookDeliveries,
  outboundLetters,
  outboxTables,
  tripEvents,
} from '../../../engine/src/testing/outboxes.ts'

interface CountedRow {
  id: string
  due_at: Date
  status: string
  tries: number
}

/** A table with nothing but what an outbox must have, and ids that are numbers. */
const counted = defineOutbox<CountedRow>({
  name: 'test.counted',
  table: 'counted.message',
  states: { ready: 'new', sent: 'done', dead: 'dead' },
  columns: { idType: 'bigint', dueAt: 'due_at' },
  counter: { column: 'tries', bumps: 'on-failure' },
  retry: fixed('1s', { attempts: 2 }),
  destination: { transport: 'topics', topic: 'counted' },
  message: (row) => ({ id: row.id, type: 'counted', payload: {} }),
})

const db = await testDatabase({
  sql: `${outboxTables}
    create schema counted;
    create table counted.message (
      id bigint primary key,
      due_at timestamptz not null default now(),
      status text not null default 'new',
      tries int not null default 0,
      claim_token uuid,
      claimed_until timestamptz,
      lost_claims smallint not null default 0
    );
    create schema labelled;
    create table labelled.letter (
      id uuid primary key,
      due_at timestamptz not null default now(),
      status text not null default 'new',
      tries int not null default 0,
      made_at timestamptz not null default now(),
      done_at timestamptz,
      recipient text,
      body jsonb,
      claim_token uuid,
      claimed_until timestamptz,
      lost_claims smallint not null default 0
    );`,
})

async function pages(outbox: Outbox, options: MessageListOptions): Promise<string[][]> {
  const found: string[][] = []
  let cursor: string | undefined
  do {
    const page = await listMessages(db.pool, outbox, cursor ? { ...options, cursor } : options)
    found.push(page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

describe.each([...SHAPES, LOGGED])('messages of $name', ({ outbox, sample }) => {
  const { states, columns } = outbox
  const put = async (count: number, from = 0) => {
    const samples = Array.from({ length: count }, (_, n) => sample(from + n))
    const enqueued = await transaction(db.pool, (tx) => enqueueAll(tx, outbox, samples))
    return enqueued.map(({ id }) => id)
  }
  const kill = async () => {
    const transports = everywhere(
      fakeTransport(() => refused(new Error('No such ENDPOINT'))),
      ['topics'],
    )
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    for (let i = 0; i < 3; i += 1) await relay.runOnce()
  }

  beforeEach(async () => viewTable(db.pool, outbox).empty())

  test('are listed newest first, page by page, each once', async () => {
    const older = await put(5)
    // All of one transaction have the same time: the id decides.
    const newer = await put(7)
    const found = await pages(outbox, { limit: 5 })
    expect(found.map((page) => page.length)).toEqual([5, 5, 2])
    expect(found.flat().slice(0, 7).toSorted()).toEqual(newer.toSorted())
    expect(found.flat().slice(7).toSorted()).toEqual(older.toSorted())
  })

  test('are listed oldest first too, by cursors of their own', async () => {
    await put(5)
    await put(7)
    const newest = await pages(outbox, { limit: 5 })
    const oldest = await pages(outbox, { limit: 5, sort: 'oldest' })
    expect(oldest.map((page) => page.length)).toEqual([5, 5, 2])
    expect(oldest.flat()).toEqual(newest.flat().toReversed())
    for (const [sort, other] of [
      ['newest', 'oldest'],
      ['oldest', 'newest'],
    ] as const) {
      const { nextCursor: cursor = '' } = await listMessages(db.pool, outbox, { limit: 2, sort })
      const asked = listMessages(db.pool, outbox, { limit: 2, sort: other, cursor })
      await expect(asked).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
    }
  })

  test('that arrive meanwhile do not shift the pages', async () => {
    const first = await put(4)
    const page = await listMessages(db.pool, outbox, { limit: 2 })
    await put(3)
    const next = await listMessages(db.pool, outbox, { limit: 2, cursor: page.nextCursor! })
    expect([...page.items, ...next.items].map(({ id }) => id).toSorted()).toEqual(first.toSorted())
    expect(next.nextCursor).toBeUndefined()
  })

  test('have a summary', async () => {
    const [id] = await put(1)
    const { items } = await listMessages(db.pool, outbox)
    expect(items).toEqual([
      {
        id,
        state: String(states.ready),
        type: columns.type ? expect.any(String) : undefined,
        key: outbox.order ? '00000000-0000-4000-8000-000000000000' : undefined,
        tenant: columns.tenant ? 'acme' : undefined,
        createdAt: expect.any(Date),
        dueAt: expect.any(Date),
        attempts: 0,
        error: undefined,
        errorCode: undefined,
        claimedUntil: undefined,
        quarantinedAt: undefined,
        held: false,
      },
    ])
  })

  test('are found by state, and dead letters with their error', async () => {
    const [id] = await put(1)
    await kill()
    await put(2, 1)
    const state = String(states.dead ?? states.retry)
    const { items } = await listMessages(db.pool, outbox, { state })
    const failed = items.find((item) => item.id === id)
    expect(items).toHaveLength(states.dead === undefined ? 3 : 1)
    const held = outbox.order !== undefined && states.dead === undefined
    expect(failed).toMatchObject({ state, error: 'No such ENDPOINT', held })
    expect((await listMessages(db.pool, outbox, { state: 'UNHEARD OF' })).items).toEqual([])
  })

  test('count the attempt that delivered them', async () => {
    const [id] = await put(1)
    const transports = everywhere(fakeTransport(), ['topics'])
    await createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' }).runOnce()
    const found = await getMessage(db.pool, outbox, id!)
    const delivered = found?.transitions.findLast(({ attempt }) => attempt !== undefined)
    // A log that delivers at once writes no transition, and may be empty then.
    if (found !== undefined) expect(found.attempts).toBe(delivered?.attempt ?? 1)
  })

  test('are searched, with any characters', async () => {
    const [first] = await put(20)
    const ids = async (search: string) =>
      (await listMessages(db.pool, outbox, { search })).items.map(({ id }) => id)
    expect(await ids(first!)).toEqual([first])
    expect(await ids(first!.slice(-10).toUpperCase())).toEqual([first])
    expect(await ids('100% _nothing_')).toEqual([])
    expect(await ids('a\0b')).toEqual([])
    await kill()
    expect(await ids('no such endpoint')).not.toEqual([])
  })

  test('come with the whole row and what happened to them, in order', async () => {
    const [id] = await put(1)
    await kill()
    const found = await getMessage(db.pool, outbox, id!.toUpperCase())
    const { rows } = await db.pool.query(`select * from ${outbox.exceptions ?? outbox.table}`)
    expect(found?.row).toEqual(rows[0])
    expect(found).toMatchObject({ id, error: 'No such ENDPOINT', archivedAt: undefined })
    const steps = found?.transitions.map(({ from, to }) => `${from}>${to}`)
    expect(steps).toEqual(await viewTable(db.pool, outbox).transitions(id!))
    expect(found?.transitions.at(-1)).toMatchObject({
      to: String(states.dead ?? states.retry),
      attempt: 1,
      code: 'DELIVERY_REFUSED',
      error: 'No such ENDPOINT',
      actor: outbox.audit.actor,
      at: expect.any(Date),
    })
  })

  test('that are unknown are not found', async () => {
    for (const id of [uuid(), 'x', '', '1', `${uuid()}0`, "'; --", 'a\0b']) {
      expect(await getMessage(db.pool, outbox, id)).toBeUndefined()
    }
  })

  test('are not listed from a cursor that is none', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const wrong = ['', 'x', '{}', encode({}), encode([]), encode([uuid()]), encode(null)]
    wrong.push(encode([uuid(), 'yesterday']), encode(['x', '1']), encode([uuid(), 1]))
    wrong.push(encode([uuid(), '1', '2']), encode([uuid(), '12345678901234567']))
    for (const cursor of wrong) {
      const error = await listMessages(db.pool, outbox, { cursor }).catch((e: unknown) => e)
      expect(error).toBeInstanceOf(PosthornError)
      expect(error).toMatchObject({ code: 'CURSOR_INVALID' })
    }
  })
})

test('messages are found by tenant, key and type where the table has them', async () => {
  for (const { outbox, sample } of SAMPLES) {
    await viewTable(db.pool, outbox).empty()
    const samples = Array.from({ length: 10 }, (_, n) => sample(n))
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, samples))
  }
  const count = async (outbox: Parameters<typeof listMessages>[1], options: MessageListOptions) =>
    (await listMessages(db.pool, outbox, options)).items.length
  const key = '00000000-0000-4000-8000-000000000003'
  expect(await count(outboundLetters, { tenant: 'acme' })).toBe(5)
  expect(await count(outboundLetters, { tenant: 'acme', state: 'SENT' })).toBe(0)
  expect(await count(clubEvents, { key })).toBe(1)
  expect(await count(clubEvents, { key, type: 'ClubCreated', state: '0' })).toBe(1)
  expect(await count(tripEvents, { type: 'order.shipped' })).toBe(0)
  await expect(count(hookDeliveries, { tenant: 'acme' })).rejects.toThrow('filter.tenant')
  await expect(count(tripEvents, { key })).rejects.toThrow('filter.key')
})

test('without a time of creation the id is the order', async () => {
  await db.pool.query('insert into counted.message (id) select generate_series(1, 5)')
  const ids = await pages(counted as unknown as Outbox, { limit: 2 })
  expect(ids).toEqual([['5', '4'], ['3', '2'], ['1']])
  expect(await getMessage(db.pool, counted, '3')).toMatchObject({ id: '3', createdAt: undefined })
  for (const id of ['6', '9223372036854775808', '-9223372036854775809', '1e3', uuid()]) {
    expect(await getMessage(db.pool, counted, id)).toBeUndefined()
  }
})

test('the search finds what is in a payload, as it is written there', async () => {
  await viewTable(db.pool, hookDeliveries as unknown as Outbox).empty()
  const payload = { order: 'A-1', said: 'a "word" \\ more', list: [1, 2] }
  const samples = [{ endpoint_id: 'e', payload }]
  await transaction(db.pool, (tx) => enqueueAll(tx, hookDeliveries, samples))
  for (const search of ['a-1', '"order": "A-1"', '[1, 2]', '\\"word\\" \\\\ more', 'PENDING']) {
    const { items } = await listMessages(db.pool, hookDeliveries, { search })
    expect({ search, count: items.length }).toEqual({ search, count: 1 })
  }
})

test('a message in the archive is as it was', async () => {
  const samples = [{ topic: 't', event_type: 'e', payload: { a: [1, null] } }]
  const [sent] = await transaction(db.pool, (tx) => enqueueAll(tx, tripEvents, samples))
  await db.pool.query(
    "update trips.trip_outbox set status = 'SENT', sent_at = now() - interval '8 days' where id = $1",
    [sent!.id],
  )
  const before = await getMessage(db.pool, tripEvents, sent!.id)
  expect(await prune(db.pool, tripEvents)).toMatchObject({ pruned: 1, archived: 1 })
  const after = await getMessage(db.pool, tripEvents, sent!.id)
  expect(after).toEqual({ ...before, archivedAt: expect.any(Date) })
})

test('the dead are listed by their index, and all by one that the table may have', async () => {
  await db.pool.query(`
    insert into hooks.deliveries (id, endpoint_id, payload, status, created_at)
    select gen_random_uuid(), 'e', '{}', case when n % 100 = 0 then 'abandoned' else 'delivered' end,
           now() - n * interval '1 s'
      from generate_series(1, 20000) as n`)
  await db.pool.query('analyze hooks.deliveries')
  const box = hookDeliveries as unknown as Outbox
  const planOf = async (conditions: Parameters<typeof listStatement>[1], values: unknown[]) => {
    const { text } = listStatement(inSql(box), conditions)
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const newest = { given: [], sort: 'newest' } as const
  const dead = await planOf({ ...newest, state: 'abandoned', goesOn: false }, [51])
  expect(dead).toContain('deliveries_dead')
  await db.pool.query('create index deliveries_newest on hooks.deliveries (created_at, id)')
  const next = await planOf({ ...newest, state: undefined, goesOn: true }, [uuid(), '0', 51])
  expect(next).toContain('Index Scan Backward using deliveries_newest')
  expect(next).toContain('Index Cond')
  expect(next).not.toContain('Sort')
  const oldest = { given: [], sort: 'oldest', state: undefined, goesOn: true } as const
  const forward = await planOf(oldest, [uuid(), '0', 51])
  expect(forward).toContain('Index Scan using deliveries_newest')
  expect(forward).toContain('Index Cond')
  expect(forward).not.toContain('Sort')
})

test('several outboxes are one list, newest first, without a gap or a double between pages', async () => {
  const boxes = [tripEvents, clubEvents, outboundLetters] as unknown as Outbox[]
  for (const outbox of boxes) await viewTable(db.pool, outbox).empty()
  for (let i = 0; i < 4; i += 1) {
    for (const outbox of boxes) {
      const sample = SAMPLES.find((each) => each.outbox.name === outbox.name)?.sample
      const rows = [sample?.(3 * i) ?? {}, sample?.(3 * i + 1) ?? {}]
      await transaction(db.pool, (tx) => enqueueAll(tx, outbox, rows))
    }
  }
  const whole = await listAllMessages(db.pool, boxes, { limit: 500 })
  expect(whole.items).toHaveLength(24)
  expect(whole.nextCursor).toBeUndefined()
  const times = whole.items.map(({ createdAt }) => Number(createdAt))
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  const read: string[] = []
  let cursor: string | undefined
  do {
    const page = await listAllMessages(db.pool, boxes, { limit: 5, ...(cursor && { cursor }) })
    read.push(...page.items.map(({ outbox, id }) => `${outbox} ${id}`))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(read).toEqual(whole.items.map(({ outbox, id }) => `${outbox} ${id}`))
  const ofTenant = await listAllMessages(db.pool, boxes, { tenant: 'nobody' })
  expect(ofTenant).toEqual({ items: [], nextCursor: undefined })
  await expect(listAllMessages(db.pool, boxes, { cursor: 'rubbish' })).rejects.toMatchObject({
    code: 'CURSOR_INVALID',
  })
})

describe('labels', () => {
  interface LetterRow {
    id: string
    due_at: Date
    status: string
    tries: number
    made_at: Date
    done_at: Date | null
    recipient: string | null
    body: unknown
  }
  const letters = (label: readonly string[]) =>
    defineOutbox<LetterRow>({
      name: 'test.labelled',
      table: 'labelled.letter',
      states: { ready: 'new', sent: 'done', dead: 'dead' },
      columns: { dueAt: 'due_at', createdAt: 'made_at', finishedAt: 'done_at' },
      label: label as readonly 'recipient'[],
      counter: { column: 'tries', bumps: 'on-failure' },
      retry: fixed('1s', { attempts: 2 }),
      retention: { after: '0d', archive: '30d' },
      destination: { transport: 'topics', topic: 'letters' },
      message: (row) => ({ id: row.id, type: 'letter', payload: row.body }),
    })
  const labelled = letters(['recipient', 'body.order.id'])
  const put = async (row: Partial<LetterRow>) => {
    const [made] = await transaction(db.pool, (tx) => enqueueAll(tx, labelled, [row]))
    return made?.id as string
  }

  test('are the parts that a row has, in lists, details and the archive', async () => {
    const both = await put({ recipient: 'ann@example.org', body: { order: { id: 7 } } })
    const one = await put({ recipient: '', body: { order: { id: 'A-8' } } })
    const long = await put({ recipient: 'x'.repeat(500), body: [] })
    const none = await put({ recipient: null, body: { order: 'flat' } })
    const { items } = await listMessages(db.pool, labelled)
    expect(new Map(items.map(({ id, label }) => [id, label]))).toEqual(
      new Map([
        [both, 'ann@example.org · 7'],
        [one, 'A-8'],
        [long, 'x'.repeat(200)],
        [none, undefined],
      ]),
    )
    const details = await getMessage(db.pool, labelled, both)
    expect(details).toMatchObject({ label: 'ann@example.org · 7' })
    expect(details?.row).not.toHaveProperty('posthorn_label')

    const transports = everywhere(fakeTransport(), ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [labelled], transports, mode: 'poll' })
    await relay.runOnce()
    await prune(db.pool, labelled)
    const archived = await getMessage(db.pool, labelled, both)
    expect(archived).toMatchObject({ archivedAt: expect.any(Date), label: 'ann@example.org · 7' })
  })

  test('of a property need a column of JSON', async () => {
    const wrong = letters(['recipient.name'])
    const relay = createRelay({
      pool: db.pool,
      outboxes: [wrong],
      transports: everywhere(fakeTransport(), ['topics']),
      mode: 'poll',
    })
    await expect(relay.start()).rejects.toMatchObject({ field: 'label' })
  })
})
