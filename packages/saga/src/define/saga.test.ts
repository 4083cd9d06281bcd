import { expectTypeOf, test } from 'vitest'
import type { Pool } from 'pg'
import { defineSaga, durableSaga, localSaga, refuse, type Reply } from '../index.ts'

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

test('branches see what was before them; what comes after sees all of them', () => {
  const joined = order.parallel({
    parcel: (branch) =>
      branch.step('pack', {
        action: async (context) => {
          expectTypeOf(context.receipt).toEqualTypeOf<string>()
          return { data: { parcel: 7 } }
        },
      }),
    letter: (branch) =>
      branch.step('print', { action: async () => ({ data: { pages: 2 } }) }).step('send', {
        action: async (context) => {
          expectTypeOf(context.pages).toEqualTypeOf<number>()
          // @ts-expect-error -- another branch's
          void context.parcel
        },
      }),
  })
  joined.step('last', {
    action: async (context) => {
      expectTypeOf(context.parcel).toEqualTypeOf<number>()
      expectTypeOf(context.pages).toEqualTypeOf<number>()
      expectTypeOf(context.orderId).toEqualTypeOf<string>()
    },
  })
  const both = () => {
    const waiting = order.parallel({
      a: (branch) => branch.step('a', { action: async () => undefined }),
      b: (branch) => branch.timer('b', '1m'),
    })
    void localSaga(joined, { pool: {} as Pool })
    // @ts-expect-error -- one of its branches waits
    localSaga(waiting, { pool: {} as Pool })
  }
  expectTypeOf(both).toBeFunction()
})

test('what a step returns may be missing if it is taken only when something holds', () => {
  order
    .step('gift', {
      when: (context) => {
        expectTypeOf(context.receipt).toEqualTypeOf<string>()
        return context.reservation > 1
      },
      action: async () => ({ data: { card: 'For you' } }),
    })
    .step('ship', {
      action: async (context) => {
        expectTypeOf(context.card).toEqualTypeOf<string | undefined>()
      },
    })
})

test('a signal is what its step reads, and a timer knows the context', () => {
  order
    .timer('later', { until: (context) => context.receipt })
    .signal('approved', {
      parse: (payload) => ({ by: String(payload) }),
      action: async (_context, _tx, { received }) => {
        expectTypeOf(received.payload).toEqualTypeOf<{ by: string }>()
        return { data: { by: received.payload.by } }
      },
      otherwise: async () => refuse('LATE', 'too late'),
    })
    .step('ship', {
      action: async (context) => {
        expectTypeOf(context.by).toEqualTypeOf<string>()
      },
    })
  const wrong = () =>
    // @ts-expect-error -- no step has returned it
    order.timer('later', { until: (context) => context.dawn })
  expectTypeOf(wrong).toBeFunction()
})
