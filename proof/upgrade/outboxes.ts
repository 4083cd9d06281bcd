import type { Inbox } from '@posthorn/engine/inbox'
import type { Outbox } from '@posthorn/engine'
import type { Engine } from './engine.ts'

/** A row of both outboxes: the n-th event of its key. */
export interface EventRow {
  readonly id: string
  readonly key: string
  readonly n: string
  readonly status: string
  readonly attempts: number
  readonly due_at: Date
  readonly error: string | null
  readonly error_code: string | null
}

export interface EventPayload {
  readonly key: string
  readonly n: number
}

const columns = { dueAt: 'due_at', error: 'error', errorCode: 'error_code' } as const
const claim = { batch: 20, every: '500ms', lease: '2s' } as const

/** By key, and by row with a claimed state, as a version of the engine defines them. */
export function outboxesOf({ defineOutbox, schedule }: Engine): Outbox<EventRow>[] {
  const common = {
    columns,
    claim,
    retry: schedule(['200ms', '500ms', '1s'], { then: 'repeat-last' }),
    message: ({ id, key, n }: EventRow) => ({
      id,
      type: 'upgrade.event',
      key,
      payload: { key, n: Number(n) },
    }),
  } as const
  return [
    defineOutbox<EventRow>({
      ...common,
      name: 'upgrade.keys',
      table: 'upgrade.key_event',
      states: { ready: 'ready', sent: 'sent' },
      counter: { column: 'attempts', bumps: 'on-failure' },
      order: { key: 'key', dead: 'block' },
      destination: { transport: 'ledger', topic: 'upgrade.keys' },
    }),
    defineOutbox<EventRow>({
      ...common,
      name: 'upgrade.rows',
      table: 'upgrade.row_event',
      states: { ready: 'ready', claimed: 'claimed', sent: 'sent' },
      counter: { column: 'attempts', bumps: 'on-claim' },
      unknown: { then: 'resend', wait: '1s' },
      destination: { transport: 'ledger', topic: 'upgrade.rows' },
    }),
  ]
}

export function inboxOf({ defineInbox }: Engine): Inbox {
  return defineInbox({ table: 'upgrade.inbox', retention: '1d' })
}
