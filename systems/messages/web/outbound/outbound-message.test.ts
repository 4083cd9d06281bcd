import { expect, test } from 'vitest'
import { roleOfMessage, standingOf, wayOf, type OutboundMessage } from './outbound-message.ts'

const QUEUED: OutboundMessage = {
  id: '0',
  orgId: 'demo',
  dossierId: null,
  conversationId: null,
  channel: 'whatsapp',
  to: '+16505551234',
  templateCode: 'otp_code',
  payloadJson: {},
  status: 'QUEUED',
  outcomeUnknown: false,
  providerMessageId: null,
  idempotencyKey: 'k',
  attemptCount: 0,
  maxAttempts: 5,
  errorCode: null,
  errorMessage: null,
  nextRetryAt: null,
  accountId: null,
  sendAt: null,
  priority: 'normal',
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  createdAt: '2026-11-15T12:00:00Z',
  updatedAt: '2026-11-15T12:00:00Z',
  contentsRemovedAt: null,
}

const stepsOf = (change: Partial<OutboundMessage>) =>
  wayOf({ ...QUEUED, ...change }).map(
    ({ name, role = 'to come', isCurrent }) => `${name} ${role}${isCurrent ? ' here' : ''}`,
  )

test('what lies behind is done, what is to come is open', () => {
  expect(stepsOf({ status: 'SENDING', attemptCount: 1 })).toEqual([
    'QUEUED sent',
    'SENDING claimed here',
    'SENT to come',
    'DELIVERED to come',
  ])
})

test('mail has no delivery reports', () => {
  expect(stepsOf({ status: 'SENT', channel: 'email' }).at(-1)).toBe('SENT sent here')
})

test('a failure stands where it happened', () => {
  expect(stepsOf({ status: 'FAILED', attemptCount: 1 })).toHaveLength(3)
  expect(stepsOf({ status: 'FAILED', attemptCount: 1, providerMessageId: 'wamid' })).toEqual([
    'QUEUED sent',
    'SENDING sent',
    'SENT sent',
    'FAILED dead here',
  ])
})

test('a message that waits after a failure says so', () => {
  const waits = { ...QUEUED, attemptCount: 2, nextRetryAt: '2026-11-15T12:05:00Z' }
  expect(roleOfMessage(waits)).toBe('retry')
  expect(standingOf(waits)).toBe('Waiting for the next attempt: 2 of 5 used.')
})
