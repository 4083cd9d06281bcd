import { Type, type Static } from 'typebox'

/**
 * JSON that Postgres takes: without zero bytes and halves of characters, which other people's words
 * may have in them. One of those must not keep a message from being settled.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'string') return cleanText(each)
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    const isClean = Object.keys(each).every((key) => key === cleanText(key))
    if (isClean) return each
    return Object.fromEntries(Object.entries(each).map(([key, field]) => [cleanText(key), field]))
  })
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

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

/** A row of `messages.outbound_message`. */
export interface OutboundMessage {
  id: string
  org_id: string
  dossier_id: string | null
  account_id: string | null
  /** Set for free text, which is sent only while this conversation's session is open. */
  conversation_id: string | null
  channel: string
  to_recipient: string
  template_code: string | null
  payload_json: Readonly<Record<string, unknown>>
  /** As the provider takes them, of a registered template. */
  components: unknown
  status: MessageState
  provider_message_id: string | null
  idempotency_key: string
  request_fingerprint: string
  priority: Priority
  /** What shares claims: the organisation, apart for what is urgent. */
  readonly lane: string
  attempt_count: number
  /** The number of the last attempt, as `outbound_attempt` has it. */
  attempt_no: number
  max_attempts: number
  error_code: string | null
  error_message: string | null
  outcome_unknown: boolean
  next_retry_at: Date
  /** When it is to go; null: at once. */
  send_at: Date | null
  /** By the provider's clock, once it has reported it. */
  sent_at: Date | null
  delivered_at: Date | null
  read_at: Date | null
  traceparent: string | null
  created_at: Date
  updated_at: Date
  contents_removed_at: Date | null
}

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
const Time = Type.String({ format: 'date-time' })

export const DossierId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,100}$' })

/** What a caller asks for. */
export const NewMessage = Type.Object({
  dossierId: Type.Optional(DossierId),
  channel: Type.String({ pattern: '^[a-z]{1,20}$', description: 'whatsapp or email' }),
  to: Type.String({ minLength: 1, maxLength: 254, description: 'a number as +16505551234' }),
  templateCode: Type.Optional(
    Type.String({ pattern: '^[a-z0-9_]{1,512}$', description: 'required for whatsapp' }),
  ),
  payloadJson: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'whatsapp: {language, parameters, and of registered templates header, buttons}; email: {subject, text}',
  }),
  maxAttempts: Type.Integer({ minimum: 1, maximum: 6, default: 5 }),
  priority: Type.Optional(
    Type.Enum([...PRIORITIES], {
      description:
        'urgent goes before normal; default urgent for registered authentication templates',
    }),
  ),
  sendAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'not before this time, up to 90 days ahead; consent is asked again then',
    }),
  ),
  accountId: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        "the organisation's account that sends it; default its oldest one, or else the server's",
    }),
  ),
})
export type NewMessage = Static<typeof NewMessage>

/** A message as the API shows it. */
export const MessageResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  orgId: Type.String(),
  dossierId: Nullable(Type.String()),
  accountId: Nullable(Type.String()),
  conversationId: Nullable(
    Type.String({ format: 'uuid', description: 'free text of this conversation' }),
  ),
  channel: Type.String(),
  to: Type.String(),
  templateCode: Nullable(Type.String()),
  payloadJson: Type.Unknown(),
  status: Type.Enum([...MESSAGE_STATES]),
  outcomeUnknown: Type.Boolean({ description: 'sent, perhaps: no answer came' }),
  providerMessageId: Nullable(Type.String()),
  idempotencyKey: Type.String(),
  priority: Type.Enum([...PRIORITIES]),
  attemptCount: Type.Integer(),
  maxAttempts: Type.Integer(),
  errorCode: Nullable(Type.String()),
  errorMessage: Nullable(Type.String()),
  nextRetryAt: Nullable(Time),
  sendAt: Nullable(Time),
  sentAt: Nullable(
    Type.String({ format: 'date-time', description: "these three by the provider's clock" }),
  ),
  deliveredAt: Nullable(Time),
  readAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
  contentsRemovedAt: Nullable(
    Type.String({
      format: 'date-time',
      description: 'since when payloadJson is without parameters',
    }),
  ),
})

export function toResource(row: OutboundMessage): Static<typeof MessageResource> {
  const waits = row.status === 'QUEUED' && row.error_code !== null
  return {
    id: row.id,
    orgId: row.org_id,
    dossierId: row.dossier_id,
    accountId: row.account_id,
    conversationId: row.conversation_id,
    channel: row.channel,
    to: row.to_recipient,
    templateCode: row.template_code,
    payloadJson: row.payload_json,
    status: row.status,
    outcomeUnknown: row.outcome_unknown,
    providerMessageId: row.provider_message_id,
    idempotencyKey: row.idempotency_key,
    priority: row.priority,
    attemptCount: row.attempt_count,
    maxAttempts: row.max_attempts,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    nextRetryAt: waits ? row.next_retry_at.toISOString() : null,
    sendAt: row.send_at?.toISOString() ?? null,
    sentAt: row.sent_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    readAt: row.read_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    contentsRemovedAt: row.contents_removed_at?.toISOString() ?? null,
  }
}
