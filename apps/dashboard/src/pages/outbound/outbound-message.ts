import type { paths } from '../../api/schema.d.ts'
import type { RowStep } from '../../parts/step-row.tsx'
import type { StateRole } from '../../states/role.ts'

export type OutboundMessage =
  paths['/api/v1/outbound/messages/{id}']['get']['responses']['200']['content']['application/json']
export type MessageState = OutboundMessage['status']

export const MESSAGE_STATES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'FAILED',
  'CANCELLED',
] as const satisfies readonly MessageState[]

export const MESSAGE_ROLES: Readonly<Record<MessageState, StateRole>> = {
  QUEUED: 'ready',
  SENDING: 'claimed',
  SENT: 'sent',
  DELIVERED: 'confirmed',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
}

/** A message that waits after a failure looks different from one that waits for its first turn. */
export function roleOfMessage({ status, nextRetryAt }: OutboundMessage): StateRole {
  return status === 'QUEUED' && nextRetryAt !== null ? 'retry' : MESSAGE_ROLES[status]
}

/** Where the message stands and why, as a sentence. */
export function standingOf(message: OutboundMessage): string {
  const { status, attemptCount, maxAttempts, nextRetryAt, outcomeUnknown } = message
  switch (status) {
    case 'QUEUED':
      return nextRetryAt === null
        ? 'It waits for its turn.'
        : `It is tried again: ${attemptCount} of ${maxAttempts} attempts are used.`
    case 'SENDING':
      return outcomeUnknown
        ? 'The provider took it and did not answer: perhaps it was sent. Its report is waited for, then the policy decides.'
        : 'The provider is being asked right now.'
    case 'SENT':
      return message.channel === 'email'
        ? 'The mail server took it. This is the end: nobody reports on mail.'
        : 'The provider took it; the report that it arrived is waited for.'
    case 'DELIVERED':
      return 'It arrived.'
    case 'FAILED':
      return `It was given up after ${attemptCount} of ${maxAttempts} attempts.`
    case 'CANCELLED':
      return 'It was cancelled before it was sent.'
  }
}

const WAY: readonly MessageState[] = ['QUEUED', 'SENDING', 'SENT', 'DELIVERED']

/** What a state means for whoever reads the way of a message. */
const WORDS: Readonly<Record<MessageState, string>> = {
  QUEUED: 'waits for its turn',
  SENDING: 'the provider is asked',
  SENT: 'the provider has it',
  DELIVERED: 'it arrived',
  FAILED: 'given up',
  CANCELLED: 'cancelled',
}

const PAST_WORDS: Readonly<Partial<Record<MessageState, string>>> = {
  QUEUED: 'was taken in',
  SENDING: 'the provider was asked',
}

/** The way that a message went, where it stands, and what can still come. */
export function wayOf(message: OutboundMessage): RowStep[] {
  const { status } = message
  const states = statesOnTheWay(message)
  const stands = states.indexOf(status)
  return states.map((state, index) => ({
    id: state,
    name: state,
    word: (index < stands ? PAST_WORDS[state] : undefined) ?? WORDS[state],
    isCurrent: index === stands,
    // What lies behind is done, whatever its own colour says.
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
