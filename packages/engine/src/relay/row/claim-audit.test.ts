import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../database/sql-tag.ts'
import { silentLog } from '../../log.ts'
import { posthorn } from '../../host/posthorn.ts'
import { outbox, type StandardRow } from '../../host/standard-outbox.ts'
import { advanceClock, useMovableClock } from '../../database/clock.ts'
import { fakeTransport, testDatabase } from '../../testing/index.ts'

const db = await testDatabase()
const transport = fakeTransport()
const errors: unknown[] = []
const mails = outbox<{ mail: { n: number } }>('shop.mails', {
  claim: { every: '200ms' },
  destination: { transport: 'mail', topic: 'mails' },
  audit: {
    async claimed(tx, rows: readonly StandardRow[]) {
      for (const { payload } of rows) {
        const { n } = payload as { n: number }
        await tx.query(sql`insert into shop.seen (n) values (${n})`)
      }
    },
  },
})
const app = posthorn({
  pool: db.pool,
  outboxes: [mails],
  transports: { mail: transport },
  log: { ...silentLog, error: (fields) => void errors.push(fields) },
})

beforeEach(async () => {
  await useMovableClock(db.pool)
  await app.setUp()
  await db.pool.query('create table shop.seen (n int check (n <> 7))')
})

test('a message that the audit of claims fails on stops no other, and ends', async () => {
  await app.transaction(async (tx) => {
    const drafts = Array.from({ length: 10 }, (_, n) => ({ type: 'mail' as const, payload: { n } }))
    await mails.enqueueAll(tx, drafts)
  })
  await app.runOnce()
  const others = [0, 1, 2, 3, 4, 5, 6, 8, 9]
  const numbers = () => transport.arrived.map(({ payload }) => (payload as { n: number }).n)
  expect(numbers().toSorted((a, b) => a - b)).toEqual(others)
  const { rows: seen } = await db.pool.query<{ n: number }>('select n from shop.seen order by n')
  expect(seen.map(({ n }) => n)).toEqual(others)
  expect(errors).toMatchObject([{ outbox: 'shop.mails', err: { code: '23514' } }])
  for (let tries = 0; tries < 4; tries += 1) {
    await advanceClock(db.pool, '5s')
    await app.runOnce()
  }
  const { rows } = await db.pool.query(
    `select payload, status, error_code from shop.mails where status <> 'sent'`,
  )
  expect(rows).toEqual([{ payload: { n: 7 }, status: 'dead', error_code: 'CLAIM_FATAL' }])
  expect(numbers()).toHaveLength(9)
})
