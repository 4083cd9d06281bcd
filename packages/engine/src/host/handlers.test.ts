import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { DefinitionError, DeliveryError } from '../errors.ts'
import { silentLog } from '../log.ts'
import { refused, retryLater } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { testDatabase } from '../testing/index.ts'
import { useSpanRecorder } from '../testing/span-recorder.ts'
import { defineOutbox } from './define-outbox.ts'
import { posthorn } from './posthorn.ts'
import { outbox } from './standard-outbox.ts'

// oxlint-disable-next-line typescript/consistent-type-definitions -- as the guide has it
type Events = { placed: { order: number }; paid: { order: number } }

const retry = fixed('1h', { attempts: 3 })
const claim = { batch: 10 }
const one = outbox<Events>('shop.one', { retry, claim })
// Two batches are less than it handles at once.
const two = outbox<Events>('shop.two', { retry, claim: { batch: 2 } })
const { pool, connect } = await testDatabase()
await posthorn({ pool, outboxes: [], log: silentLog }).setUp()
for (const box of [one, two]) await pool.query(box.tableSql())

beforeEach(() => pool.query('truncate shop.one, shop.two, posthorn.handled'))

const place = (box: typeof one, count: number) =>
  app.transaction((tx) =>
    box.enqueueAll(
      tx,
      Array.from({ length: count }, (_, order) => ({ type: 'placed', payload: { order } })),
    ),
  )
const app = posthorn({ pool, outboxes: [], log: silentLog })

describe('atOnce', () => {
  test('bounds one outbox in all claims of a relay, and not another one', async () => {
    const running = { one: 0, two: 0 }
    const most = { one: 0, two: 0 }
    let done = 0
    const handlerOf = (name: 'one' | 'two') => async () => {
      running[name] += 1
      most[name] = Math.max(most[name], running[name])
      await new Promise((resolve) => setTimeout(resolve, 20))
      running[name] -= 1
      done += 1
    }
    const both = posthorn({
      pool: connect({ max: 20 }),
      handlers: [
        one.handle({ placed: handlerOf('one') }, { atOnce: 2 }),
        two.handle({ placed: handlerOf('two') }, { atOnce: 6 }),
      ],
      log: silentLog,
    })
    await place(one, 40)
    await place(two, 40)
    await both.start()
    await expect.poll(() => done, { timeout: 30_000 }).toBe(80)
    await both.stop()
    expect(most).toEqual({ one: 2, two: 6 })
  })
})

describe('the signal', () => {
  test('is aborted when the relay has no more time, and what was not begun waits uncharged', async () => {
    const begun: number[] = []
    let heard: unknown
    const slow = one.handle(
      {
        placed: async ({ payload, signal }) => {
          begun.push(payload.order)
          await new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              heard = signal.reason
              reject(new Error('stopped'))
            })
          })
        },
      },
      { atOnce: 1 },
    )
    const stopped = posthorn({ pool, handlers: slow, log: silentLog, drain: '100ms' })
    await place(one, 3)
    await stopped.start()
    await expect.poll(() => begun).toHaveLength(1)
    await stopped.stop()
    expect(heard).toBeDefined()
    expect(begun).toHaveLength(1)
    const { rows } = await pool.query(
      `select attempts, status from shop.one where (payload->>'order')::int <> $1`,
      begun,
    )
    expect(rows).toEqual(Array(2).fill({ attempts: 0, status: 'pending' }))
  })
})

test('a handler that heeds no signal keeps no other from its turn for ever', async () => {
  const box = outbox<Events>('shop.one', {
    retry: fixed('100ms', { attempts: 30 }),
    claim: { batch: 1, attempt: '300ms' },
  })
  const seen: number[] = []
  const over = Promise.withResolvers<void>()
  const stuck = box.handle(
    {
      placed: async ({ payload }) => {
        if (payload.order === 0) await over.promise
        seen.push(payload.order)
      },
    },
    { atOnce: 1 },
  )
  await place(one, 3)
  const running = posthorn({
    pool: connect({ max: 20 }),
    handlers: stuck,
    log: silentLog,
    drain: '100ms',
  })
  await running.start()
  onTestFinished(() => running.stop())
  onTestFinished(() => over.resolve())
  await expect.poll(() => seen.toSorted((a, b) => a - b), { timeout: 20_000 }).toEqual([1, 2])
})

test('a handler whose transaction is idle for too long is charged an attempt', async () => {
  const idle = one.handle({
    placed: async ({ tx }) => {
      await tx.query('set local idle_in_transaction_session_timeout = 20')
      await new Promise((resolve) => setTimeout(resolve, 200))
      await tx.query('select 1')
    },
  })
  await place(one, 1)
  await posthorn({ pool, handlers: idle, log: silentLog }).runOnce()
  const { rows } = await pool.query('select attempts, error_code from shop.one')
  expect(rows).toEqual([{ attempts: 1, error_code: '25P03' }])
})

test.each(['rollback', '  COMMIT and chain', '/* enough */ rollback', 'select 1; rollback'])(
  'a handler that ends its own transaction by %j is charged an attempt',
  async (text) => {
    const ending = one.handle({
      placed: async ({ tx }) => {
        await two.enqueue(tx, 'paid', { order: 1 })
        await tx.query(text)
      },
    })
    await place(one, 1)
    await posthorn({ pool, handlers: ending, log: silentLog }).runOnce()
    const { rows } = await pool.query('select type, attempts, error_code from shop.one')
    expect(rows).toEqual([{ type: 'placed', attempts: 1, error_code: 'TRANSACTION_ENDED' }])
    expect((await pool.query('select from shop.two')).rows).toEqual([])
    expect((await pool.query('select from posthorn.handled')).rows).toEqual([])
  },
)

describe('a set of handlers', () => {
  test('is typed by the events', () => {
    const never = () => {
      // @ts-expect-error -- no such type
      one.handle({ plaecd: async () => undefined })
      // @ts-expect-error -- no such type
      one.handle({ plaecd: async () => undefined })
      // @ts-expect-error -- the payload has no such field
      one.handle({ placed: async ({ payload }) => payload.receipt })
      // @ts-expect-error -- another payload
      one.handle({ placed: async ({ payload }: { payload: { order: string } }) => payload })
    }
    expect(never).toBeTypeOf('function')
  })

  test('names what is wrong with it', () => {
    const handle = (byType: object, options?: object) => () => one.handle(byType, options)
    expect(handle({ placed: 7 })).toThrow('handlers.placed: is not a function')
    expect(handle({}, { atOnce: 0 })).toThrow('handlers.atOnce: must be a whole number')
    expect(handle({}, { atonce: 2 })).toThrow('handlers.atonce: is not a field')
    const elsewhere = outbox('shop.mails', { destination: { transport: 'kafka', topic: 'm' } })
    expect(() => elsewhere.handle({})).toThrow('its messages go to "kafka"')
  })

  test('is the only one of its outbox', () => {
    const sets = [
      one.handle({ placed: async () => undefined }),
      one.handle({ paid: async () => undefined }),
    ]
    expect(() => posthorn({ pool, handlers: sets })).toThrow(
      new DefinitionError('shop.one', 'handlers', 'are set twice: pass all types to one handle()'),
    )
  })
})

describe('without a transaction', () => {
  test('a handler outlives its lease, holds no connection, and says when it is tried again', async () => {
    const quick = outbox<Events>('shop.one', { retry, claim: { ...claim, lease: '1s' } })
    const small = connect({ max: 2 })
    const seen: { order: number; hasTx: boolean }[] = []
    let lasting = 0
    const long = posthorn({
      pool: small,
      log: silentLog,
      handlers: quick.handle(
        {
          placed: async (handling) => {
            const { order } = handling.payload
            seen.push({ order, hasTx: 'tx' in handling })
            if (order > 0) return retryLater(new Error('not yet'), { after: '6h', charge: false })
            lasting += 1
            await new Promise((resolve) => setTimeout(resolve, 3_000))
            lasting -= 1
          },
        },
        { atOnce: 4, transaction: false },
      ),
    })
    await place(one, 4)
    await long.start()
    await expect.poll(() => lasting).toBe(1)
    // Two connections are enough for a claim, its renewals, and what others ask meanwhile.
    await expect.poll(() => small.query('select 1').then(({ rowCount }) => rowCount)).toBe(1)
    const states = async () => {
      const { rows } = await pool.query<Record<'status' | 'attempts' | 'lost' | 'waits', unknown>>(
        `select status, attempts, lost_claims as lost, due_at > now() + interval '5 h' as waits
           from shop.one
          order by payload -> 'order'`,
      )
      return rows.map(({ status, attempts, lost, waits }) => [status, attempts, lost, waits])
    }
    await expect
      .poll(states, { timeout: 15_000 })
      .toEqual([['sent', 0, 0, false], ...Array.from({ length: 3 }, () => ['pending', 0, 0, true])])
    await long.stop()
    expect(seen.toSorted((a, b) => a.order - b.order)).toEqual(
      [0, 1, 2, 3].map((order) => ({ order, hasTx: false })),
    )
    expect((await pool.query('select from posthorn.handled')).rowCount).toBe(0)
  })

  test('an outbox on a table of its own has handlers, too', async () => {
    const visits = defineOutbox<{ id: string; status: string; next_at: Date; tries: number }>({
      name: 'shop.visits',
      table: 'shop.visit',
      states: { ready: 'planned', sent: 'made', dead: 'given_up' },
      columns: { dueAt: 'next_at' },
      counter: { column: 'tries', bumps: 'on-failure' },
      retry: fixed('1h', { attempts: 3 }),
      destination: { transport: 'handlers', topic: 'shop.visits' },
      message: ({ id }) => ({ id, type: 'visit', payload: {} }),
    })
    await pool.query(
      `create table shop.visit (id uuid primary key, status text not null default 'planned',
         next_at timestamptz not null default posthorn.now(), tries integer not null default 0);
       ${outboxTableSql(visits)}
       insert into shop.visit (id) select gen_random_uuid() from generate_series(1, 2)`,
    )
    const made = posthorn({
      pool,
      handlers: visits.handle({ visit: async () => undefined }),
      log: silentLog,
    })
    expect(await made.runOnce()).toBe(2)
    const { rows } = await pool.query('select distinct status from shop.visit')
    expect(rows).toEqual([{ status: 'made' }])
  })

  test('is said as true or false', () => {
    expect(() => one.handle({}, { transaction: 'no' } as never)).toThrow(
      'handlers.transaction: must be true or false',
    )
  })
})

describe('with OpenTelemetry', () => {
  const { spans, startSpan } = useSpanRecorder()

  test('each message is processed in a consumer span, which what the handler enqueues belongs to', async () => {
    const relay = posthorn({
      pool,
      handlers: [
        one.handle({
          placed: async ({ payload: { order }, tx }) => {
            if (order === 0) throw new DeliveryError('NO_STOCK', 'the shelf is empty')
            await two.enqueue(tx, 'paid', { order })
          },
        }),
        two.handle(
          { paid: async () => refused({ code: 'CARD_EXPIRED', message: 'no longer valid' }) },
          { transaction: false },
        ),
      ],
      log: silentLog,
    })
    const request = startSpan('POST /orders', {})
    await context.with(trace.setSpan(ROOT_CONTEXT, request), () => place(one, 3))
    await relay.start()
    const processed = (topic: string) => spans.filter(({ name }) => name === `process ${topic}`)
    await expect.poll(() => processed('shop.two').length, { timeout: 10_000 }).toBe(2)
    await relay.stop()

    request.end()
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans.filter(({ ended }) => ended !== 1)).toEqual([])
    const handled = processed('shop.one')
    expect(handled).toHaveLength(3)
    for (const span of handled) {
      expect(span).toMatchObject({
        kind: SpanKind.CONSUMER,
        attributes: {
          'messaging.system': 'handlers',
          'messaging.operation.type': 'process',
          'messaging.destination.name': 'shop.one',
          'messaging.message.id': expect.any(String),
        },
      })
      expect(span.attributes).not.toHaveProperty('messaging.consumer.group.name')
      const sent = spans.find(({ spanId }) => spanId === span.parent)
      expect(sent).toMatchObject({ name: 'send shop.one', kind: SpanKind.PRODUCER })
    }
    const failed = handled.filter(({ status }) => status?.code === SpanStatusCode.ERROR)
    expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['NO_STOCK'])
    const fine = handled.filter((span) => !failed.includes(span))
    const followed = spans.filter(({ name }) => name === 'send shop.two')
    expect(followed.map(({ parent }) => String(parent)).toSorted()).toEqual(
      fine.map(({ spanId }) => spanId).toSorted(),
    )
    const [refusal] = processed('shop.two')
    expect(refusal?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no longer valid' })
  })
})
