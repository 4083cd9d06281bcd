import { enqueueAll, transaction, type Outbox } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/engine/internal'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { SAMPLES, outboxTables } from '../../../engine/src/testing/outboxes.ts'
import { explainMessages } from './explain.ts'
import { getMessage } from './messages.ts'

const hooks = SAMPLES.find(({ name }) => name === 'hooks.deliveries')
if (hooks === undefined) throw new TypeError('there is no such sample')
const hookDeliveries: Outbox = hooks.outbox
const messages = [1, 2, 3].map((n) => hooks.sample(n))

const db = await testDatabase({ sql: outboxTables })

test('a message says what it waits for now, by the clock that counts', async () => {
  await useMovableClock(db.pool)
  await advanceClock(db.pool, '6h')
  const made = await transaction(db.pool, (tx) => enqueueAll(tx, hookDeliveries, messages))
  const [claimed = '', postponed = '', failed = ''] = made.map(({ id }) => id)
  const { table } = hookDeliveries
  await db.pool.query(
    `update ${table} set claim_token = gen_random_uuid(), claimed_until = now() + interval '1 minute' where id = $1`,
    [claimed],
  )
  await db.pool.query(
    `update ${table} set error = 'breaker open', next_attempt_at = posthorn.now() + interval '30 s' where id = $1`,
    [postponed],
  )
  await db.pool.query(
    `update ${table} set status = 'failed', attempts = 1, error = 'no', next_attempt_at = posthorn.now() + interval '30 s'
      where id = $1`,
    [failed],
  )
  const explain = async (id: string) => {
    const details = await getMessage(db.pool, hookDeliveries, id)
    if (details === undefined) throw new TypeError('there is no such message')
    const [reasons] = await explainMessages(db.pool, hookDeliveries, [details])
    return { reasons, dueAt: details.dueAt?.toISOString() }
  }
  const none = 'No relay was heard of in the last 15 seconds.'
  expect((await explain(claimed)).reasons).toEqual([
    expect.stringMatching(/^A relay is delivering it/),
    none,
  ])
  const waits = await explain(postponed)
  expect(waits.reasons).toEqual([none, `It is due at ${waits.dueAt}, after breaker open.`])
  const again = await explain(failed)
  expect(again.reasons).toEqual([
    none,
    `It is due at ${again.dueAt}, after 1 failed attempt, the last with no.`,
  ])
})
