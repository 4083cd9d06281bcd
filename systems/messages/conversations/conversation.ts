import { Type, type Static } from 'typebox'
import { MESSAGE_STATES, type MessageState } from '../message.ts'

/** A row of `messages.conversation`, with what its person last wrote. */
export interface ConversationRow {
  readonly id: string
  readonly org_id: string
  readonly channel: string
  readonly recipient: string
  readonly number_id: string
  readonly contact_name: string | null
  readonly dossier_id: string | null
  readonly last_inbound_at: Date
  readonly session_until: Date
  readonly session_open: boolean
  readonly last_answer_at: Date | null
  readonly active_at: Date
  readonly last_kind: string | null
  readonly last_text: string | null
  /** Set if the person must not be written to. */
  readonly withdrawn_at: Date | null
  readonly withdrawn_source: string | null
}

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
const Time = Type.String({ format: 'date-time' })
const Id = Type.String({ format: 'uuid' })

/** A conversation as the API shows it. */
export const ConversationResource = Type.Object({
  id: Id,
  orgId: Type.String(),
  channel: Type.String(),
  recipient: Type.String({ description: "the person's number" }),
  contactName: Nullable(Type.String()),
  dossierId: Nullable(Type.String()),
  numberId: Type.String({ description: 'our number that the person wrote to last' }),
  lastInboundAt: Time,
  lastAnswerAt: Nullable(Time),
  awaitsAnswer: Type.Boolean({ description: 'the person wrote after our last answer' }),
  lastKind: Nullable(Type.String()),
  lastText: Nullable(Type.String()),
  sessionOpen: Type.Boolean({ description: 'free text may be sent' }),
  sessionUntil: Type.String({ format: 'date-time', description: 'by the business clock' }),
  withdrawn: Nullable(
    Type.Object({ at: Time, source: Type.String() }, { description: 'must not be written to' }),
  ),
})

export function toConversation(row: ConversationRow): Static<typeof ConversationResource> {
  const { last_inbound_at: inboundAt, last_answer_at: answeredAt } = row
  return {
    id: row.id,
    orgId: row.org_id,
    channel: row.channel,
    recipient: row.recipient,
    contactName: row.contact_name,
    dossierId: row.dossier_id,
    numberId: row.number_id,
    lastInboundAt: inboundAt.toISOString(),
    lastAnswerAt: answeredAt?.toISOString() ?? null,
    awaitsAnswer: answeredAt === null || answeredAt < row.active_at,
    lastKind: row.last_kind,
    lastText: row.last_text?.slice(0, 200) ?? null,
    sessionOpen: row.session_open,
    sessionUntil: row.session_until.toISOString(),
    withdrawn: row.withdrawn_at && {
      at: row.withdrawn_at.toISOString(),
      source: row.withdrawn_source ?? 'api',
    },
  }
}

/** A line of a thread: what the person wrote, or what was sent to it. */
export interface ThreadRow {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly at: Date
  readonly kind: string
  readonly text: string | null
  readonly content: unknown
  readonly template_code: string | null
  readonly answers_message_id: string | null
  readonly status: MessageState | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly sent_at: Date | null
  readonly delivered_at: Date | null
  readonly read_at: Date | null
  readonly contents_removed_at: Date | null
}

export const ThreadItem = Type.Object({
  id: Id,
  direction: Type.Enum(['inbound', 'outbound']),
  at: Time,
  kind: Type.String({ description: 'outbound: template or text; inbound: as the provider says' }),
  text: Nullable(Type.String()),
  content: Type.Unknown({
    description: 'inbound: as it came, of media the reference; outbound: payloadJson',
  }),
  templateCode: Nullable(Type.String()),
  answersMessageId: Nullable(
    Type.String({ format: 'uuid', description: 'the message of ours that this answers' }),
  ),
  status: Nullable(Type.Enum([...MESSAGE_STATES])),
  errorCode: Nullable(Type.String()),
  errorMessage: Nullable(Type.String()),
  sentAt: Nullable(Time),
  deliveredAt: Nullable(Time),
  readAt: Nullable(Time),
  contentsRemovedAt: Nullable(Time),
})

export function toThreadItem(row: ThreadRow): Static<typeof ThreadItem> {
  return {
    id: row.id,
    direction: row.direction,
    at: row.at.toISOString(),
    kind: row.kind,
    text: row.text,
    content: row.content,
    templateCode: row.template_code,
    answersMessageId: row.answers_message_id,
    status: row.status,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    sentAt: row.sent_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    readAt: row.read_at?.toISOString() ?? null,
    contentsRemovedAt: row.contents_removed_at?.toISOString() ?? null,
  }
}
