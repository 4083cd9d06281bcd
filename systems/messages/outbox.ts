import {
  defineOutbox,
  nextDelay,
  schedule,
  type Destination,
  type Duration,
  type Outbox,
} from '@posthorn/engine'
import { beginAttempts, settleAttempts } from './attempts.ts'
import type { OutboundMessage } from './message.ts'
import { providerOf, type Outgoing, type Providers } from './providers/provider.ts'

export interface OutboundOptions {
  readonly providers: Providers
  readonly unheard: Duration
  readonly batch: number
  readonly atOnce: number
  /** What becomes of a message whose outcome is unknown. */
  readonly unknown: 'resend' | 'hold'
  /** How long a status webhook may settle it before. */
  readonly unknownWait: Duration
  /** After this long a worker that does not say it is still there is taken for gone. */
  readonly stale: Duration
}

/** Until the second attempt, the third …: with five attempts at 0, 1, 6, 21 and 81 minutes. */
const WAITS = schedule(['1m', '5m', '15m', '60m', '360m'])

/** How `lane` begins, in the table, for messages that go first. */
const URGENT_LANES = 'urgent/'

/** Name under which the relay finds the providers. */
export const TRANSPORT = 'outbound'

export function outboundOutbox(options: OutboundOptions): Outbox<OutboundMessage> {
  const { providers, unheard, batch, atOnce, stale } = options
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
    label: ['to_recipient', 'dossier_id'],
    counter: {
      column: 'attempt_count',
      bumps: 'on-claim',
      limit: 'max_attempts',
      // A wrong address would be tried for ever.
      unreachable: 'charged',
    },
    claim: { unheard, batch, atOnce, lease: stale },
    // A campaign of one organisation holds up no other's messages, and no one-time code.
    fair: { by: 'lane', first: URGENT_LANES },
    confirm: {},
    retry: WAITS,
    unknown: { then: options.unknown, wait: options.unknownWait },
    // Ten unreachable recipients say nothing yet about a number that sends 80 a second.
    breaker: { attempts: 30 },
    // A number that WhatsApp has closed must not stop the others.
    destination: (row) => destinationOf(providers, row),
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

/** An organisation's own account is one destination: metrics do not name it. */
function destinationOf(providers: Providers, row: OutboundMessage): Destination {
  const { channel, account_id: accountId, to_recipient: to } = row
  if (accountId !== null) {
    return { transport: TRANSPORT, topic: `${channel}/${accountId}`, label: `${channel}/accounts` }
  }
  const provider = providerOf(providers, channel)
  return { transport: TRANSPORT, topic: `${channel}/${provider.senderFor(to, provider.own)}` }
}

function outgoingOf(row: OutboundMessage): Outgoing {
  return {
    id: row.id,
    orgId: row.org_id,
    attemptNo: row.attempt_no,
    waitMs: nextDelay(WAITS, row.attempt_count),
    dossierId: row.dossier_id,
    accountId: row.account_id,
    conversationId: row.conversation_id,
    channel: row.channel,
    to: row.to_recipient,
    templateCode: row.template_code,
    payload: row.payload_json,
    components: row.components,
  }
}
