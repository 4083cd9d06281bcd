import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { transaction, type Transaction } from '../database/transaction.ts'
import { toMessage, type Message } from '../outbox/message.ts'
import type { Handled } from '../outbox/transport.ts'
import { testDatabase } from '../testing/index.ts'
import { runUntilKilled } from '../testing/child-process.ts'
import { uuid, uuidSource } from '../uuid.ts'
import { aroundAll, type AroundAll } from './around-all.ts'
import { handleOnce, onceAll } from './inbox-batch.ts'
import { defineInbox, inboxTableSql } from './inbox.ts'

const db = await testDatabase()
const pool = db.connect({ max: 20 })
const inbox = defineInbox({ table: 'shop.inbox', retention: '30d' })
const consumer = 'stock'
const { signal } = new AbortController()

beforeAll(async () => {
  await pool.query('create schema shop')
  await pool.query('create table shop.effect (place bigserial, message_id uuid not null)')
  await pool.query(inboxTableSql(inbox))
})
beforeEach(() => pool.query('truncate shop.effect'))

const messageOf = (payload: unknown = null, key?: string): Message =>
  toMessage({ id: uuid(), type: 'ordered', payload, key })
const messagesOf = (count: number) => Array.from({ length: count }, (_, n) => messageOf(n))

const effect = (tx: Transaction, { id }: { id: string }) =>
  tx.query({ text: 'insert into shop.effect (message_id) values ($1)', values: [id] })
const effectAll = async (tx: Transaction, messages: readonly { id: string }[]) => {
  for (const message of messages) await effect(tx, message)
}

async function effects(): Promise<string[]> {
  const { rows } = await pool.query<{ message_id: string }>(
    'select message_id from shop.effect order by place',
  )
  return rows.map((row) => row.message_id)
}

async function transactions(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(distinct xmin::text)::int from shop.effect',
  )
  return rows[0]?.count ?? 0
}

const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)

test('stores the new messages of a poll by one statement, each once and in their order', async () => {
  const [known, ...fresh] = messagesOf(6)
  const expired = { ...messageOf(), id: uuidSource(() => Date.now() - 31 * 86_400_000)() }
  const other = { ...messageOf(), id: randomUUID().toUpperCase() }
  const take = (messages: readonly Message[]) =>
    transaction(pool, (tx) => onceAll(tx, { inbox, consumer, messages }, effectAll))
  await take([known!])
  const poll = [fresh[3]!, known!, fresh[0]!, fresh[3]!, expired, other, fresh[1]!]
  const taken = await take(poll)
  expect(taken.first).toEqual([fresh[3], fresh[0], other, fresh[1]])
  expect(taken.expired).toEqual([expired])
  expect((await take(poll)).first).toEqual([])
  expect(await effects()).toEqual(idsOf([known!, ...taken.first]).map((id) => id.toLowerCase()))
  expect(await transactions()).toBe(2)
})

test('polls that overlap in any order wait for each other, and each effect happens once', async () => {
  const messages = messagesOf(40)
  const polls = [messages, messages.toReversed(), messages.slice(10, 30), messages.toReversed()]
  await Promise.all(
    polls.map((poll) =>
      transaction(pool, (tx) =>
        onceAll(tx, { inbox, consumer, messages: poll }, async (same, first) => {
          await sleep(20)
          await effectAll(same, first)
        }),
      ),
    ),
  )
  expect((await effects()).toSorted()).toEqual(idsOf(messages).toSorted())
})

test('a handler that throws keeps everything from being committed, also if that is swallowed', async () => {
  const messages = messagesOf(2)
  const swallowed = transaction(pool, async (tx) => {
    await effect(tx, messages[0]!)
    await onceAll(tx, { inbox, consumer, messages }, () => Promise.reject(new Error('no'))).catch(
      () => undefined,
    )
  })
  await expect(swallowed).rejects.toMatchObject({ code: 'NOT_IN_TRANSACTION' })
  expect(await effects()).toEqual([])
})

test('where one message of a transaction fails, those before it commit and those behind it wait', async () => {
  const messages = messagesOf(5)
  let isGood = false
  const { batch, handle } = handleOnce({
    ...{ pool, inbox, consumer },
    wants: ({ payload }) => payload !== 1,
    async handle(tx, message) {
      await effect(tx, message)
      if (message.payload === 3 && !isGood) throw new Error('not yet')
    },
  })
  const results = await batch.handle(messages, { signal })
  expect(results).toEqual([
    'done',
    'done',
    'done',
    { error: expect.any(Error) as Error },
    'untried',
  ])
  expect(await effects()).toEqual(idsOf([messages[0]!, messages[2]!]))
  isGood = true
  await handle(messages[3]!, { ref: {}, signal })
  expect(await batch.handle(messages, { signal })).toEqual(messages.map(() => 'done'))
  expect(await effects()).toEqual(idsOf([0, 2, 3, 4].map((n) => messages[n]!)))
})

test('a message whose handler forgets an await is the one that fails', async () => {
  const messages = messagesOf(3)
  const { batch } = handleOnce({
    ...{ pool, inbox, consumer },
    async handle(tx, message) {
      if (message.payload === 1) void effect(tx, message)
      else await effect(tx, message)
    },
  })
  const error = expect.objectContaining({ code: 'CALL_NOT_AWAITED' }) as Error
  expect(await batch.handle(messages, { signal })).toEqual(['done', { error }, 'untried'])
  expect(await effects()).toEqual(idsOf([messages[0]!]))
})

test('a conflict with others is no message’s fault', async () => {
  const messages = messagesOf(2)
  const conflict = Object.assign(new Error('deadlock'), { code: '40P01' })
  const { batch } = handleOnce({
    ...{ pool, inbox, consumer },
    handle: () => Promise.reject(conflict),
  })
  expect(await batch.handle(messages, { signal })).toEqual(['untried', 'untried'])
})

const around = (
  messages: readonly Message[],
  options: Partial<AroundAll<Message, string>>,
): Promise<Handled[]> =>
  aroundAll<Message, string>(
    pool,
    { inbox, consumer, messages },
    {
      call: async ({ id }) => id,
      outcome: async (tx, answered) => {
        await effectAll(
          tx,
          idsOf(answered.map(({ message }) => message)).map((id) => ({ id })),
        )
        return undefined
      },
      ...options,
    },
  )

test('calls at once with no transaction open, and settles the poll in one', async () => {
  const messages = messagesOf(30)
  let running = 0
  let most = 0
  const keys: string[] = []
  const results = await around([...messages, messages[0]!], {
    atOnce: 10,
    async call({ id }, key) {
      running += 1
      most = Math.max(most, running)
      keys.push(key)
      await sleep(20)
      expect(await openTransactions()).toBe(0)
      running -= 1
      return id
    },
  })
  expect(results).toEqual([...messages, messages[0]].map(() => 'done'))
  expect(most).toBe(10)
  expect(keys.toSorted()).toEqual(idsOf(messages).toSorted())
  expect(await effects()).toEqual(idsOf(messages))
  expect(await transactions()).toBe(1)
  expect(await around(messages, { call: () => expect.unreachable('done before') })).toEqual(
    messages.map(() => 'done'),
  )
})

test('a failed call is its own message’s failure, and what follows of its key is not tried', async () => {
  const messages = ['a', 'b', 'a', 'b', 'a'].map((key, n) => messageOf(n, key))
  const called: unknown[] = []
  const results = await around(messages, {
    async call({ id, payload }) {
      called.push(payload)
      if (payload === 2) throw new Error('down')
      return id
    },
  })
  const error = { error: expect.any(Error) as Error }
  expect(results).toEqual(['done', 'done', error, 'done', 'untried'])
  expect(called).toEqual([0, 1, 2, 3])
  expect(await effects()).toEqual(idsOf([0, 1, 3].map((n) => messages[n]!)))
})

test('an outcome that cannot be stored costs no other message its answer', async () => {
  const messages = messagesOf(20)
  let calls = 0
  const results = await around(messages, {
    async call({ id }) {
      calls += 1
      return id
    },
    async outcome(tx, answered) {
      await effectAll(
        tx,
        answered.map(({ message }) => message),
      )
      if (answered.some(({ message }) => message.payload === 7)) throw new Error('no')
      return undefined
    },
  })
  expect(results.map((each, n) => (each === 'done' ? [] : [n])).flat()).toEqual([7])
  expect(calls).toBe(20)
  expect((await effects()).toSorted()).toEqual(
    idsOf(messages.filter(({ payload }) => payload !== 7)).toSorted(),
  )
})

test('a slow call holds up no other outcome, and what is forgotten may come again', async () => {
  const messages = messagesOf(3)
  const slow = Promise.withResolvers<string>()
  const running = around(messages, {
    settleEvery: '50ms',
    call: async ({ id, payload }) => (payload === 1 ? slow.promise : id),
    async outcome(tx, answered) {
      await effectAll(
        tx,
        answered.map(({ message }) => message),
      )
      return answered.map(({ message }) => message).filter(({ payload }) => payload === 2)
    },
  })
  await expect.poll(effects).toEqual(idsOf([messages[0]!, messages[2]!]))
  slow.resolve('late')
  expect(await running).toEqual(['done', 'done', 'done'])
  expect(await around(messages, {})).toEqual(['done', 'done', 'done'])
  expect(await effects()).toEqual(idsOf([0, 2, 1, 2].map((n) => messages[n]!)))
})

test(
  'each effect happens once, in any mix of overlapping polls and failures',
  { timeout: 30_000 },
  async () => {
    const poll = fc.record({
      form: fc.constantFrom('once', 'around'),
      messages: fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
      fails: fc.option(fc.nat(9), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(poll, { minLength: 1, maxLength: 6 }), async (polls) => {
        const all = Array.from({ length: 10 }, (_, n) => messageOf(n, `key-${n % 3}`))
        await pool.query('truncate shop.effect')
        const handled = await Promise.all(
          polls.map(async ({ form, messages, fails }) => {
            const given = messages.map((n) => all[n]!)
            const write = async (tx: Transaction, message: Message) => {
              await effect(tx, message)
              if (message.payload === fails) throw new Error('crash')
            }
            const results =
              form === 'once'
                ? await handleOnce({ pool, inbox, consumer, handle: write }).batch.handle(given, {
                    signal,
                  })
                : await around(given, {
                    async outcome(tx, answered) {
                      for (const { message } of answered) await write(tx, message)
                      return undefined
                    },
                  })
            return given.filter((_, at) => results[at] === 'done')
          }),
        )
        const found = await effects()
        // What was called done has had its effect, and no effect happened twice.
        expect(new Set(found).size).toBe(found.length)
        const done = new Set(handled.flat().map(({ id }) => id))
        expect([...done].filter((id) => !found.includes(id))).toEqual([])
        expect(found.filter((id) => !done.has(id))).toEqual([])
      }),
      { numRuns: 40 },
    )
  },
)

test.each(['in the calls', 'in the outcome'])('survives kill -9 %s of a poll', async (where) => {
  const messages = messagesOf(10)
  await runUntilKilled(WORKER, {
    AROUND: new URL('around-all.ts', import.meta.url).href,
    INBOX: new URL('inbox.ts', import.meta.url).href,
    PG: import.meta.resolve('pg'),
    URL: db.url,
    IDS: idsOf(messages).join(','),
    WHERE: where,
  })
  await expect.poll(openTransactions).toBe(0)
  expect(await effects()).toEqual([])
  expect(await around(messages, {})).toEqual(messages.map(() => 'done'))
  expect(await effects()).toEqual(idsOf(messages))
})

const WORKER = `
const { aroundAll } = await import(process.env.AROUND)
const { defineInbox } = await import(process.env.INBOX)
const { Pool } = (await import(process.env.PG)).default
const pool = new Pool({ connectionString: process.env.URL })
const inbox = defineInbox({ table: 'shop.inbox', retention: '30d' })
const messages = process.env.IDS.split(',').map((id) => ({ id }))
const hang = () => { process.stdout.write('here'); return new Promise(() => setInterval(() => {}, 1000)) }
const last = messages.at(-1)
await aroundAll(pool, { inbox, consumer: 'stock', messages }, {
  call: (message) => process.env.WHERE === 'in the calls' && message === last ? hang() : message.id,
  async outcome(tx, answered) {
    for (const { message } of answered) await tx.query({ text: 'insert into shop.effect (message_id) values ($1)', values: [message.id] })
    await hang()
  },
})
`

async function openTransactions(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`,
  )
  return rows[0]?.count ?? 0
}
