import { defineOutbox, exponential, type Duration, type Outbox } from '@posthorn/engine'
import { type LabelPart } from '@posthorn/engine/internal'

/** A row of `sagas.saga_outbox`. */
export interface SagaEvent {
  id: string
  saga_id: string
  step: string
  topic: string
  event_type: string
  key: string
  tenant: string | null
  payload: unknown
  traceparent: string | null
  status: string
  retry_count: number
  next_retry_at: Date
  last_error: string | null
  error_code: string | null
  sent_at: Date | null
  created_at: Date
}

export interface SagaEventsOptions {
  /** Name under which the host binds the transport, e.g. `kafka`. */
  readonly transport: string
  /** Where events go that name no topic of their own. Default `sagas.events`. */
  readonly topic?: string
  /** How long sent events stay in the table. Default `7d`. */
  readonly retention?: Duration
  /** How long the archive keeps them. Default `90d`. */
  readonly archive?: Duration
  /** What people know an event by. Default its key and its step. */
  readonly label?: readonly LabelPart<SagaEvent>[]
}

/** The outbox of the sagas' events, with where they go: the topic where an event names none. */
export interface SagaEvents extends Outbox<SagaEvent> {
  readonly transport: string
  readonly topic: string
}

/** Header in which an event names its saga, so that a reply can name it too. */
export const SAGA_ID_HEADER = 'saga-id'

/**
 * Defines the outbox `sagas.events`: PENDING → CLAIMED → SENT, five retries, then DEAD_LETTER. Events with
 * one key, by default those of one saga, go out in their order; behind a dead letter they wait for an operator.
 */
export function sagaEvents(options: SagaEventsOptions): SagaEvents {
  const { transport, topic = 'sagas.events', retention = '7d', archive = '90d' } = options
  const outbox = defineOutbox<SagaEvent>({
    name: 'sagas.events',
    table: 'sagas.saga_outbox',
    states: {
      ready: 'PENDING',
      claimed: 'CLAIMED',
      sent: 'SENT',
      failing: 'FAILED',
      dead: 'DEAD_LETTER',
    },
    columns: {
      dueAt: 'next_retry_at',
      createdAt: 'created_at',
      sentAt: 'sent_at',
      finishedAt: 'sent_at',
      error: 'last_error',
      errorCode: 'error_code',
      type: 'event_type',
      tenant: 'tenant',
      traceparent: 'traceparent',
    },
    label: options.label ?? ['key', 'step'],
    counter: { column: 'retry_count', bumps: 'on-failure' },
    claim: { batch: 100, unheard: '1s', lease: '30s' },
    // A withdrawal must not overtake its command, nor go out without it.
    order: { key: 'key', dead: 'block' },
    retry: exponential('1s', { attempts: 6 }),
    breaker: {},
    retention: { after: retention, archive },
    destination: (row) => ({ transport, topic: row.topic }),
    message: (row) => ({
      id: row.id,
      type: row.event_type,
      key: row.key,
      ...(row.tenant !== null && { tenant: row.tenant }),
      headers: { [SAGA_ID_HEADER]: row.saga_id, 'saga-step': row.step },
      payload: row.payload,
    }),
  })
  return Object.assign(outbox, { transport, topic })
}

export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
}
