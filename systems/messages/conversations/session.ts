import { refused, type Outbox, type Queryable, type Transaction } from '@posthorn/engine'
import { findAccountOfNumber } from '../accounts/queries.ts'
import { queueMessage, type Creation } from '../creation.ts'
import type { OutboundMessage } from '../message.ts'
import type { Answered, Outgoing } from '../providers/provider.ts'
import { findByIdempotencyKey } from '../queries.ts'
import { findSessions, lockConversation, noteAnswer, type ConversationKey } from './queries.ts'

/** A text that is to be sent in a conversation, and who sends it. */
export interface AnswerRequest {
  readonly conversation: ConversationKey
  readonly by: string
  readonly key: string
  readonly fingerprint: string
  readonly text: string
  readonly maxAttempts: number
}

export type Answering =
  | Creation
  | { readonly kind: 'missing' }
  /** More than 24 hours have passed since the person wrote. */
  | { readonly kind: 'sessionClosed'; readonly until: Date }

/** Queues free text, which may be sent within 24 hours of the person's last message. */
export async function queueAnswer(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { conversation: which, text, maxAttempts, ...request }: AnswerRequest,
): Promise<Answering> {
  const { orgId } = which
  const conversation = await lockConversation(tx, which)
  if (!conversation) return { kind: 'missing' }
  const { id: conversationId, channel, recipient: to, dossier_id: dossierId } = conversation
  const earlier = await findByIdempotencyKey(tx, { orgId, key: request.key })
  if (!earlier && !conversation.session_open) {
    return { kind: 'sessionClosed', until: conversation.session_until }
  }
  const accountId = await findAccountOfNumber(tx, { orgId, numberId: conversation.number_id })
  const creation = await queueMessage(tx, outbox, {
    ...request,
    orgId,
    conversationId,
    message: {
      ...{ channel, to, payloadJson: { text }, maxAttempts },
      ...(accountId !== undefined && { accountId }),
      ...(dossierId !== null && { dossierId }),
    },
  })
  if (creation.kind === 'created') await noteAnswer(tx, conversationId)
  return creation
}

/** The session ended while the text waited. */
export const SESSION_CLOSED = 'SESSION_CLOSED'

/** Our number that texts of a session go out from, or the answer that ends them. */
export type Admission = { readonly sender: string | undefined } | { readonly answer: Answered }

/** Looks once more at the sessions of texts that are about to be sent. */
export async function admitToSessions(
  db: Queryable,
  messages: readonly Outgoing[],
): Promise<(message: Outgoing) => Admission> {
  const ids = [...new Set(messages.flatMap(({ conversationId }) => conversationId ?? []))]
  const sessions = new Map(
    ids.length === 0 ? [] : (await findSessions(db, ids)).map((row) => [row.id, row] as const),
  )
  return ({ conversationId }) => {
    if (conversationId === null) return { sender: undefined }
    const session = sessions.get(conversationId)
    if (session?.session_open === true) return { sender: session.number_id }
    const until = session === undefined ? '' : ` on ${session.session_until.toISOString()}`
    const message = `The session ended${until}, 24 hours after the person's last message.`
    return { answer: refused({ code: SESSION_CLOSED, message }) }
  }
}
