import { describe, expect, test } from 'vitest'
import { decide, decideConfirmed, decideLost, triesOf, type Facts } from './decide.ts'
import type { Outbox } from '../outbox/define.ts'
import {
  delivered,
  refused,
  retryLater,
  unknown,
  unreachable,
  type Outcome,
} from '../outbox/outcome.ts'
import {
  evidenceRows,
  familyEvents,
  outboundMessages,
  sagaEvents,
  webhookDeliveries,
} from '../testing/outboxes.ts'

const facts = (given: Partial<Facts> = {}): Facts => ({
  counted: 0,
  limit: undefined,
  lostClaims: 0,
  wasRetry: false,
  ...given,
})

const failed = retryLater({ code: 'DOWN', message: 'x' })
const row = (outbox: unknown, given: Partial<Facts>, outcome: Outcome) => {
  const { role, delayMs, bump } = decide(outbox as Outbox, facts(given), {
    outcome,
    backoffMs: 4_000,
  })
  return [role, delayMs, bump]
}

describe('attempts', () => {
  test.each([
    ['webhooks, first failure', webhookDeliveries, { counted: 0 }, failed, ['retry', 2_000, 1]],
    ['webhooks, fourth failure', webhookDeliveries, { counted: 3 }, failed, ['retry', 16_000, 1]],
    ['webhooks, fifth failure', webhookDeliveries, { counted: 4 }, failed, ['dead', undefined, 1]],
    [
      'webhooks, unreachable is charged',
      webhookDeliveries,
      {},
      unreachable('x'),
      ['retry', 2_000, 1],
    ],
    ['webhooks, delivered', webhookDeliveries, { counted: 2 }, delivered(), ['sent', undefined, 0]],
    ['sagas, fifth retry', sagaEvents, { counted: 4 }, failed, ['retry', 16_000, 1]],
    ['sagas, after the fifth retry', sagaEvents, { counted: 5 }, failed, ['dead', undefined, 1]],
    [
      'sagas, unreachable is free',
      sagaEvents,
      { counted: 5 },
      unreachable('x'),
      ['stay', 4_000, 0],
    ],
    [
      'messages, first attempt',
      outboundMessages,
      { counted: 1, limit: 5 },
      failed,
      ['retry', 60_000, 0],
    ],
    [
      'messages, fourth',
      outboundMessages,
      { counted: 4, limit: 5 },
      failed,
      ['retry', 3_600_000, 0],
    ],
    [
      'messages, at its limit',
      outboundMessages,
      { counted: 5, limit: 5 },
      failed,
      ['dead', undefined, 0],
    ],
    [
      'messages, sixth of six',
      outboundMessages,
      { counted: 5, limit: 6 },
      failed,
      ['retry', 21_600_000, 0],
    ],
    [
      'messages, a rate limit gives the attempt back',
      outboundMessages,
      { counted: 5, limit: 5 },
      retryLater('slow down', { after: '30s', charge: false }),
      ['stay', 30_000, -1],
    ],
    [
      'messages, unknown waits',
      outboundMessages,
      { counted: 1 },
      unknown('x'),
      ['await', 120_000, 0],
    ],
    [
      'evidence, a failed publish is free',
      evidenceRows,
      { counted: 0 },
      failed,
      ['stay', 4_000, 0],
    ],
    [
      'evidence, of a retry too',
      evidenceRows,
      { counted: 1, wasRetry: true },
      failed,
      ['stay', 4_000, -1],
    ],
    ['families, first', familyEvents, { counted: 0 }, failed, ['retry', 1_000, 1]],
    ['families, seventh', familyEvents, { counted: 6 }, failed, ['retry', 900_000, 1]],
    ['families, for ever', familyEvents, { counted: 5_000 }, failed, ['retry', 900_000, 1]],
    ['families, never refused', familyEvents, { counted: 0 }, refused('no'), ['retry', 1_000, 1]],
    ['families, unreachable is charged', familyEvents, {}, unreachable('x'), ['retry', 1_000, 1]],
    ['a refusal', webhookDeliveries, { counted: 0 }, refused('no'), ['dead', undefined, 1]],
    [
      'a delay the destination asked for',
      webhookDeliveries,
      { counted: 0 },
      retryLater('x', { after: '1h' }),
      ['retry', 3_600_000, 1],
    ],
  ])('%s', (_, outbox, given, outcome, expected) => {
    expect(row(outbox, given, outcome)).toEqual(expected)
  })
})

describe('outcomes that come later', () => {
  test.each([
    ['success', evidenceRows, { counted: 0 }, delivered(), ['confirmed', undefined, 0]],
    ['first failure', evidenceRows, { counted: 0 }, failed, ['retry', 21_600_000, 0]],
    ['second failure', evidenceRows, { counted: 1 }, failed, ['retry', 21_600_000, 0]],
    ['third failure', evidenceRows, { counted: 2 }, failed, ['dead', undefined, 0]],
    ['refused', evidenceRows, { counted: 0 }, refused('no'), ['dead', undefined, 0]],
  ])('%s', (_, outbox, given, outcome, expected) => {
    const decision = decideConfirmed(outbox, facts(given), outcome)
    expect([decision.role, decision.delayMs, decision.bump]).toEqual(expected)
  })
})

describe('lost claims', () => {
  const lostDecision = (outbox: unknown, given: Partial<Facts>) => {
    const { role, lost: kept, failure } = decideLost(outbox as Outbox, facts(given))
    return [role, kept, failure?.code]
  }

  test('go back to be claimed in a group, and three times alone', () => {
    expect(lostDecision(sagaEvents, { lostClaims: 1 })).toEqual(['retry', 1, 'CLAIM_EXPIRED'])
    expect(lostDecision(sagaEvents, { lostClaims: 4 })).toEqual(['retry', 4, 'CLAIM_EXPIRED'])
    expect(lostDecision(sagaEvents, { lostClaims: 5 })).toEqual(['dead', 0, 'CLAIM_FATAL'])
  })

  test('are parked where nothing ever ends', () => {
    expect(lostDecision(familyEvents, { lostClaims: 5 })).toEqual(['quarantined', 0, 'CLAIM_FATAL'])
  })

  test('end a message whose claims were its attempts', () => {
    expect(lostDecision(outboundMessages, { lostClaims: 1, counted: 5, limit: 5 })[0]).toBe('dead')
    expect(lostDecision(outboundMessages, { lostClaims: 1, counted: 4, limit: 5 })[0]).toBe('retry')
  })
})

test('tries include the one under way, however they are counted', () => {
  expect(triesOf(webhookDeliveries as unknown as Outbox, facts({ counted: 2 }))).toBe(3)
  expect(triesOf(outboundMessages as unknown as Outbox, facts({ counted: 2 }))).toBe(2)
  expect(triesOf(evidenceRows as unknown as Outbox, facts({ counted: 2 }))).toBe(3)
})
