import type { Change } from '../../kit/copy.ts'

/** A bug that is put into a copy of the sources: one line becomes another. */
export interface SeededBug extends Change {
  /** What the server does wrong then. */
  readonly text: string
  /** Arguments of chaos that make it likely to matter. */
  readonly args: readonly string[]
}

const SHORT = ['--system', 'messages', '--minutes', '1']

/** Without faults of its own kind: what these lose is lost on any day. */
const QUIET = ['--minutes', '0.4', '--every', '8000', '--faults', 'outside']

export const seededBugs: Readonly<Record<string, SeededBug>> = {
  fence: {
    text: 'settles a message without asking whether the claim is still its own',
    file: 'packages/engine/src/relay/settle/settle.sql.ts',
    line: "if (guard === 'claim') return `\\n     and m.claim_token = ${p('token')}::uuid`",
    becomes: "if (guard === 'claim') return `\\n     and ${p('token')}::uuid is not null`",
    // A fence is needed by those that come back, and only where others go on meanwhile.
    args: [...SHORT, '--every', '8000', '--faults', 'zombie'],
  },
  answer: {
    text: 'counts a message as delivered before its destination has answered',
    file: 'packages/engine/src/relay/attempt/attempt.ts',
    line: 'return (await attemptWithin(deliver, bounds)) ?? batch.map(() => TIMED_OUT)',
    becomes: `void attemptWithin(deliver, bounds).catch(() => TIMED_OUT)
        return batch.map(() => ({ kind: 'delivered', ref: undefined }))`,
    args: [...SHORT, '--every', '800'],
  },
  gone: {
    text: 'answers now and then with an order that is not there',
    file: 'systems/orders/routes.ts',
    line: '  return { id: input.orderId, sagaId }',
    becomes: '  return { id: /[0-3]$/.test(sagaId) ? uuid() : input.orderId, sagaId }',
    args: ['--system', 'orders', ...QUIET],
  },
  double: {
    text: 'places two orders under one key',
    file: 'systems/orders/routes.ts',
    line: '      const placed = await placeOrder(tx, order.hold ? sagas.held : sagas.order, order)',
    becomes: `      const saga = order.hold ? sagas.held : sagas.order
      await placeOrder(tx, saga, order)
      const placed = await placeOrder(tx, saga, order)`,
    args: ['--system', 'orders', ...QUIET],
  },
  refusal: {
    text: 'refuses every second message',
    file: 'systems/messages/routes.ts',
    line: '    const { body: message } = request',
    becomes: `    if (/[02468]$/.test(keyedRequest(request)?.key ?? '')) throw problem('NOT_FOUND')
    const message = request.body`,
    args: ['--system', 'messages', ...QUIET],
  },
}
