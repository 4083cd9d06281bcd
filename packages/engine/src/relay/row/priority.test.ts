import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { posthorn } from '../../host/posthorn.ts'
import { outbox } from '../../host/standard-outbox.ts'
import { silentLog } from '../../log.ts'
import { advanceClock, useMovableClock } from '../../database/clock.ts'
import { defineOutbox } from '../../outbox/define.ts'
import { retryLater } from '../../outbox/outcome.ts'
import { fakeTransport, outboxConformance, testDatabase } from '../../testing/index.ts'
import { parcelRows, clubEvents, outboundLetters } from '../../testing/outboxes.ts'
import { rowStatements } from './claim.sql.ts'

const mails = outbox<{ mail: { n: string } }>('shop.mails', {
  priority: true,
  claim: { batch: 3, atOnce: 3 },
  destination: { transport: 'mail', topic: 'mails' },
})
const db = await testDatabase()
let transport = fakeTransport()
const mail = {
  deliver: (...args: Parameters<typeof transport.deliver>) => transport.deliver(...args),
  close: async () => undefined,
}
const app = posthorn({ pool: db.pool, log: silentLog, outboxes: [mails], transports: { mail } })

beforeAll(async () => {
  await useMovableClock(db.pool)
  await app.setUp()
})

beforeEach(async () => {
  transport = fakeTransport()
  await db.pool.query('truncate shop.mails')
})

async function put(n: string, priority?: number, delay?: '1h') {
  const options = { ...(delay && { delay }), ...(priority !== undefined && { priority }) }
  // Those of one millisecond are in the order of their ids.
  await new Promise((resolve) => setTimeout(resolve, 2))
  return app.transaction((tx) => mails.enqueue(tx, 'mail', { n }, options))
}
const arrived = () => transport.arrived.map(({ payload }) => (payload as { n: string }).n)

describe('an outbox with priorities', () => {
  test('delivers smaller ones first, each in the order of their due time', async () => {
    for (const n of ['a', 'b', 'c']) await put(n, 5)
    for (const n of ['d', 'e']) await put(n)
    await put('f', -1)
    await app.runOnce()
    expect(transport.batches).toEqual([3, 3])
    expect(arrived().slice(0, 3)).toEqual(['f', 'd', 'e'])
    expect(arrived().slice(3)).toEqual(['a', 'b', 'c'])
  })

  test('waits for nothing that is not due', async () => {
    await put('later', -5, '1h')
    await put('now', 5)
    await app.runOnce()
    expect(arrived()).toEqual(['now'])
    await advanceClock(db.pool, '1h')
    await app.runOnce()
    expect(arrived()).toEqual(['now', 'later'])
  })

  test('keeps the priority of what is tried again', async () => {
    transport.answer = () => retryLater(new Error('not now'))
    await put('urgent', -1)
    await app.runOnce()
    for (const n of ['a', 'b', 'c']) await put(n)
    transport = fakeTransport()
    await advanceClock(db.pool, '1h')
    await app.runOnce()
    expect(arrived()[0]).toBe('urgent')
  })

  test('wakes for the first that is due, of any priority', async () => {
    await app.start()
    const soon = { delay: '400ms', priority: 9 } as const
    await app.transaction((tx) => mails.enqueue(tx, 'mail', { n: 'soon' }, soon))
    await put('far', 1, '1h')
    await expect.poll(arrived, { timeout: 3_000 }).toEqual(['soon'])
    await app.stop()
  })

  test('claims by its index, past what is not due and what is over', async () => {
    await db.pool.query(`
      insert into shop.mails (id, type, payload, priority, status, due_at)
      select gen_random_uuid(), 'mail', '{}', n % 3, case when n % 10 = 0 then 'pending' else 'sent' end,
             posthorn.now() + interval '1 day'
        from generate_series(1, 50000) as n`)
    await put('now', 2)
    await db.pool.query('analyze shop.mails')
    const { claimBatch } = rowStatements(mails)
    const values: Record<string, unknown> = {
      batch: 100,
      token: '00000000-0000-4000-8000-000000000000',
      leaseMs: 1,
    }
    const client = await db.pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, buffers, timing off) ${claimBatch.text}`,
        claimBatch.params.map((param) => values[param]),
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain('mails_due')
      expect(plan).not.toContain('Seq Scan on mails')
      const hits = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1])
      expect(hits).toBeLessThan(200)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('a definition', () => {
  test('with an order or fair shares is refused, with the reason', () => {
    const options = { priority: true, order: 'key' } as const
    expect(() => outbox('shop.ordered', options)).toThrow(
      'columns.priority: must be left out with order: messages of a key are delivered in the sequence of writing',
    )
    expect(() => outbox('shop.logged', { ...options, storage: 'log' })).toThrow('columns.priority')
    const definition = {
      name: 'shop.fair',
      table: 'shop.fair',
      states: { ready: 'a', sent: 'b' },
      columns: { dueAt: 'due_at', priority: 'rank' },
      counter: { column: 'attempts', bumps: 'on-failure' },
      fair: { by: 'shop' },
      retry: { delaysMs: [1], jitter: 0 },
      destination: { transport: 'x', topic: 'x' },
      message: () => ({}),
    }
    expect(() => defineOutbox(definition as never)).toThrow('must be left out with fair')
  })

  test('without them has the statements it had, and knows no priority', async () => {
    for (const each of [parcelRows, outboundLetters, clubEvents]) {
      expect(rowStatements(each).claimBatch.text).not.toContain('priorities')
    }
    const plain = outbox('shop.plain', { destination: { transport: 'mail', topic: 'x' } })
    expect(plain.tableSql()).not.toContain('priority')
    const give = app.transaction((tx) => plain.enqueue(tx, 'mail', {}, { priority: 1 }))
    await expect(give).rejects.toThrow('needs priority: true in the definition')
  })
})

outboxConformance(mails, {
  pool: () => db.pool,
  transports: ['mail'],
  sample: (n) => ({ type: 'mail', payload: { n }, priority: n % 3 }),
})
