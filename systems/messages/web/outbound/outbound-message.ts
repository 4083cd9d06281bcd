import type { Answer, RowStep, StateRole } from '@posthorn/dashboard/kit'

export type OutboundMessage = Answer<'/api/v1/outbound/messages/{id}'>
export type MessageState = OutboundMessage['status']

export const MESSAGE_ROLES: Readonly<Record<MessageState, StateRole>> = {
  QUEUED: 'ready',
  SENDING: 'claimed',
  SENT: 'sent',
  DELIVERED: 'confirmed',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
}
export const MESSAGE_STATES = Object.keys(MESSAGE_ROLES) as MessageState[]

/** A message that waits for a retry looks different from one that waits for its first attempt. */
export function roleOfMessage({ status, nextRetryAt }: OutboundMessage): StateRole {
  return status === 'QUEUED' && nextRetryAt !== null ? 'retry' : MESSAGE_ROLES[status]
}

/** The state of a message and its reason, as a sentence. */
export function standingOf(message: OutboundMessage): string {
  const { status, attemptCount, maxAttempts, nextRetryAt, outcomeUnknown } = message
  switch (status) {
    case 'QUEUED':
      if (message.errorCode === 'ACCOUNT_STOPPED')
        return 'Waiting until its account may send again.'
      if (nextRetryAt === null) return message.sendAt === null ? 'Queued.' : 'Queued for its time.'
      return `Waiting for the next attempt: ${attemptCount} of ${maxAttempts} used.`
    case 'SENDING':
      return outcomeUnknown
        ? 'The provider accepted it but did not answer; it may have been sent. The worker waits for a report, then applies the policy.'
        : 'Sending to the provider.'
    case 'SENT':
      return message.channel === 'email'
        ? 'Accepted by the mail server. Final: mail has no delivery reports.'
        : 'Accepted by the provider; waiting for the delivery report.'
    case 'DELIVERED':
      return 'Delivered.'
    case 'FAILED':
      return `Dead after ${attemptCount} of ${maxAttempts} attempts.`
    case 'CANCELLED':
      return 'Cancelled before it was sent.'
  }
}

const WAY: readonly MessageState[] = ['QUEUED', 'SENDING', 'SENT', 'DELIVERED']

/** What a state means, for the reader of a timeline. */
const WORDS: Readonly<Record<MessageState, string>> = {
  QUEUED: 'queued',
  SENDING: 'sending to the provider',
  SENT: 'accepted by the provider',
  DELIVERED: 'delivered',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
}

const PAST_WORDS: Readonly<Partial<Record<MessageState, string>>> = {
  QUEUED: 'created',
  SENDING: 'sent to the provider',
}

/** Past states, the current one, and those that can follow. */
export function wayOf(message: OutboundMessage): RowStep[] {
  const { status } = message
  const states = statesOnTheWay(message)
  const stands = states.indexOf(status)
  return states.map((state, index) => ({
    id: state,
    name: state,
    word: (index < stands ? PAST_WORDS[state] : undefined) ?? WORDS[state],
    isCurrent: index === stands,
    // Past states are done, in every colour.
    role: index === stands ? roleOfMessage(message) : index < stands ? 'sent' : undefined,
  }))
}

function statesOnTheWay(message: OutboundMessage): readonly MessageState[] {
  const { status, channel, providerMessageId, attemptCount } = message
  const way = channel === 'email' ? WAY.slice(0, 3) : WAY
  if (status === 'CANCELLED') return ['QUEUED', 'CANCELLED']
  if (status !== 'FAILED') return way
  const tried = attemptCount > 0 ? 2 : 1
  return [...way.slice(0, providerMessageId === null ? tried : 3), 'FAILED']
}
