import { Type } from 'typebox'
import { Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import { MESSAGE_STATES, Time } from '../message.ts'

/** A conversation as the API shows it. */
export const ConversationResource = Type.Object({
  id: Id,
  orgId: Type.String(),
  channel: Type.String(),
  recipient: Type.String({ description: 'Phone number of the person' }),
  contactName: NullableText,
  dossierId: NullableText,
  numberId: Type.String({ description: 'Your number that the person last wrote to' }),
  lastInboundAt: Time,
  lastAnswerAt: nullable(Time),
  awaitsAnswer: Type.Boolean({ description: 'True if the person wrote after your last answer' }),
  lastKind: NullableText,
  lastText: NullableText,
  sessionOpen: Type.Boolean({ description: 'True while free text may be sent' }),
  sessionUntil: time({ format: 'date-time', description: 'by the business clock' }),
  withdrawn: nullable(
    Type.Object(
      { at: Type.String({ format: 'date-time' }), source: Type.String() },
      { description: 'When and how the person withdrew consent; null if messages are allowed' },
    ),
  ),
})

/** A row of `messages.conversation`, with what its person last wrote. */
export interface ConversationRow extends RowOf<
  typeof ConversationResource,
  'awaitsAnswer' | 'withdrawn'
> {
  readonly active_at: Date
  /** Set if the person must not be written to. */
  readonly withdrawn_at: Date | null
  readonly withdrawn_source: string | null
}

export const toConversation = resource(ConversationResource, {
  awaitsAnswer: ({ last_answer_at: answeredAt, active_at: activeAt }: ConversationRow) =>
    answeredAt === null || answeredAt < activeAt,
  lastText: ({ last_text: text }) => text?.slice(0, 200) ?? null,
  withdrawn: ({ withdrawn_at: at, withdrawn_source: source }) =>
    at && { at: at.toISOString(), source: source ?? 'api' },
})

/** A line of a thread: what the person wrote, or what was sent to it. */
export const ThreadItem = Type.Object({
  id: Id,
  direction: Type.Enum(['inbound', 'outbound']),
  at: Time,
  kind: Type.String({ description: "outbound: template or text; inbound: the provider's type" }),
  text: NullableText,
  content: Type.Unknown({
    description: 'inbound: the content as received, for media its reference; outbound: payloadJson',
  }),
  templateCode: NullableText,
  answersMessageId: nullable(
    Type.String({ format: 'uuid', description: 'Your message that this one answers' }),
  ),
  status: nullable(Type.Enum([...MESSAGE_STATES])),
  errorCode: NullableText,
  errorMessage: NullableText,
  sentAt: nullable(Time),
  deliveredAt: nullable(Time),
  readAt: nullable(Time),
  contentsRemovedAt: nullable(Time),
})
export type ThreadRow = RowOf<typeof ThreadItem>

export const toThreadItem = resource(ThreadItem)
