import { defineOutbox, schedule, type Duration, type Outbox } from '@posthorn/engine'
import { beginAttempts, settleAttempts } from './attempts.ts'
import type { OutboundMessage } from './message.ts'
import { providerOf, type Outgoing, type Providers } from './providers/provider.ts'

export interface OutboundOptions {
  readonly providers: Providers
  readonly every: Duration
  readonly batch: number
  readonly lanes: number
  /** What becomes of a message whose outcome is unknown. */
  readonly unknown: 'resend' | 'hold'
  /** How long a status webhook may settle it before. */
  readonly unknownWait: Duration
  /** After this long a worker that does not say it is still there is taken for gone. */
  readonly stale: Duration
}

/** Name under which the relay finds the providers. */
export const TRANSPORT = 'outbound'

export function outboundOutbox(options: OutboundOptions): Outbox<OutboundMessage> {
  const { providers, every, batch, lanes, stale } = options
  const outbox: Outbox<OutboundMessage> = defineOutbox<OutboundMessage>({
    name: 'messages.outbound',
    table: 'messages.outbound_message',
    states: {
      ready: 'QUEUED',
      claimed: 'SENDING',
      sent: 'SENT',
      confirmed: 'DELIVERED',
      dead: 'FAILED',
      cancelled: 'CANCELLED',
    },
    columns: {
      dueAt: 'next_retry_at',
      createdAt: 'created_at',
      tenant: 'org_id',
      type: 'template_code',
      traceparent: 'traceparent',
      error: 'error_message',
      errorCode: 'error_code',
      ref: { id: 'provider_message_id' },
      dedupe: ['org_id', 'idempotency_key'],
    },
    counter: {
      column: 'attempt_count',
      bumps: 'on-claim',
      limit: 'max_attempts',
      // A wrong address would be tried for ever.
      unreachable: 'charged',
    },
    claim: { every, batch, lanes, lease: stale },
    confirm: {},
    retry: schedule(['1m', '5m', '15m', '60m', '360m']),
    unknown: { then: options.unknown, wait: options.unknownWait },
    // Ten unreachable recipients say nothing yet about a number that sends 80 a second.
    breaker: { attempts: 30 },
    // A number that WhatsApp has closed must not stop the others.
    destination: ({ channel, to_recipient: to }) => ({
      transport: TRANSPORT,
      topic: `${channel}/${providerOf(providers, channel).senderFor(to)}`,
    }),
    message: (row) => ({
      id: row.id,
      type: 'messages.outbound',
      tenant: row.org_id,
      occurredAt: row.created_at,
      payload: outgoingOf(row),
    }),
    audit: {
      actor: 'OUTBOUND_WORKER',
      claimed: (tx, rows) => beginAttempts(tx, rows),
      settled: (tx, changes) => settleAttempts(tx, outbox, changes),
    },
  })
  return outbox
}

function outgoingOf(row: OutboundMessage): Outgoing {
  return {
    id: row.id,
    dossierId: row.dossier_id,
    channel: row.channel,
    to: row.to_recipient,
    templateCode: row.template_code,
    payload: row.payload_json,
  }
}
