import { Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'

/*
 * A message to a person:
 *
 *   QUEUED ──claim──▶ SENDING ──accepted──▶ SENT ──delivered, read──▶ DELIVERED
 *     ▲  │              │ │                  │
 *     │  │ cancel       │ │ refused, or      │ failed
 *     │  ▼              │ │ no attempts left ▼
 *     │ CANCELLED       │ └──────────────▶ FAILED
 *     └── try again ────┘                    │
 *     └───────────────── retry ──────────────┘
 */

export const MESSAGE_STATES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'FAILED',
  'CANCELLED',
] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

const PRIORITIES = ['normal', 'urgent'] as const
export type Priority = (typeof PRIORITIES)[number]

/** A moment by the clock of the database. */
export const Time = time({ format: 'date-time' })

export const DossierId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,100}$' })

/** What a caller asks for. */
export const NewMessage = Type.Object({
  dossierId: Type.Optional(DossierId),
  channel: Type.String({ pattern: '^[a-z]{1,20}$', description: '`whatsapp` or `email`' }),
  to: Type.String({
    minLength: 1,
    maxLength: 254,
    description: 'Phone number such as +16505551234, or email address',
  }),
  templateCode: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_]{1,512}$',
      description: 'Code of the template; required for whatsapp',
    }),
  ),
  payloadJson: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'whatsapp: `{language, parameters}`, for registered templates also `header` and `buttons`; email: `{subject, text}`',
  }),
  maxAttempts: Type.Integer({ minimum: 1, maximum: 6, default: 5 }),
  priority: Type.Optional(
    Type.Enum([...PRIORITIES], {
      description:
        'Urgent messages are sent before normal ones; default: urgent for registered authentication templates, else normal',
    }),
  ),
  sendAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Earliest time to send, up to 90 days ahead; consent is checked again at that time',
    }),
  ),
  accountId: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        "Account that sends the message; default: the oldest account of the organisation, or the server's if it has none",
    }),
  ),
})
export type NewMessage = Static<typeof NewMessage>

/** A message as the API shows it. */
export const MessageResource = Type.Object({
  id: Id,
  orgId: Type.String(),
  dossierId: NullableText,
  accountId: NullableText,
  conversationId: nullable(
    Type.String({ format: 'uuid', description: 'Conversation that the free text belongs to' }),
  ),
  channel: Type.String(),
  to: Type.String(),
  templateCode: NullableText,
  payloadJson: Type.Unknown(),
  status: Type.Enum([...MESSAGE_STATES]),
  outcomeUnknown: Type.Boolean({
    description: 'True if the provider did not answer: the message may have been sent',
  }),
  providerMessageId: NullableText,
  idempotencyKey: Type.String(),
  priority: Type.Enum([...PRIORITIES]),
  attemptCount: Type.Integer(),
  maxAttempts: Type.Integer(),
  errorCode: NullableText,
  errorMessage: NullableText,
  nextRetryAt: nullable(Time),
  sendAt: nullable(Time),
  sentAt: nullable(
    time({
      format: 'date-time',
      description: "sentAt, deliveredAt and readAt are times of the provider's clock",
    }),
  ),
  deliveredAt: nullable(Time),
  readAt: nullable(Time),
  createdAt: Time,
  updatedAt: Time,
  contentsRemovedAt: nullable(
    time({
      format: 'date-time',
      description: 'When retention removed the parameters from payloadJson; null if it has not',
    }),
  ),
})

/** A row of `messages.outbound_message`. */
export interface OutboundMessage extends RowOf<
  typeof MessageResource,
  'to' | 'payloadJson' | 'nextRetryAt'
> {
  readonly to_recipient: string
  readonly payload_json: Readonly<Record<string, unknown>>
  /** As the provider takes them, of a registered template. */
  readonly components: unknown
  readonly request_fingerprint: string
  /** What shares claims: the organisation, apart for what is urgent. */
  readonly lane: string
  /** The number of the last attempt, as `outbound_attempt` has it. */
  readonly attempt_no: number
  readonly next_retry_at: Date
  readonly traceparent: string | null
}

/** The time of the next attempt is that of a message which has failed and is tried again. */
export const toResource = resource(MessageResource, {
  to: (row: OutboundMessage) => row.to_recipient,
  nextRetryAt: ({ status, error_code: code, next_retry_at: at }) =>
    status === 'QUEUED' && code !== null ? at.toISOString() : null,
})

export const AttemptResource = Type.Object({
  id: Type.String(),
  attemptNo: Type.Integer(),
  status: Type.Enum(['TRYING', 'SUCCESS', 'FAILED']),
  errorCode: NullableText,
  errorMessage: NullableText,
  providerResponse: Type.Unknown(),
  nextRetryAt: nullable(time()),
  createdAt: time(),
  updatedAt: time(),
})
/** A row of `messages.outbound_attempt`. */
export type AttemptRow = RowOf<typeof AttemptResource>

export const toAttempt = resource(AttemptResource)
