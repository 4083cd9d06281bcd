import {
  defineOutbox,
  exponential,
  schedule,
  type Outbox,
  type OutboxDefinition,
} from '@posthorn/engine'
import { type EndingPolicy, type EndlessPolicy, type TableName } from '@posthorn/engine/internal'
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

/** Where the ordered outboxes keep their messages. */
export type Storage = 'table' | 'log'

/** Where an outbox of these is, and where its messages go: its topic has its name. */
interface Place {
  readonly name: string
  readonly table: TableName
  readonly transport: string
}

function common({ name, table, transport }: Place) {
  return {
    ...{ name, table },
    columns: {
      dueAt: 'due_at',
      error: 'error',
      errorCode: 'error_code',
      createdAt: 'created_at',
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    // Another relay soon takes over what a killed one held.
    claim: { batch: 100, every: '1s', lease: '2s' },
    destination: { transport, topic: name },
    message: toMessage(name),
  } as const
}

export function toMessage(type: string) {
  return ({ id, key, n }: EventRow) => ({ id, type, key, payload: { key, n: Number(n) } })
}

/** Ordered by key, and never gives up. */
export function keyedOutbox(
  place: Place,
  own: {
    readonly counter?: OutboxDefinition<EventRow>['counter']
    readonly retry?: EndlessPolicy
    readonly storage?: Storage
  } = {},
): Outbox<EventRow> {
  return defineOutbox<EventRow>({
    ...common(place),
    states: { ready: 'ready', sent: 'sent' },
    counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
    order: { key: 'key', dead: 'block' },
    retry: schedule(['200ms', '500ms', '1s', '2s'], { then: 'repeat-last' }),
    ...own,
  })
}

/** Without an order, and with an end. */
export function rowOutbox(
  place: Place,
  own: {
    readonly retry?: EndingPolicy
    readonly message?: OutboxDefinition<EventRow>['message']
  } = {},
): Outbox<EventRow> {
  return defineOutbox<EventRow>({
    ...common(place),
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    retry: exponential('200ms', { attempts: 8 }),
    ...own,
  })
}

function stormIn(storage: Storage, name: string): Outbox<EventRow> {
  const table = `crash.${name.replace('-', '_')}_event` as const
  return keyedOutbox({ name: `crash.${name}`, table, transport: 'broker' }, { storage })
}

/** What the storm is about. */
export const stormEvents = { table: stormIn('table', 'storm'), log: stormIn('log', 'storm-log') }

function poisonedIn(storage: Storage, name: string): Outbox<EventRow> {
  const table = `crash.${name.replace('-', '_')}` as const
  return keyedOutbox(
    { name: `crash.${name}`, table, transport: 'broker' },
    {
      counter: { column: 'attempts', bumps: 'on-failure' },
      retry: schedule(['200ms', '1s'], { then: 'repeat-last' }),
      storage,
    },
  )
}

/** Its poisoned message ends quarantined and blocks its key. */
export const poisonedKeys = {
  table: poisonedIn('table', 'poisoned-keys'),
  log: poisonedIn('log', 'poisoned-log'),
}

/** Its poisoned message dies. */
export const poisonedRows = rowOutbox({
  ...{ name: 'crash.poisoned-rows', table: 'crash.poisoned_row', transport: 'broker' },
})

export const outboxes: readonly Outbox<EventRow>[] = [
  ...Object.values(stormEvents),
  ...Object.values(poisonedKeys),
  poisonedRows,
]

export function outboxNamed(name: string): Outbox<EventRow> {
  const found = outboxes.find((outbox) => outbox.name === name)
  if (!found) throw new Error(`there is no outbox "${name}"`)
  return found
}

/** Every topic has the name of its outbox. */
export const topics = outboxes.map(({ name }) => name)

export const inbox = defineInbox({ table: 'crash.inbox', retention: '1d' })
