import {
  createRelay,
  defineOutbox,
  enqueue,
  exponential,
  outboxTableSql,
  transaction,
} from '@posthorn/engine'
import { useMovableClock } from '@posthorn/operate'
import { fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { describe, expect, test } from 'vitest'
import { serve } from './testing/test-server.ts'

interface Reminder {
  id: string
  status: string
  attempts: number
  due_at: Date
  created_at: Date
}

const reminders = defineOutbox<Reminder>({
  name: 'clock.reminders',
  table: 'clock.reminder',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', createdAt: 'created_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  // The poll is far away: what arrives sooner was woken.
  claim: { batch: 10, every: '10m', lease: '60s' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'fake', topic: 'reminders' },
  message: (row) => ({ id: row.id, type: 'reminder', payload: {} }),
})

const db = await testDatabase({
  sql: `create schema clock;
    create table clock.reminder (id uuid primary key, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now(),
      created_at timestamptz not null default now());
    ${outboxTableSql(reminders)}`,
})
const { pool } = db
const HOUR_MS = 3_600_000

async function businessNow(): Promise<number> {
  const { rows } = await pool.query<{ now: Date }>('select posthorn.now() as now')
  return rows[0]!.now.getTime()
}

describe('the clock', () => {
  test('is 409 while it is the real one', async () => {
    const server = await serve({ pool })
    expect(await server.post('/sim/clock/advance', { by: '6h' })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    })
    expect((await server.get('/sim/clock')).body).toMatchObject({ aheadMs: 0 })
  })

  test('moves for every client of the database, and stays moved', async () => {
    await useMovableClock(pool)
    const server = await serve({ pool })
    const before = await businessNow()
    const answer = await server.post('/sim/clock/advance', { by: '6h' })
    expect(answer.status).toBe(200)
    const { now } = answer.body as { now: string }
    expect(Object.keys(answer.body as object)).toEqual(['now'])
    expect(Math.abs(new Date(now).getTime() - before - 6 * HOUR_MS)).toBeLessThan(5_000)
    expect(Math.abs((await businessNow()) - before - 6 * HOUR_MS)).toBeLessThan(5_000)
    const other = await serve({ pool })
    expect((await other.get('/sim/clock')).body).toMatchObject({ aheadMs: 6 * HOUR_MS })
  })

  test('wakes a relay at once', async () => {
    const fake = fakeTransport()
    const relay = createRelay({ pool, outboxes: [reminders], transports: { fake } })
    await relay.start()
    try {
      await transaction(pool, (tx) =>
        enqueue(tx, reminders, { due_at: new Date(Date.now() + 48 * HOUR_MS) }),
      )
      // The relay has looked when it has claimed what is due now.
      await transaction(pool, (tx) => enqueue(tx, reminders, {}))
      await expect.poll(() => fake.arrived.length).toBe(1)
      const server = await serve({ pool })
      expect((await server.post('/sim/clock/advance', { by: '2d' })).status).toBe(200)
      await expect.poll(() => fake.arrived.length).toBe(2)
    } finally {
      await relay.stop()
    }
  })

  test('adds up what many ask for at once', async () => {
    const server = await serve({ pool })
    const ahead = async () => (await server.get<{ aheadMs: number }>('/sim/clock')).body.aheadMs
    const before = await ahead()
    await Promise.all(
      Array.from({ length: 20 }, () => server.post('/sim/clock/advance', { by: '1.5s' })),
    )
    expect(Math.round((await ahead()) - before)).toBe(30_000)
  })

  test.each([
    {},
    { by: '' },
    { by: '0h' },
    { by: '-1h' },
    { by: '6' },
    { by: '6 h' },
    { by: '6y' },
    { by: '401d' },
    { by: '999999999999d' },
    { by: '1e3s' },
    { by: 6 },
    { by: ['6h'] },
    { by: '6h', now: 1 },
    'six hours',
  ])('refuses %j and does not move', async (body) => {
    const server = await serve({ pool })
    const before = (await server.get('/sim/clock')).body['aheadMs']
    const answer = await server.post('/sim/clock/advance', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect((await server.get('/sim/clock')).body['aheadMs']).toBe(before)
  })

  test('does not go where dates end', async () => {
    const server = await serve({ pool })
    let status = 200
    for (let year = 0; year < 120 && status === 200; year += 1) {
      status = (await server.post('/sim/clock/advance', { by: '400d' })).status
    }
    expect(status).toBe(400)
    expect(new Date(await businessNow()).getFullYear()).toBeLessThan(2150)
  })
})
