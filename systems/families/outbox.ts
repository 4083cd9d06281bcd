import { aggregateTypeOf, eventOutbox, type EventOutbox } from '@posthorn/domain'
import {
  defineOutbox,
  schedule,
  type Change,
  type Outbox,
  type Transaction,
} from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { Sealing } from '@posthorn/system'
import type { ValueObject } from './events.ts'
import type { Family } from './family.ts'
import type { FamilyMemberInvitation } from './invitation.ts'

export interface OutboxEvent {
  event_id: string
  event_type: string
  event_version: number
  aggregate_type: string
  aggregate_id: string
  payload: { readonly token?: ValueObject } & Readonly<Record<string, unknown>>
  status: number
  retry_count: number
  next_attempt_at: Date
  error_message: string | null
  processed_at: Date | null
  created_at: Date
  updated_at: Date
  org_id: string
  traceparent: string | null
  finished_at: Date | null
}

export const TOPIC = 'family-hub.events'

export const TRANSPORT = 'rabbitmq'

const NAME = 'families.events'

/** Failures that say that the broker is there, and its exchange or its queues are not. */
const BROKEN_TOPOLOGY: readonly string[] = ['UNROUTABLE', 'TOPIC_MISSING']

/** What happened in the families, in order for each aggregate, until the broker has it. */
export function familyOutbox(
  sealing: Sealing,
  tokens: 'sealed' | 'clear' = 'clear',
): Outbox<OutboxEvent> {
  return defineOutbox<OutboxEvent>({
    name: NAME,
    table: 'families.outbox_events',
    // Nothing is given up by itself: an operator who cancels an event makes it 2, Failed.
    states: { ready: 0, sent: 1, cancelled: 2 },
    columns: {
      id: 'event_id',
      dueAt: 'next_attempt_at',
      error: 'error_message',
      type: 'event_type',
      tenant: 'org_id',
      createdAt: 'created_at',
      sentAt: 'processed_at',
      finishedAt: 'finished_at',
      traceparent: 'traceparent',
    },
    label: ['payload.name.value', 'payload.email.value'],
    counter: { column: 'retry_count', bumps: 'on-failure', unreachable: 'charged' },
    claim: { batch: 100, unheard: '5s', lease: '30s' },
    order: { key: 'aggregate_id', dead: 'block' },
    retry: schedule(['1s', '2s', '5s', '15s', '60s', '300s', '900s'], { then: 'repeat-last' }),
    retention: { after: '30d', archive: '365d' },
    destination: { transport: TRANSPORT, topic: TOPIC },
    message: (row) => ({
      id: row.event_id,
      type: row.event_type,
      version: row.event_version,
      key: row.aggregate_id,
      tenant: row.org_id,
      payload: payloadOf(row, { sealing, tokens }),
    }),
    secrets: ['token'],
    audit: { settled: watchTopology },
  })
}

/** Events of both aggregates as rows, the token sealed for this one event. */
export function familyEvents(outbox: Outbox<OutboxEvent>, sealing: Sealing): EventOutbox {
  return eventOutbox(outbox, ({ id, type, version, occurredAt, payload }, aggregate) => {
    const { token, ...rest } = payload as OutboxEvent['payload']
    return {
      event_type: type,
      event_version: version,
      aggregate_type: aggregateTypeOf(aggregate),
      aggregate_id: aggregate.id,
      org_id: (aggregate as Family | FamilyMemberInvitation).state.orgId,
      payload: {
        eventId: id,
        occurredOn: occurredAt.toISOString(),
        eventVersion: version,
        ...rest,
        ...(token && { token: { value: sealing.seal(token.value, id) } }),
      },
    }
  })
}

/**
 * The payload as it is sent. A processed event has no token any more and is only looked at. One that
 * stays sealed is opened all the same: a key that is missing is found here, before the broker has it.
 */
function payloadOf(
  { event_id: id, payload }: OutboxEvent,
  { sealing, tokens }: { readonly sealing: Sealing; readonly tokens: 'sealed' | 'clear' },
) {
  if (!payload.token) return payload
  const opened = sealing.open(payload.token.value, id)
  return tokens === 'clear' ? { ...payload, token: { value: opened } } : payload
}

const TOPOLOGY = { source: NAME, subject: TOPIC }

/**
 * One alert for as long as the topology is broken: this outbox never gives up, so nothing else
 * would say so. That an event is sent does not end it: any one queue takes that.
 */
async function watchTopology(
  tx: Transaction,
  changes: readonly Change<OutboxEvent>[],
): Promise<void> {
  const failure = changes
    .flatMap(({ outcome }) => (outcome.kind === 'retryLater' ? [outcome.failure] : []))
    .find(({ code }) => BROKEN_TOPOLOGY.includes(code))
  if (failure) await raiseAlert(tx, { ...TOPOLOGY, code: failure.code, detail: failure.message })
}

/** Runs when the broker has the archive's queue, which takes every event. */
export const endTopologyAlert = (tx: Transaction) => recoverAlert(tx, TOPOLOGY)
