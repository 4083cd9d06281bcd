import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createRelay,
  defineOutbox,
  delivered,
  enqueue,
  outboxTableSql,
  schedule,
  transaction,
  type Delivery,
  type Outbox,
  type OutboxDefinition,
  type Outcome,
  type Relay,
  type Transport,
} from '../../index.ts'
import { viewMessage } from '@posthorn/operate'
import { fakeTransport, testDatabase, viewTable } from '../../testing/index.ts'

interface Event {
  id: string
  account: string
  status: string
  attempts: number
  due_at: Date
  error_code: string | null
}

const definition = {
  name: 'attempt.events',
  table: 'attempt.event',
  states: { ready: 'ready', sent: 'sent' },
  columns: { dueAt: 'due_at', errorCode: 'error_code' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, every: '200ms', lease: '1s', attempt: '300ms', atOnce: 10 },
  retry: schedule(['100ms'], { then: 'repeat-last' }),
  destination: { transport: 'fake', topic: 'events' },
  // It forgets the key.
  message: ({ id }: Event) => ({ id, type: 'event', payload: {} }),
} satisfies OutboxDefinition<Event>

const events = defineOutbox<Event>(definition)
const ordered = defineOutbox<Event>({
  ...definition,
  name: 'attempt.ordered',
  table: 'attempt.ordered',
  order: { key: 'account', dead: 'block' },
})

const table = (outbox: Outbox<Event>) => `
  create table ${outbox.table} (id uuid primary key, account text not null,
    status text not null default 'ready', attempts int not null default 0,
    due_at timestamptz not null default posthorn.now(), error_code text);
  ${outboxTableSql(outbox)}`
const { pool } = await testDatabase({
  sql: `create schema attempt; ${table(events)} ${table(ordered)}`,
})
const patient = { timeout: 15_000 }

const started: Relay[] = []
async function startRelay(outbox: Outbox<Event>, transport: Transport) {
  const relay = createRelay({ pool, outboxes: [outbox], transports: { fake: transport } })
  started.push(relay)
  await relay.start()
}
const put = (outbox: Outbox<Event>, account: string) =>
  transaction(pool, (tx) => enqueue(tx, outbox, { account }))

beforeEach(async () => {
  for (const outbox of [events, ordered]) {
    await viewTable(pool, outbox as unknown as Outbox).empty()
  }
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
})

test('a key that the message forgets is that of the order', async () => {
  const fake = fakeTransport()
  await startRelay(ordered, fake)
  await put(ordered, 'acme')
  await expect.poll(() => fake.arrived.map(({ key }) => key), patient).toEqual(['acme'])
  const { rows } = await pool.query<Record<string, unknown>>('select * from attempt.ordered')
  expect(viewMessage(ordered, rows[0] ?? {}).message?.key).toBe('acme')
})

/** Its first attempt never ends of itself; `signal` or `late` may end it. */
function hangingTransport(
  first: (batch: readonly Delivery[], signal: AbortSignal) => Promise<Outcome[]>,
) {
  const batches: string[][] = []
  const transport: Transport = {
    deliver(batch, { signal }) {
      batches.push(batch.map(({ message }) => message.id))
      return batches.length === 1
        ? first(batch, signal)
        : Promise.resolve(batch.map(() => delivered()))
    },
    close: async () => undefined,
  }
  return { transport, batches }
}
async function codesOf(outbox: Outbox<Event>, id: string) {
  const { rows } = await pool.query<{ code: string | null; to_state: string }>(
    `select code, to_state from posthorn.transition
      where outbox = $1 and message_id = $2 order by id`,
    [outbox.name, id],
  )
  return rows.map(({ code, to_state: state }) => code ?? state)
}

test.each([events, ordered])(
  'an attempt without an answer is aborted, and its outcome is unknown: $name',
  async (outbox) => {
    const late = Promise.withResolvers<Outcome[]>()
    const { transport, batches } = hangingTransport(() => late.promise)
    await startRelay(outbox, transport)
    const { id } = await put(outbox, 'acme')
    await expect.poll(() => codesOf(outbox, id), patient).toEqual(['ATTEMPT_TIMEOUT', 'sent'])
    // The lane goes on, and what the first attempt says at last is not heard.
    const next = await put(outbox, 'acme')
    await expect.poll(() => codesOf(outbox, next.id), patient).toEqual(['sent'])
    late.reject(new Error('too late'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(batches).toEqual([[id], [id], [next.id]])
    const { rows } = await pool.query(`select status, attempts from ${outbox.table} order by id`)
    expect(rows).toEqual([
      { status: 'sent', attempts: 1 },
      { status: 'sent', attempts: 0 },
    ])
  },
)

test('a transport that heeds the signal says itself what became of its messages', async () => {
  const { transport } = hangingTransport(
    (batch, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(batch.map(() => delivered())))
      }),
  )
  await startRelay(events, transport)
  const { id } = await put(events, 'acme')
  await expect.poll(() => codesOf(events, id), patient).toEqual(['sent'])
})

test('a relay can be stopped while a transport heeds nothing', async () => {
  const never = new Promise<Outcome[]>(() => undefined)
  const { transport, batches } = hangingTransport(() => never)
  const slow = defineOutbox<Event>({ ...definition, claim: { ...definition.claim, attempt: '1s' } })
  const relay = createRelay({
    pool,
    outboxes: [slow],
    transports: { fake: transport },
    drain: '100ms',
  })
  await relay.start()
  await put(slow, 'acme')
  await expect.poll(() => batches.length, patient).toBe(1)
  await relay.stop()
  expect(batches).toHaveLength(1)
})
