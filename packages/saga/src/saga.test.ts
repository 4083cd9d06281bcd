import { expectTypeOf, test } from 'vitest'
import type { Pool } from 'pg'
import { defineSaga, durableSaga, localSaga, refuse, type Reply } from './index.ts'

const order = defineSaga<{ orderId: string }>('order')
  .step('reserve', {
    action: async () => ({ data: { reservation: 1 } }),
    compensate: async (context) => {
      expectTypeOf(context.orderId).toEqualTypeOf<string>()
      // Its own data is there only if the action is known to have ended.
      expectTypeOf(context.reservation).toEqualTypeOf<number | undefined>()
    },
  })
  .step('notify', { action: async () => ({ events: [{ type: 'notified', payload: {} }] }) })
  .step('pay', {
    action: async (context) => {
      expectTypeOf(context).toExtend<{ orderId: string; reservation: number }>()
      // @ts-expect-error -- no step has returned it yet
      void context.receipt
      return context.reservation > 9 ? refuse('TOO_MUCH', 'too much') : { data: { receipt: 'r' } }
    },
  })

test('a later step knows what the earlier ones returned', () => {
  order.step('ship', {
    action: async (context) => {
      expectTypeOf(context.receipt).toEqualTypeOf<string>()
      expectTypeOf(context.reservation).toEqualTypeOf<number>()
    },
  })
})

test('a reply is typed as one, in a saga that must be durable', () => {
  const waiting = order.timer('rest', '1m').reply('answered', {
    event: 'answer',
    action: async (_context, _tx, { reply }) => {
      expectTypeOf(reply).toEqualTypeOf<Reply>()
      return { data: { answer: String(reply.payload) } }
    },
  })
  const both = () => {
    // @ts-expect-error -- it waits, so it cannot run in one transaction
    localSaga(waiting, { pool: {} as Pool })
    return durableSaga(waiting, { pool: {} as Pool }).execute({ orderId: '1' })
  }
  expectTypeOf(both).returns.resolves.toHaveProperty('status')
})

test('the result has the whole context if it is complete', () => {
  const run = () => localSaga(order, { pool: {} as Pool }).execute({ orderId: '1' })
  const check = async () => {
    const result = await run()
    if (result.status === 'COMPLETED') {
      expectTypeOf(result.context.receipt).toEqualTypeOf<string>()
    } else {
      expectTypeOf(result.status).toEqualTypeOf<'COMPENSATED' | 'FAILED'>()
      expectTypeOf(result.error.code).toEqualTypeOf<string>()
    }
  }
  expectTypeOf(check).returns.resolves.toBeVoid()
})

test('the input is checked', () => {
  const wrong = () =>
    // @ts-expect-error -- an order has a text as its id
    localSaga(order, { pool: {} as Pool }).execute({ orderId: 1 })
  expectTypeOf(wrong).toBeFunction()
})
