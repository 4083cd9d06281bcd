import { delivered, toMessage, transaction, type Message, type Transport } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  acceptReply,
  awaitSaga,
  defineSaga,
  findSaga,
  getSaga,
  refuse,
  sagaEvents,
  sagaReplies,
  sagas,
  startSaga,
} from '../index.ts'

const { pool } = await testDatabase()
const taken: Message[] = []
const broker: Transport = {
  async deliver(batch) {
    taken.push(...batch.map(({ message }) => message))
    return batch.map(() => delivered())
  },
}
const events = sagaEvents({ transport: 'broker', topic: 'bank' })

const transfer = defineSaga<{ order: string; at: Date }>('transfer')
  .step('charge', {
    action: async ({ order }) => {
      if (order === 'declined') return refuse('DECLINED', 'no')
      return { key: `ch_${order}`, events: [{ type: 'charged', payload: { order } }] }
    },
    compensate: async () => ({ events: [{ type: 'refunded', payload: {} }] }),
  })
  .reply('paid', {
    event: 'paid',
    action: async (_context, _tx, { reply }) => ({ data: { by: reply.id } }),
  })

const flow = await sagas(pool, [transfer], { events, transports: { broker } }).setUp()
const at = new Date(0)

const start = (order: string, tenant?: string) =>
  flow.transaction((tx) =>
    startSaga(tx, transfer, { key: order, input: { order, at }, ...(tenant && { tenant }) }),
  )

const paid = (id: string) => toMessage({ id, type: 'paid', payload: { order: 'o' } })

test('one call runs sagas and delivers what their steps send', async () => {
  const running = flow.start()
  onTestFinished(() => flow.stop())
  await running
  const { id } = await start('one')
  await expect.poll(() => taken.map(({ headers }) => headers['saga-id'])).toContain(id)
  const declined = await flow.execute(transfer, { order: 'declined', at })
  expect(declined).toMatchObject({ status: 'COMPENSATED', error: { code: 'DECLINED' } })
})

test('events without a transport are refused at the start', async () => {
  const error = { code: 'DEFINITION_INVALID', field: 'transports' }
  for (const unbound of [
    sagas(pool, [], { events }),
    sagas(pool, [], { events, transports: {} }),
  ]) {
    await expect(unbound.start()).rejects.toMatchObject(error)
    await expect(unbound.runOnce()).rejects.toMatchObject(error)
  }
})

test('a start with the same key is the same saga, also of two at once', async () => {
  const both = await Promise.all([start('key 1'), start('key 1')])
  expect(both.filter(({ created }) => created)).toHaveLength(1)
  expect(both[0]?.id).toBe(both[1]?.id)
  const others = [await start('key 1', 'acme'), await start('key 2')]
  expect(others.map(({ created }) => created)).toEqual([true, true])
  const other = defineSaga<{ n: 1 }>('other').timer('wait', '1h')
  const same = { key: 'key 1', input: { n: 1 } } as const
  expect((await flow.transaction((tx) => startSaga(tx, other, same))).created).toBe(true)
  const rolled = flow.transaction(async (tx) => {
    await startSaga(tx, transfer, { key: 'key 3', input: { order: 'x', at } })
    throw new Error('no')
  })
  await expect(rolled).rejects.toThrow('no')
  expect(await findSaga(pool, { saga: 'transfer', key: 'key 3' })).toBeUndefined()
  const long = 'x'.repeat(5_000)
  const { id } = await start(long)
  expect(await findSaga(pool, { saga: 'transfer', key: long })).toBe(id)
})

test('a reply finds its saga by the key of its start, and may have an id of any kind', async () => {
  const { id } = await start('order 17')
  await flow.runOnce()
  const replies = sagaReplies({
    ...{ pool, topic: 'bank' },
    sagaOf: async ({ payload }, tx) => {
      const { order } = payload as { order: string }
      await tx.query('select')
      return order === 'none' ? undefined : { saga: 'transfer', key: order }
    },
  })
  const context = { ref: {}, signal: AbortSignal.timeout(10_000) }
  const message = { ...paid('evt_1'), payload: { order: 'order 17' } }
  await replies.handle(message, context)
  await replies.handle(message, context)
  await replies.handle({ ...paid('evt_2'), payload: { order: 'none' } }, context)
  await flow.runOnce()
  expect(await awaitSaga(pool, id)).toMatchObject({ context: { by: 'evt_1' } })
  expect((await getSaga(pool, id))?.replies).toMatchObject([{ id: 'evt_1', status: 'USED' }])
  // It may have come before its saga was begun: it comes again.
  const early = { ...paid('evt_3'), payload: { order: 'order 18' } }
  await expect(replies.handle(early, context)).rejects.toMatchObject({ code: 'SAGA_MISSING' })
  await start('order 18')
  await replies.handle(early, context)
})

test('a reply finds its saga by a key that a step gave it, which no other saga can have', async () => {
  const { id } = await start('order 20')
  await flow.runOnce()
  const reply = {
    consumer: 'gateway',
    message: paid('evt_20'),
    saga: { saga: 'transfer', key: 'ch_order 20' },
  }
  expect(await transaction(pool, (tx) => acceptReply(tx, reply))).toBe('woke')
  expect(await transaction(pool, (tx) => acceptReply(tx, reply))).toBe('duplicate')
  await flow.runOnce()
  expect((await awaitSaga(pool, id)).status).toBe('COMPLETED')
  const second = await flow.transaction((tx) =>
    startSaga(tx, transfer, { input: { order: 'order 20', at } }),
  )
  await flow.runOnce()
  const [charge] = (await getSaga(pool, second.id))?.steps ?? []
  expect(charge).toMatchObject({ status: 'RETRYING', error: { code: 'SAGA_KEY_TAKEN' } })
})

test('sagas that ended go after their time, with all that belongs to them', async () => {
  const hex = (Date.now() - 100 * 86_400_000).toString(16).padStart(12, '0')
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
  const first = { id, key: 'old', input: { order: 'old', at } }
  await flow.transaction((tx) => startSaga(tx, transfer, first))
  const stays = await start('young')
  await flow.runOnce()
  for (const key of ['old', 'young']) {
    const saga = { saga: 'transfer', key }
    const reply = { consumer: 'x', message: paid(`evt ${key}`), saga }
    await transaction(pool, (tx) => acceptReply(tx, reply))
  }
  await flow.runOnce()
  await flow.runOnce()
  await pool.query(
    `update sagas.saga set finished_at = now() - interval '91 days' where id = $1 and finished_at is not null`,
    [id],
  )
  await pool.query(
    `update sagas.saga_outbox set sent_at = now() - interval '91 days' where saga_id = $1`,
    [id],
  )
  // What is in the archive goes by the time since it came there.
  const unarchived = sagaEvents({ transport: 'broker', retention: '365d' })
  const keeping = sagas(pool, [transfer], {
    events: unarchived,
    transports: { broker },
    maintenance: '1s',
  })
  await keeping.start()
  onTestFinished(() => keeping.stop())
  const left = async () => {
    const { rows } = await pool.query<{ saga_id: string }>(
      `select id as saga_id from sagas.saga where id = any($1)
       union all select saga_id from sagas.saga_step where saga_id = any($1)
       union all select saga_id from sagas.saga_reply where saga_id = any($1)
       union all select saga_id from sagas.saga_key where saga_id = any($1)
       union all select saga_id from sagas.saga_outbox where saga_id = any($1)`,
      [[id, stays.id]],
    )
    return new Set(rows.map((row) => row.saga_id))
  }
  await expect.poll(left, { timeout: 20_000 }).toEqual(new Set([stays.id]))
})
