import type { Outbox } from '@posthorn/engine'
import { toMessage, type EventRow } from '../kit/events/outbox.ts'
import type { Engine } from './engine.ts'

/** One account for both outboxes: each event goes to both. */
export const ACCOUNTS = 'upgrade'

/** By key, and by row with a claimed state, as a version of the engine defines them. */
export function outboxesOf({ defineOutbox, schedule }: Engine): Outbox<EventRow>[] {
  const common = {
    columns: { dueAt: 'due_at', error: 'error', errorCode: 'error_code' },
    claim: { batch: 20, every: '500ms', lease: '2s' },
    retry: schedule(['200ms', '500ms', '1s'], { then: 'repeat-last' }),
    message: toMessage('upgrade.event'),
  } as const
  return [
    defineOutbox<EventRow>({
      ...common,
      name: 'upgrade.keys',
      table: 'crash.key_event',
      states: { ready: 'ready', sent: 'sent' },
      counter: { column: 'attempts', bumps: 'on-failure' },
      order: { key: 'key', dead: 'block' },
      destination: { transport: 'ledger', topic: 'upgrade.keys' },
    }),
    defineOutbox<EventRow>({
      ...common,
      name: 'upgrade.rows',
      table: 'crash.row_event',
      states: { ready: 'ready', claimed: 'claimed', sent: 'sent' },
      counter: { column: 'attempts', bumps: 'on-claim' },
      unknown: { then: 'resend', wait: '1s' },
      destination: { transport: 'ledger', topic: 'upgrade.rows' },
    }),
  ]
}
