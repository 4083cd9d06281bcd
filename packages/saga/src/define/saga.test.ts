import { expectTypeOf, test } from 'vitest'
import { defineSaga, refuse, type Reply, type Sagas, type Stored } from '../index.ts'

/** Only for the compiler: nothing here runs. */
declare const flow: Sagas

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
    void flow.executeLocally(waiting, { orderId: '1' })
    return flow.execute(waiting, { orderId: '1' })
  }
  expectTypeOf(both).returns.resolves.toHaveProperty('status')
})

test('the result has the whole context if it is complete', () => {
  const run = () => flow.executeLocally(order, { orderId: '1' })
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
    flow.executeLocally(order, { orderId: 1 })
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
    void flow.executeLocally(joined, { orderId: '1' })
    // @ts-expect-error -- one of its branches waits
    void flow.executeLocally(waiting, { orderId: '1' })
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

test('data is typed as it comes back from JSON', () => {
  type Bill = { readonly dueAt: Date; readonly items: readonly { readonly at: Date }[] }
  defineSaga<{ readonly orderedAt: Date }>('dates')
    .step('bill', {
      action: async ({ orderedAt }) => {
        expectTypeOf(orderedAt).toEqualTypeOf<string>()
        const bill: Bill = { dueAt: new Date(0), items: [] }
        return { data: { bill, paidAt: undefined as Date | undefined, tags: new Set(['a']) } }
      },
      compensate: async ({ bill }) => {
        expectTypeOf(bill?.dueAt).toEqualTypeOf<string | undefined>()
      },
    })
    .signal('sent', { parse: (payload) => ({ at: new Date(String(payload)) }) })
    .step('read', {
      action: async ({ bill, paidAt, tags }) => {
        expectTypeOf(bill.dueAt).toEqualTypeOf<string>()
        expectTypeOf(bill.items[0]?.at).toEqualTypeOf<string | undefined>()
        expectTypeOf(paidAt).toEqualTypeOf<string | undefined>()
        // @ts-expect-error -- a set is stored as an object with nothing in it
        void tags.size
      },
    })
  expectTypeOf<Stored<{ readonly at: Date; run(): void; n?: 1 | 2 }>>().toEqualTypeOf<{
    readonly at: string
    n?: 1 | 2
  }>()
  expectTypeOf<Stored<[Date, unknown, bigint]>>().toEqualTypeOf<[string, unknown, never]>()
})
