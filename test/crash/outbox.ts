import { defineOutbox, exponential, schedule, type Outbox } from '@posthorn/engine'
import { defineInbox } from '@posthorn/engine/inbox'

/** A row of each outbox here: the n-th event of its key. */
export interface EventRow {
  readonly id: string
  readonly key: string
  readonly n: string
  readonly status: string
  readonly attempts: number
  readonly due_at: Date
  readonly error: string | null
  readonly error_code: string | null
  readonly created_at: Date
}

export interface EventPayload {
  readonly key: string
  readonly n: number
}

export const columns = {
  dueAt: 'due_at',
  error: 'error',
  errorCode: 'error_code',
  createdAt: 'created_at',
} as const

/** Leases of 2 s: another relay soon takes over what a killed one held. */
export const claim = { batch: 100, every: '1s', lease: '2s' } as const

export function toMessage(type: string) {
  return ({ id, key, n }: EventRow) => ({ id, type, key, payload: { key, n: Number(n) } })
}

/** Ordered by key, and never gives up: what the storm is about. */
export const stormEvents = defineOutbox<EventRow>({
  name: 'crash.storm',
  table: 'crash.storm_event',
  states: { ready: 'ready', sent: 'sent' },
  columns,
  counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
  claim,
  order: { key: 'key', dead: 'block' },
  retry: schedule(['200ms', '500ms', '1s', '2s'], { then: 'repeat-last' }),
  destination: { transport: 'broker', topic: 'crash.storm' },
  message: toMessage('crash.storm'),
})

/** The same for the poisoned message, which ends quarantined and blocks its key. */
export const poisonedKeys = defineOutbox<EventRow>({
  name: 'crash.poisoned-keys',
  table: 'crash.poisoned_key',
  states: { ready: 'ready', sent: 'sent' },
  columns,
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim,
  order: { key: 'key', dead: 'block' },
  retry: schedule(['200ms', '1s'], { then: 'repeat-last' }),
  destination: { transport: 'broker', topic: 'crash.poisoned-keys' },
  message: toMessage('crash.poisoned-keys'),
})

/** Without an order, and with an end: its poisoned message dies. */
export const poisonedRows = defineOutbox<EventRow>({
  name: 'crash.poisoned-rows',
  table: 'crash.poisoned_row',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns,
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim,
  retry: exponential('200ms', { attempts: 8 }),
  destination: { transport: 'broker', topic: 'crash.poisoned-rows' },
  message: toMessage('crash.poisoned-rows'),
})

export const outboxes: readonly Outbox<EventRow>[] = [stormEvents, poisonedKeys, poisonedRows]

export function outboxNamed(name: string): Outbox<EventRow> {
  const found = outboxes.find((outbox) => outbox.name === name)
  if (!found) throw new Error(`there is no outbox "${name}"`)
  return found
}

/** Every topic has the name of its outbox. */
export const topics = outboxes.map(({ name }) => name)

export const inbox = defineInbox({ table: 'crash.inbox', retention: '1d' })
