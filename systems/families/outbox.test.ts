import {
  type Message,
  type Outbox,
  type Outcome,
  createRelay,
  delivered,
  enqueueAll,
  outboxTableSql,
  retryLater,
  transaction,
  unreachable,
  uuid,
} from '@posthorn/engine'
import {
  advanceClock,
  cancel,
  getMessage,
  listAlerts,
  useMovableClock,
  viewMessage,
} from '@posthorn/operate'
import {
  fakeTransport,
  outboxConformance,
  printStatements,
  viewTable,
} from '@posthorn/engine/testing'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MEMBER_INVITED } from './events.ts'
import { type OutboxEvent, endTopologyAlert, familyOutbox } from './outbox.ts'
import { familyDatabase, sealing } from './testing/running.ts'

const db = await familyDatabase()
const outbox = familyOutbox(sealing)
const family = uuid()

function event(aggregateId: string, payload: OutboxEvent['payload'] = {}): Partial<OutboxEvent> {
  return {
    event_id: uuid(),
    event_type: MEMBER_INVITED,
    aggregate_type: 'FamilyMemberInvitation',
    aggregate_id: aggregateId,
    org_id: 'acme',
    payload,
  }
}

function secretEvent(aggregateId: string): Partial<OutboxEvent> & { event_id: string } {
  const event_id = uuid()
  const token = { value: sealing.seal('hush', event_id) }
  return { ...event(aggregateId, { token, isResend: false }), event_id }
}

const put = (rows: readonly Partial<OutboxEvent>[]) =>
  transaction(db.pool, (tx) => enqueueAll(tx, outbox, rows))
const relayTo = (transport: ReturnType<typeof fakeTransport>) =>
  createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: { rabbitmq: transport },
    mode: 'poll',
  })
const view = viewTable(db.pool, outbox as unknown as Outbox)

outboxConformance(outbox, {
  pool: () => db.pool,
  transports: ['rabbitmq'],
  sample: (n) => event(family, { n }),
  spoil: `payload = '{"token": {"value": "not sealed"}}'`,
})

describe('the definition', () => {
  beforeAll(() => useMovableClock(db.pool))
  beforeEach(() => view.empty())

  test('has the table that its migration makes', async () => {
    const before = await tableOf()
    await db.pool.query(outboxTableSql(outbox))
    expect(await tableOf()).toEqual(before)
  })

  test('is attempted at 0, 1, 3, 8, 23, 83, 383, 1283 s, and every 900 s from then on', async () => {
    const clock = async () => {
      const { rows } = await db.pool.query<{ ms: number }>(
        'select extract(epoch from posthorn.now())::float8 * 1000 as ms',
      )
      return rows[0]?.ms ?? 0
    }
    await put([event(family)])
    const started = await clock()
    const attempts: number[] = []
    const down: Outcome = unreachable(new Error('no listener'))
    const transport = fakeTransport(async () => {
      attempts.push(Math.round(((await clock()) - started) / 1_000))
      return down
    })
    const relay = relayTo(transport)
    const seconds = [0, 1, 2, 5, 15, 60, 300, 900, 900, 900]
    for (const wait of seconds) {
      // Some time before it is due nothing happens; the real seconds that go by are in it.
      const before = wait >= 15 ? 10 : 0
      if (before > 0) await advanceClock(db.pool, `${wait - before}s`)
      if (before > 0) expect(await relay.runOnce()).toBe(0)
      if (wait > 0) await advanceClock(db.pool, `${before || wait}s`)
      expect(await relay.runOnce()).toBe(1)
    }
    const expected = [0, 1, 3, 8, 23, 83, 383, 1283, 2183, 3083]
    // The real seconds that the test itself takes come on top.
    const late = attempts.map((at, i) => at - (expected[i] ?? 0))
    expect(attempts).toHaveLength(expected.length)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...late)).toBeLessThan(30)
    const [row] = await view.rows()
    expect(row).toMatchObject({ status: 0, retry_count: 10, error_message: 'no listener' })
    transport.answer = () => delivered()
    await advanceClock(db.pool, '900s')
    await relay.runOnce()
    expect((await view.rows())[0]).toMatchObject({
      status: 1,
      retry_count: 10,
      error_message: null,
    })
    await relay.stop()
  })

  test('a poisoned event holds back its own aggregate only', async () => {
    const [poisoned, sound] = [uuid(), uuid()]
    const rows = Array.from({ length: 300 }, (_, n) => event(n % 2 ? poisoned : sound, { n }))
    await put(rows)
    const bad = rows[1]?.event_id
    const transport = fakeTransport(({ id }) =>
      id === bad ? retryLater({ code: 'NACKED', message: 'no' }) : delivered(),
    )
    const relay = relayTo(transport)
    for (let i = 0; i < 20 && (await relay.runOnce()) > 0; i += 1);
    expect(numbers(transport.arrived)).toEqual(rows.flatMap((_, n) => (n % 2 ? [] : [n])))
    transport.answer = () => delivered()
    await advanceClock(db.pool, '1s')
    for (let i = 0; i < 20 && (await relay.runOnce()) > 0; i += 1);
    await relay.stop()
    const late = transport.arrived.filter(({ key }) => key === poisoned)
    expect(numbers(late)).toEqual(rows.flatMap((_, n) => (n % 2 ? [n] : [])))
  })

  test('an operator ends an event as 2, Failed, and its aggregate goes on', async () => {
    const [bad, next] = [event(family, { token: { value: 'not sealed' } }), event(family, { n: 2 })]
    await put([bad, next])
    const transport = fakeTransport()
    const relay = relayTo(transport)
    await relay.runOnce()
    expect(await view.alerts()).toEqual([{ subject: bad.event_id, code: 'MESSAGE_UNREADABLE' }])
    const ids = [bad.event_id ?? '']
    await transaction(db.pool, (tx) => cancel(tx, outbox, { ids, by: 'ops', reason: 'unreadable' }))
    for (let i = 0; i < 20 && (await relay.runOnce()) > 0; i += 1);
    await relay.stop()
    expect(transport.arrived.map(({ id }) => id)).toEqual([next.event_id])
    const failed = (await view.rows()).find(({ event_id: id }) => id === bad.event_id)
    expect(failed).toMatchObject({ status: 2, processed_at: null, payload: {} })
  })
})

describe('the token', () => {
  beforeEach(() => view.empty())

  test('is sealed in the row, opened for the broker, and gone when it was processed', async () => {
    const row = secretEvent(family)
    await put([row])
    expect(JSON.stringify(await view.rows())).not.toContain('hush')
    const transport = fakeTransport()
    const relay = relayTo(transport)
    await relay.runOnce()
    await relay.stop()
    const sent = transport.arrived[0]
    expect(sent?.payload).toEqual({ token: { value: 'hush' }, isResend: false })
    expect((await view.rows())[0]).toMatchObject({ status: 1, payload: { isResend: false } })
    expect(JSON.stringify(await view.rows())).not.toContain('token')
  })

  test('stays sealed for the broker where that is asked for', async () => {
    const row = secretEvent(family) as OutboxEvent
    const { payload } = familyOutbox(sealing, 'sealed').message(row)
    const { value = '' } = (payload as OutboxEvent['payload']).token ?? {}
    expect(value).not.toContain('hush')
    expect(sealing.open(value, row.event_id)).toBe('hush')
  })

  test('is in no view, before and after', async () => {
    const row = secretEvent(family)
    await put([row])
    const viewOfRow = async () => {
      const found = await getMessage(db.pool, outbox, row.event_id)
      return JSON.stringify(viewMessage(outbox, found?.row ?? {}))
    }
    expect(await viewOfRow()).toContain('(hidden)')
    expect(await viewOfRow()).not.toMatch(/hush|s1\./)
    const relay = relayTo(fakeTransport())
    await relay.runOnce()
    await relay.stop()
    expect(await viewOfRow()).toContain('"isResend":false')
  })

  test('of another event cannot be put into this one', async () => {
    const [mine, other] = [secretEvent(family), secretEvent(family)]
    await put([{ ...mine, payload: { ...other.payload } }])
    const transport = fakeTransport()
    const relay = relayTo(transport)
    await relay.runOnce()
    await relay.stop()
    expect(transport.attempted).toEqual([])
    expect(await view.alerts()).toMatchObject([{ code: 'MESSAGE_UNREADABLE' }])
  })
})

test('a broken topology is one alert for each outage', async () => {
  await view.empty()
  const unroutable = retryLater({ code: 'UNROUTABLE', message: 'no queue is bound' })
  const transport = fakeTransport(() => unroutable)
  const relay = relayTo(transport)
  const states = async () =>
    (await listAlerts(db.pool, { source: 'families.events' })).items.map(({ state }) => state)
  await put([event(uuid()), event(uuid()), event(uuid())])
  await relay.runOnce()
  await advanceClock(db.pool, '1s')
  await relay.runOnce()
  expect(await states()).toEqual(['open'])
  transport.answer = () => delivered()
  await advanceClock(db.pool, '2s')
  await relay.runOnce()
  expect(await states(), 'any one queue may have taken it').toEqual(['open'])
  await transaction(db.pool, endTopologyAlert)
  expect(await states()).toEqual(['recovered'])
  transport.answer = () => unroutable
  await put([event(uuid())])
  await relay.runOnce()
  expect(await states()).toEqual(['open', 'recovered'])
  await relay.stop()
})

function numbers(messages: readonly Message[]): unknown[] {
  return messages.map(({ payload }) => (payload as { n: number }).n)
}

async function tableOf(): Promise<unknown[]> {
  const { rows } = await db.pool.query(`
    select indexdef as line from pg_indexes where schemaname = 'families'
    union all
    select column_name || ' ' || data_type || ' ' || is_nullable
      from information_schema.columns where table_schema = 'families'
    order by 1`)
  return rows
}

test('the statements stand whole in statements/', async () => {
  await expect(printStatements(outbox)).toMatchFileSnapshot('./statements/events.sql')
})
